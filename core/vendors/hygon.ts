import { model, shares, slicedBy, type Vendor, wholeCards } from './vendor.ts';

export const HYGON: Vendor = {
  name: 'hygon',
  cards: [
    wholeCards('hygon.com/dcu'),
    shares(
      'hygon.com/dcunum',
      slicedBy({ memory: 'hygon.com/dcumem', compute: 'hygon.com/dcucores', computeAbsentMilli: 1000 }),
    ),
  ],
  otherResources: [],
  instances: null,
  modelLabels: ['hygon.com/dcu.product'],
  memoryLabel: '',
  models: [model(['K100', 'AI'], 65520), model(['Z100L'], 32752)],
};
