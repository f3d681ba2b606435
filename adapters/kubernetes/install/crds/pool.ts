import { column, definitionOf } from './definition.ts';
import { count, labelSelector, text } from './fields.ts';

const spec = {
  type: 'object',
  required: ['reason', 'owner', 'nodeSelector'],
  properties: {
    reason: text(1024, 'Why these machines are kept apart from the shared pool.'),
    owner: text(256, 'Who answers for it.'),
    nodeSelector: labelSelector('Which nodes belong to the pool.'),
    namespaces: {
      type: 'array',
      maxItems: 256,
      items: { type: 'string', minLength: 1, maxLength: 63 },
      description: 'Namespaces whose pods may use the pool; empty: any pod with the label springtide.io/pool.',
    },
  },
} as const;

/** As `metav1.Condition`. */
const condition = {
  type: 'object',
  required: ['type', 'status', 'reason', 'message', 'lastTransitionTime'],
  properties: {
    type: { type: 'string', maxLength: 316 },
    status: { type: 'string', enum: ['True', 'False', 'Unknown'] },
    observedGeneration: { type: 'integer', format: 'int64', minimum: 0 },
    lastTransitionTime: { type: 'string', format: 'date-time' },
    reason: { type: 'string', minLength: 1, maxLength: 1024 },
    message: { type: 'string', maxLength: 32_768 },
  },
} as const;

const status = {
  type: 'object',
  properties: {
    machines: count('Machines in the pool.'),
    cards: count('Cards on them.'),
    conditions: {
      type: 'array',
      items: condition,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['type'],
    },
  },
} as const;

/** Machines that are kept apart, with a reason and an owner. */
export const POOL_DEFINITION = definitionOf({
  kind: 'Pool',
  shortName: 'stpool',
  columns: [
    column('Reason', 'string', '.spec.reason'),
    column('Owner', 'string', '.spec.owner'),
    column('Machines', 'integer', '.status.machines'),
    column('Cards', 'integer', '.status.cards'),
    column('Age', 'date', '.metadata.creationTimestamp'),
  ],
  spec,
  status,
});
