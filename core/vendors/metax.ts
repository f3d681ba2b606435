import { model, shares, slicedBy, type Vendor, wholeCards } from './vendor.ts';

export const METAX: Vendor = {
  name: 'metax',
  cards: [
    wholeCards('metax-tech.com/gpu'),
    shares(
      'metax-tech.com/sgpu',
      slicedBy({
        memory: 'metax-tech.com/vmemory',
        memoryUnitMiB: 1024,
        isBytesToo: true,
        compute: 'metax-tech.com/vcore',
        computeAbsentMilli: 1000,
      }),
    ),
  ],
  otherResources: [],
  instances: null,
  modelLabels: ['metax-tech.com/gpu.product'],
  memoryLabel: '',
  models: [model(['C500'], 65536), model(['MXC500'], 65536)],
};
