/** Parts of schemas that several kinds have. */

export const text = (maxLength: number, description: string): object => ({
  type: 'string',
  minLength: 1,
  maxLength,
  description,
});

export const count = (description: string): object => ({
  type: 'integer',
  format: 'int32',
  minimum: 0,
  description,
});

/** As `metav1.LabelSelector`. */
export const labelSelector = (description: string): object => ({
  type: 'object',
  description,
  properties: {
    matchLabels: { type: 'object', additionalProperties: { type: 'string' } },
    matchExpressions: {
      type: 'array',
      items: {
        type: 'object',
        required: ['key', 'operator'],
        properties: {
          key: { type: 'string' },
          operator: { type: 'string', enum: ['In', 'NotIn', 'Exists', 'DoesNotExist'] },
          values: { type: 'array', items: { type: 'string' } },
        },
      },
    },
  },
});

/** As `v1.Toleration`, without a time. */
export const toleration = {
  type: 'object',
  properties: {
    key: { type: 'string' },
    operator: { type: 'string', enum: ['Equal', 'Exists'] },
    value: { type: 'string' },
    effect: { type: 'string', enum: ['NoSchedule', 'PreferNoSchedule', 'NoExecute'] },
  },
} as const;

const quantity = (description: string): object => ({ 'x-kubernetes-int-or-string': true, description });

/** What a queue or a cohort owns, flavor by flavor in the order in which they are tried. */
export const quotas = {
  type: 'array',
  maxItems: 64,
  items: {
    type: 'object',
    required: ['name', 'resources'],
    properties: {
      name: text(253, 'A Flavor.'),
      resources: {
        type: 'array',
        maxItems: 32,
        items: {
          type: 'object',
          required: ['name', 'nominal'],
          properties: {
            name: text(
              253,
              'cards, cardMemoryMiB, computeMilli, priceMicrosPerHour, cpu, memory, or any other by name.',
            ),
            nominal: quantity('What is owned.'),
            borrowingLimit: quantity('The most that is used beyond it; absent: whatever the cohort has.'),
            lendingLimit: quantity('The most of it that others may use while it is idle; absent: all.'),
            floor: quantity('The part of it that is never lent.'),
          },
        },
      },
    },
  },
} as const;

export const weightMilli = count('The share of what is borrowed, beside others; 1000 where nothing is said.');
