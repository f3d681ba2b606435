import { column, definitionOf } from './definition.ts';
import { toleration } from './fields.ts';

const integer = (minimum: number, maximum: number, description: string): object => ({
  type: 'integer',
  format: 'int32',
  minimum,
  maximum,
  description,
});

const text = { type: 'string', maxLength: 253 } as const;

const spec = {
  type: 'object',
  required: ['granularity'],
  properties: {
    description: { type: 'string', maxLength: 1024, description: 'What it is for, for people.' },
    granularity: {
      type: 'string',
      enum: ['whole', 'slice', 'shared'],
      description: 'Whole cards; slices, isolated from each other; shared, with a priority.',
    },
    cards: { ...integer(1, 64, 'How many cards, or slices of different cards.'), default: 1 },
    memoryMiB: integer(1, 1 << 20, 'Memory of each card, rounded up to what the vendor can cut.'),
    computePercent: integer(1, 100, 'Compute of each card; absent: not limited.'),
    priority: integer(0, 100, 'Of shared cards, as the vendor’s plug-in counts it.'),
    resources: {
      type: 'array',
      maxItems: 32,
      items: { ...text, minLength: 1 },
      description: 'Card resources it may be made of, the first that the cluster has; empty: those of any vendor.',
    },
    tolerations: { type: 'array', maxItems: 32, items: toleration, description: 'Added to those of the pod.' },
    pool: { type: 'string', maxLength: 63, description: 'The isolated pool its pods go to; empty: the common one.' },
  },
  'x-kubernetes-validations': [
    {
      rule: "self.granularity == 'whole' ? !has(self.memoryMiB) && !has(self.computePercent) : has(self.memoryMiB)",
      message: 'whole cards have no memoryMiB and computePercent; slice and shared need memoryMiB',
    },
    {
      rule: "self.granularity == 'shared' || !has(self.priority)",
      message: 'only shared cards have a priority',
    },
  ],
} as const;

/** What users pick by name instead of a vendor's resources (P3). */
export const CARD_TEMPLATE_DEFINITION = definitionOf({
  kind: 'CardTemplate',
  shortName: 'sttemplate',
  columns: [
    column('Granularity', 'string', '.spec.granularity'),
    column('Cards', 'integer', '.spec.cards'),
    column('MiB', 'integer', '.spec.memoryMiB'),
    column('Compute', 'integer', '.spec.computePercent'),
    column('Description', 'string', '.spec.description'),
  ],
  spec,
});
