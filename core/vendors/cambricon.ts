import { model, shares, slicedBy, type Vendor, wholeCards } from './vendor.ts';

export const CAMBRICON: Vendor = {
  name: 'cambricon',
  cards: [
    wholeCards('cambricon.com/mlu'),
    shares(
      'cambricon.com/vmlu',
      slicedBy({
        memory: 'cambricon.com/mlu.smlu.vmemory',
        memoryUnitMiB: 256,
        compute: 'cambricon.com/mlu.smlu.vcore',
        computeAbsentMilli: 1000,
      }),
    ),
  ],
  otherResources: [],
  instances: null,
  modelLabels: ['cambricon.com/mlu.product'],
  memoryLabel: '',
  models: [model(['MLU370', 'X8'], 49152), model(['MLU370', 'X4'], 24576)],
};
