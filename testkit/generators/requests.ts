import * as fc from 'fast-check';
import {
  type CardRequest,
  type Constraints,
  NO_CONSTRAINTS,
  type Request,
  type SelectorExpression,
  type Toleration,
  type VolumeNeed,
} from '@springtide/core/model';

const EXPRESSIONS = fc.constantFrom<SelectorExpression>(
  { key: 'disk', operator: 'In', values: ['ssd', 'nvme'] },
  { key: 'disk', operator: 'NotIn', values: ['hdd'] },
  { key: 'disk', operator: 'Exists', values: [] },
  { key: 'zone', operator: 'DoesNotExist', values: [] },
  { key: 'generation', operator: 'Gt', values: ['5'] },
  { key: 'generation', operator: 'Lt', values: ['12'] },
  { key: 'kubernetes.io/hostname', operator: 'NotIn', values: ['m1'] },
);

const NAMED: readonly SelectorExpression[] = [{ key: 'metadata.name', operator: 'In', values: ['m1'] }];

const TOLERATIONS = fc.constantFrom<Toleration>(
  { key: 'gpu', operator: 'Equal', value: 'a100', effect: '' },
  { key: 'gpu', operator: 'Exists', value: '', effect: 'NoSchedule' },
  { key: '', operator: 'Exists', value: '', effect: '' },
  { key: 'node.kubernetes.io/unschedulable', operator: 'Exists', value: '', effect: 'NoSchedule' },
);

const PLACES = fc.constantFrom(
  null,
  [],
  [{ expressions: [{ key: 'disk', operator: 'In', values: ['ssd'] } as const], fields: [] }],
  [{ expressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: ['m0', 'm2'] } as const], fields: [] }],
);

const NEEDS: fc.Arbitrary<VolumeNeed> = fc.record({
  volumes: fc.array(fc.record({ volume: fc.constantFrom('v1', 'v2', 'v3'), machines: PLACES }), { maxLength: 3 }),
  machines: PLACES,
  trouble: fc.constantFrom(null, null, null, { claim: 'c', kind: 'missing' } as const),
});

/** The constraints named, and no others. */
export function constrainedBy(part: Partial<Constraints>): Constraints {
  return { ...NO_CONSTRAINTS, ...part };
}

const POOLS = {
  pools: fc.constantFrom<readonly string[]>([], ['red'], ['blue', 'red']),
  pool: fc.constantFrom(undefined, undefined, undefined, 'red', 'green'),
};

/** Constraints on machines alone; one request in five has some. */
function machineConstraints(): fc.Arbitrary<Constraints> {
  const terms = fc.array(
    fc.record({ expressions: fc.array(EXPRESSIONS, { maxLength: 2 }), fields: fc.constantFrom([], [], [], NAMED) }),
    {
      maxLength: 2,
    },
  );
  const some = fc.record({
    nodeTerms: fc.oneof(fc.constant(null), terms),
    nodeSelector: fc.constantFrom(
      new Map(),
      new Map(),
      new Map([['disk', 'ssd']]),
      new Map([['kubernetes.io/hostname', 'm1']]),
    ),
    tolerations: fc.array(TOLERATIONS, { maxLength: 2 }),
    machine: fc.constantFrom('', '', '', 'm0', 'm1'),
    volumes: fc.oneof(fc.constant([]), fc.array(NEEDS, { maxLength: 2 })),
    ...POOLS,
  });
  return fc.oneof(
    { weight: 4, arbitrary: fc.constant(NO_CONSTRAINTS) },
    {
      weight: 1,
      arbitrary: some.map(({ pool, ...part }) => constrainedBy(pool === undefined ? part : { ...part, pool })),
    },
  );
}

const RESOURCES: readonly ReadonlyMap<string, number>[] = [
  new Map(),
  new Map(),
  new Map(),
  new Map([['rdma/hca', 1]]),
  new Map([
    ['rdma/hca', 0],
    ['absent', 0],
  ]),
];

/** Whole requests around the cards given: CPU, memory, other resources, isolation, constraints. */
export function requests(cards: fc.Arbitrary<CardRequest>, constraints = machineConstraints()): fc.Arbitrary<Request> {
  return fc.record({
    cpuMilli: fc.constantFrom(0, 500, 1000, 3000),
    memoryBytes: fc.constantFrom(0, 2 ** 30, 3 * 2 ** 30),
    resources: fc.constantFrom(...RESOURCES),
    cards,
    constraints,
    isolation: fc.constantFrom('none', 'none', 'none', 'card', 'machine'),
  });
}
