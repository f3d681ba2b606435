import { column, definitionOf } from './definition.ts';
import { labelSelector, quotas, text, weightMilli } from './fields.ts';

const choice = (values: readonly string[], description: string): object => ({
  type: 'string',
  enum: values,
  description,
});

const preemption = {
  type: 'object',
  description: 'Whose running work the queue may stop.',
  properties: {
    withinQueue: choice(['none', 'lower-priority', 'lower-or-newer-equal-priority'], 'In the queue itself.'),
    reclaimWithinCohort: choice(['none', 'lower-priority', 'any'], 'Of queues that borrow, for what is its own.'),
    borrowWithinCohort: choice(['none', 'lower-priority'], 'Of queues that borrow, for what it would borrow.'),
    borrowMaxPriority: { type: 'integer', format: 'int32', description: 'Work above it is not stopped to borrow.' },
  },
} as const;

const spec = {
  type: 'object',
  required: ['flavors'],
  properties: {
    tenant: text(253, 'Whose it is; absent: as the queue is called.'),
    cohort: text(253, 'The cohort that it lends to and borrows from; absent: none.'),
    weightMilli,
    workClass: choice(['online', 'training', 'offline'], 'Online replicas never wait behind a batch queue.'),
    strategy: choice(['strict', 'best-effort'], 'strict: nobody passes a head that cannot go.'),
    order: choice(['submission', 'least-attained'], 'Among equal priorities: first come, or who has had least.'),
    isStopped: { type: 'boolean', description: 'Nothing new is admitted; what runs goes on.' },
    namespaceSelector: labelSelector('Namespaces whose work may use it; absent: those of its aliases; empty: all.'),
    aliases: {
      type: 'array',
      maxItems: 1024,
      items: { type: 'string', pattern: '^[^/]{1,63}/[^/]{1,253}$' },
      description: 'namespace/name: what Kueue calls a LocalQueue, which work of that namespace may go on naming.',
    },
    flavors: quotas,
    preemption,
  },
} as const;

const status = {
  type: 'object',
  properties: {
    waiting: { type: 'integer', format: 'int32' },
    admitted: { type: 'integer', format: 'int32' },
    fault: { type: 'string', maxLength: 1024 },
  },
} as const;

/** Where workloads of a tenant wait, and what they may use. */
export const QUEUE_DEFINITION = definitionOf({
  kind: 'Queue',
  shortName: 'stqueue',
  columns: [
    column('Cohort', 'string', '.spec.cohort'),
    column('Strategy', 'string', '.spec.strategy'),
    column('Waiting', 'integer', '.status.waiting'),
    column('Admitted', 'integer', '.status.admitted'),
    column('Fault', 'string', '.status.fault'),
  ],
  spec,
  status,
});
