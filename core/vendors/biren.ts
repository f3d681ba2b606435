import { type Vendor, wholeCards } from './vendor.ts';

export const BIREN: Vendor = {
  name: 'biren',
  cards: [wholeCards('birentech.com/gpu')],
  otherResources: [],
  instances: null,
  modelLabels: [],
  memoryLabel: '',
  models: [],
};
