import { column, definitionOf } from './definition.ts';
import { count, text, toleration } from './fields.ts';

const taint = {
  type: 'object',
  required: ['key', 'effect'],
  properties: {
    key: { type: 'string' },
    value: { type: 'string' },
    effect: { type: 'string', enum: ['NoSchedule', 'PreferNoSchedule', 'NoExecute'] },
  },
} as const;

const spec = {
  type: 'object',
  properties: {
    nodeSelector: {
      type: 'object',
      maxProperties: 32,
      additionalProperties: { type: 'string', maxLength: 63 },
      description: 'Labels of its machines; pods that are admitted with it are sent to them.',
    },
    taints: {
      type: 'array',
      maxItems: 32,
      items: taint,
      description: 'What its machines keep off: only work that tolerates it all may have the flavor.',
    },
    tolerations: { type: 'array', maxItems: 32, items: toleration, description: 'Given to pods admitted with it.' },
    cardModels: {
      type: 'array',
      maxItems: 32,
      items: text(128, 'A product name.'),
      description: 'What its cards are; absent: any.',
    },
    region: text(63, 'Where it is; absent: anywhere.'),
    capacity: { type: 'string', enum: ['on-demand', 'spot'], description: 'spot: its owner may take it back.' },
    cardMemoryMiB: count('Memory of one card; absent: unknown.'),
    priceMicrosPerCardHour: { type: 'integer', format: 'int64', minimum: 0, description: 'In millionths.' },
  },
} as const;

/** One kind of capacity, such as a card model in a region. */
export const FLAVOR_DEFINITION = definitionOf({
  kind: 'Flavor',
  shortName: 'stflavor',
  columns: [
    column('Models', 'string', '.spec.cardModels'),
    column('Region', 'string', '.spec.region'),
    column('Capacity', 'string', '.spec.capacity'),
  ],
  spec,
});
