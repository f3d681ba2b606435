import { column, definitionOf } from './definition.ts';

/**
 * As small as it can be: of many thousand of them each is written a few times, and what the API server spends on a
 * write grows with the schema. Descriptions stand where it is read, in adapters/kubernetes/queueing.
 */
const string = { type: 'string' } as const;
const int32 = { type: 'integer', format: 'int32', minimum: 0 } as const;
const int64 = { type: 'integer', format: 'int64', minimum: 0 } as const;
const date = { type: 'string', format: 'date-time' } as const;

const amounts = { type: 'object', additionalProperties: { 'x-kubernetes-int-or-string': true } } as const;

const list = (items: object, maxItems: number): object => ({ type: 'array', maxItems, items });
const object = (properties: object, required: readonly string[] = []): object => ({
  type: 'object',
  properties,
  ...(required.length === 0 ? {} : { required }),
});

const spec = object(
  {
    queue: string,
    priority: { type: 'integer', format: 'int32' },
    priorityClass: string,
    isPreemptible: { type: 'boolean' },
    deadline: date,
    flavors: list(string, 64),
    idempotencyKey: { type: 'string', maxLength: 128 },
    podSets: list(object({ name: string, count: int32, minCount: int32, requests: amounts }, ['name', 'count']), 64),
    source: object({ apiVersion: string, kind: string, name: string, uid: string }),
  },
  ['queue'],
);

const machine = object({ name: string, pods: int32 });
const assignment = object({
  podSet: string,
  count: int32,
  flavor: string,
  charged: { type: 'object', additionalProperties: string },
  machines: list(machine, 4096),
});

const status = object({
  state: string,
  since: date,
  incarnation: int32,
  podSets: list(assignment, 64),
  evictions: int32,
  setBacks: int32,
  retryAt: date,
  startedAt: date,
  attainedCardMs: int64,
  checkpoint: object({ uri: string, step: int64, at: date }),
  avoids: list(string, 256),
  leaves: string,
  position: int32,
  waiting: int32,
  reason: string,
  message: { type: 'string', maxLength: 1024 },
  promisedStart: date,
  startP50: date,
  startP90: date,
  foretoldAt: date,
});

/** One unit of admission: all its pods start, or none. */
export const WORKLOAD_DEFINITION = definitionOf({
  kind: 'Workload',
  isNamespaced: true,
  shortName: 'stworkload',
  columns: [
    column('Queue', 'string', '.spec.queue'),
    column('State', 'string', '.status.state'),
    column('Position', 'integer', '.status.position'),
    column('Reason', 'string', '.status.reason'),
    column('Start', 'date', '.status.startP50'),
    column('Age', 'date', '.metadata.creationTimestamp'),
  ],
  spec,
  status,
});
