import { expect, test } from 'vitest';
import { InputFault, pathText } from '../fault.ts';
import { type Fields, fieldsOf } from '../fields.ts';
import { cohortOf } from './cohort.ts';
import { flavorOf } from './flavor.ts';
import { queueOf } from './queue.ts';
import { workloadObjectOf } from './workload.ts';

const objectOf = (spec: object, part: object = {}): Fields =>
  fieldsOf({ metadata: { name: 'x', namespace: 'a', uid: 'u' }, spec, ...part }, null);

const quotas = (resource: object): object => ({
  flavors: [{ name: 'a100', resources: [{ name: 'cards', ...resource }] }],
});

test.each<[(object: Fields) => unknown, Fields, string]>([
  [queueOf, objectOf(quotas({ nominal: -1 })), 'spec.flavors[0].resources[0].nominal: a quantity that is not negative'],
  [queueOf, objectOf(quotas({})), 'spec.flavors[0].resources[0].nominal: a quantity'],
  [
    queueOf,
    objectOf(quotas({ nominal: '99999999999999999999' })),
    'spec.flavors[0].resources[0].nominal: a quantity of at most 10^15',
  ],
  [queueOf, objectOf(quotas({ nominal: 1, floor: 2 })), 'spec.flavors[0].resources[0].floor: no more than nominal'],
  [queueOf, objectOf({ strategy: 'fast' }), 'spec.strategy: one of best-effort, strict'],
  [queueOf, objectOf({ aliases: ['main'] }), 'spec.aliases[0]: namespace/name'],
  [
    queueOf,
    objectOf({ flavors: [{ name: 'a' }, { name: 'a' }] }),
    'spec.flavors[1].name: a flavor that is not named before',
  ],
  [cohortOf, objectOf({ weightMilli: -1 }), 'spec.weightMilli: a whole number from 0 to 2147483647'],
  [
    flavorOf,
    objectOf({ taints: [{ key: 'spot', effect: 'Never' }] }),
    'spec.taints[0].effect: one of NoSchedule, PreferNoSchedule, NoExecute',
  ],
  [workloadObjectOf, objectOf({}), 'spec.queue: a name'],
  [
    workloadObjectOf,
    objectOf({ queue: 'q', deadline: 'soon' }),
    'spec.deadline: a date and time such as 2026-01-31T12:00:00Z',
  ],
  [
    workloadObjectOf,
    objectOf({ queue: 'q', podSets: [{ name: 'w', count: 2, minCount: 3 }] }),
    'spec.podSets[0].minCount: a number from 1 to count, 2',
  ],
  [
    workloadObjectOf,
    objectOf({ queue: 'q' }, { status: { state: 'lost' } }),
    'status.state: one of queued, reserved, admitted, running, suspending, done, failed, cancelled',
  ],
])('what cannot be read is refused with its field', (read, object, want) => {
  try {
    read(object);
    throw new Error('it was accepted');
  } catch (error) {
    if (!(error instanceof InputFault)) throw error;
    expect(`${pathText(error.path)}: ${error.expected}`).toBe(want);
  }
});

test('a Workload by itself asks for what its pod sets say', () => {
  const requests = { cpu: '500m', 'nvidia.com/gpu': 8 };
  const { job, hasSource } = workloadObjectOf(
    objectOf({ queue: 'q', priority: 5, podSets: [{ name: 'w', count: 2, requests }] }),
  );
  expect(hasSource).toBe(false);
  expect(job).toMatchObject({ idempotencyKey: 'u', workload: { id: 'a/x', queue: 'q', priority: 5 } });
  expect(job.workload.podSets).toMatchObject([
    { name: 'w', count: 2, request: { cpuMilli: 500, cards: { kind: 'whole', count: 8 } } },
  ]);
});
