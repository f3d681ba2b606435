import { model, shares, slicedBy, type Vendor, wholeCards } from './vendor.ts';

/** A virtual XPU is a quarter, a half or the whole of a card. */
export const KUNLUNXIN: Vendor = {
  name: 'kunlunxin',
  cards: [
    wholeCards('kunlunxin.com/xpu'),
    shares(
      'kunlunxin.com/vxpu',
      slicedBy({ memory: 'kunlunxin.com/vxpu-memory', sizesMiB: [24576, 49152, 98304] }),
      'P800',
    ),
  ],
  otherResources: [],
  instances: null,
  modelLabels: [],
  memoryLabel: '',
  models: [model(['P800'], 98304)],
};
