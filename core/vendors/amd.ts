import { model, slicedBy, type Vendor, wholeCards } from './vendor.ts';

export const AMD: Vendor = {
  name: 'amd',
  cards: [
    wholeCards(
      'amd.com/gpu',
      slicedBy({ memory: 'amd.com/gpumem', compute: 'amd.com/gpucores', computeAbsentMilli: 1000 }),
    ),
  ],
  otherResources: [],
  instances: null,
  modelLabels: ['amd.com/gpu.product-name'],
  memoryLabel: '',
  models: [
    model(['MI300X'], 196592),
    model(['MI325X'], 262128),
    model(['MI250X'], 65520),
    model(['MI250'], 65520),
    model(['MI210'], 65520, { islandSize: 1 }),
  ],
};
