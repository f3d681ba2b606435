import { column, definitionOf } from './definition.ts';
import { quotas, text, weightMilli } from './fields.ts';

const spec = {
  type: 'object',
  properties: {
    parent: text(253, 'The cohort that it is in; absent: none.'),
    weightMilli,
    flavors: quotas,
  },
} as const;

/** Queues and cohorts that lend to each other, and what is theirs together. */
export const COHORT_DEFINITION = definitionOf({
  kind: 'Cohort',
  shortName: 'stcohort',
  columns: [column('Parent', 'string', '.spec.parent'), column('Age', 'date', '.metadata.creationTimestamp')],
  spec,
});
