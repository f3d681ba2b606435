import { type Vendor, wholeCards } from './vendor.ts';

export const VASTAI: Vendor = {
  name: 'vastai',
  cards: [wholeCards('vastaitech.com/va')],
  otherResources: [],
  instances: null,
  modelLabels: [],
  memoryLabel: '',
  models: [],
};
