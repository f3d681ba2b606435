import { shares, slicedBy, type Vendor, wholeCards } from './vendor.ts';

export const ENFLAME: Vendor = {
  name: 'enflame',
  cards: [
    wholeCards('enflame.com/gcu'),
    shares(
      'enflame.com/drs-gcu',
      // A sixth of the card is the smallest slice. Compute goes with memory.
      slicedBy({
        memory: 'enflame.com/gcu-memory',
        memoryUnitMiB: 1024,
        compute: 'enflame.com/gcu-core',
        countedMiB: 7168,
        isOneCard: true,
        sizesMiB: [7168, 14336, 21504, 43008],
      }),
    ),
    shares('enflame.com/vgcu'),
  ],
  otherResources: [],
  instances: null,
  modelLabels: [],
  memoryLabel: '',
  models: [],
};
