import { shares, slicedBy, type Vendor, wholeCards } from './vendor.ts';

export const ENFLAME: Vendor = {
  name: 'enflame',
  cards: [
    wholeCards('enflame.com/gcu'),
    shares(
      'enflame.com/drs-gcu',
      slicedBy({ memory: 'enflame.com/gcu-memory', memoryUnitMiB: 1024, compute: 'enflame.com/gcu-core' }),
    ),
    shares('enflame.com/vgcu'),
  ],
  otherResources: [],
  instances: null,
  modelLabels: [],
  memoryLabel: '',
  models: [],
};
