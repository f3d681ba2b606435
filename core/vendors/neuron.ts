import { type Vendor, wholeCards } from './vendor.ts';

/** AWS counts the same devices three ways; only `neuron` is the card, so that none is counted twice. */
export const NEURON: Vendor = {
  name: 'neuron',
  cards: [wholeCards('aws.amazon.com/neuron')],
  otherResources: ['aws.amazon.com/neuroncore', 'aws.amazon.com/neurondevice'],
  instances: null,
  modelLabels: [],
  memoryLabel: '',
  models: [],
};
