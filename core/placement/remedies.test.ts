import {
  aMachine,
  aPod,
  aRequest,
  exists,
  podsWith,
  PRODUCTS,
  type MachineBuilder,
} from '@springtide/testkit/builders';
import { describe, expect, test } from 'vitest';
import type { Explanation, Machine, Remedy, Request } from '../model/index.ts';
import { Book, fillBook } from '../state/index.ts';
import { explain } from './explain.ts';
import { POLICIES } from './policies/index.ts';
import { Placer } from './placer.ts';
import { mulberry32 } from '../base/index.ts';

interface Holder {
  readonly machine: string;
  readonly request: Request;
  readonly tenant?: string;
}

function explained(machines: readonly Machine[], held: readonly Holder[], request: Request): Explanation {
  const book = new Book(machines);
  fillBook(
    book,
    held.map(({ machine, request: holds, tenant = '' }, i) => ({
      pod: aPod(`default/held-${i}`).labelled('app', 'held').ofTenant(tenant).asking(holds).build(),
      machine,
      isDeleting: false,
      held: null,
      fractionGroups: [],
    })),
  );
  const placer = new Placer({ book, policy: POLICIES['best-fit']({ book, chance: mulberry32(1) }) });
  return explain(placer, aPod('default/new').labelled('app', 'new').ofTenant('t').asking(request).build());
}

const whole = (count: number) => aRequest().whole(count);
const t4 = (id: string, count = 2): MachineBuilder => aMachine(id).cards(PRODUCTS.t4, count);
const a100 = (id: string, count = 2): MachineBuilder => aMachine(id).cards(PRODUCTS.a100, count);
const ofTenant = { tenant: 'other' };

/** What the pod lacks on the only machine, one row a filter. */
const TABLE: readonly (readonly [
  name: string,
  machine: Machine,
  held: readonly Omit<Holder, 'machine'>[],
  Request,
  Partial<Remedy>,
])[] = [
  [
    'CPU',
    t4('m').build(),
    [{ request: aRequest().cpuMilli(60_000).build() }],
    whole(2).cpuMilli(7000).build(),
    { filter: 'cpu', resource: 'cpuMilli', missing: 3000, cardsFree: 2, model: 'Tesla-T4' },
  ],
  [
    'memory',
    t4('m').memoryGiB(1).build(),
    [
      {
        request: aRequest()
          .memoryBytes(2 ** 29)
          .build(),
      },
    ],
    whole(1)
      .memoryBytes(2 ** 30)
      .build(),
    { filter: 'memory', resource: 'memoryBytes', missing: 2 ** 29 },
  ],
  [
    'another resource',
    t4('m').offering('rdma/hca', 4).build(),
    [{ request: aRequest().other('rdma/hca', 3).build() }],
    whole(1).other('rdma/hca', 2).build(),
    { filter: 'resource', resource: 'rdma/hca', missing: 1 },
  ],
  [
    'a pod more',
    t4('m').podsMax(1).build(),
    [{ request: aRequest().build() }],
    whole(1).build(),
    { filter: 'pods', missing: 1 },
  ],
  [
    'a card',
    t4('m').build(),
    [{ request: whole(1).build() }],
    whole(2).build(),
    { filter: 'cards', resource: 'cards', missing: 1, cardsFree: 1 },
  ],
  [
    'a healthy card',
    t4('m').health(0, 'fault').build(),
    [],
    whole(2).build(),
    { filter: 'cards', resource: 'unhealthy', missing: 1 },
  ],
  [
    'memory of a card',
    a100('m', 1).build(),
    [{ request: aRequest().sliceMiB(80_000).build() }],
    aRequest().sliceMiB(4000).build(),
    { filter: 'slice', resource: 'sliceMiB', missing: 2080 },
  ],
  [
    'compute of a card',
    a100('m', 1).build(),
    [{ request: aRequest().sliceMiB(1000, 800).build() }],
    aRequest().sliceMiB(1000, 500).build(),
    { filter: 'slice', resource: 'computeMilli', missing: 300 },
  ],
  [
    'memory and compute',
    a100('m', 1).build(),
    [{ request: aRequest().sliceMiB(80_000, 800).build() }],
    aRequest().sliceMiB(4000, 500).build(),
    { filter: 'slice', resource: 'slice', missing: 1 },
  ],
  [
    'two slices',
    a100('m').build(),
    [{ request: whole(2).build() }],
    aRequest().sliceMiB(4000).count(2).build(),
    { filter: 'slice', resource: 'slice', missing: 2 },
  ],
  [
    'a place for a MIG profile',
    aMachine('m').cards(PRODUCTS.a100Mig, 1).build(),
    [{ request: aRequest().mig('1g.10gb').build() }],
    aRequest().mig('7g.80gb').build(),
    { filter: 'slice', resource: 'slice', missing: 1 },
  ],
  [
    'a model',
    t4('m').build(),
    [],
    whole(1).models('NVIDIA-L20', 'NVIDIA-L40S').build(),
    { filter: 'card-model', resource: 'NVIDIA-L20, NVIDIA-L40S' },
  ],
  [
    'a toleration',
    t4('m').tainted('dedicated', 'finance').build(),
    [],
    whole(1).build(),
    { filter: 'taint', resource: 'dedicated=finance:NoSchedule', missing: 0 },
  ],
  [
    'two tolerations',
    t4('m').tainted('a').tainted('b', 'c', 'NoExecute').build(),
    [],
    whole(1).build(),
    { filter: 'taint', resource: 'a:NoSchedule, b=c:NoExecute' },
  ],
  [
    'admission to a pool',
    t4('m').inPool('red').build(),
    [],
    whole(1).build(),
    { filter: 'pool', resource: 'red of owner of red (reason of red)', missing: 0 },
  ],
  ['another pool', t4('m').build(), [], whole(1).onlyIn('red').build(), { filter: 'pool-asked', resource: 'red' }],
  [
    'a label',
    t4('m').labelled('zone', 'z1').build(),
    [],
    whole(1).nodeSelector('zone', 'z2').build(),
    { filter: 'selector', resource: 'zone=z2' },
  ],
  [
    'an expression',
    t4('m').build(),
    [],
    whole(1)
      .nodeTerm([exists('ssd')])
      .build(),
    { filter: 'selector', resource: 'ssd' },
  ],
  [
    'a cordon',
    t4('m').cordoned().tainted('node.kubernetes.io/unschedulable').build(),
    [],
    whole(1).build(),
    { filter: 'unschedulable' },
  ],
  [
    'a host port',
    t4('m').build(),
    [{ request: aRequest().hostPort(80).build() }],
    whole(1).hostPort(80).build(),
    { filter: 'host-port' },
  ],
  [
    'anti-affinity',
    t4('m').labelled('host', 'm').build(),
    [{ request: aRequest().build() }],
    whole(1)
      .awayFrom(podsWith('host', { key: 'app', operator: 'In', values: ['held'] }))
      .build(),
    { filter: 'pod-anti-affinity' },
  ],
  [
    'affinity',
    t4('m').labelled('host', 'm').build(),
    [],
    whole(1)
      .beside(podsWith('host', { key: 'app', operator: 'In', values: ['held'] }))
      .build(),
    { filter: 'pod-affinity' },
  ],
  [
    'a machine to itself',
    a100('m').build(),
    [{ request: aRequest().sliceMiB(1000).build(), ...ofTenant }],
    aRequest().sliceMiB(1000).isolated('machine').build(),
    { filter: 'tenant' },
  ],
];

describe('a remedy', () => {
  test.each(TABLE)('tells that only %s is in the way', (_, machine, held, request, want) => {
    const { remedies, machine: chosen } = explained(
      [machine],
      held.map((each) => ({ ...each, machine: 'm' })),
      request,
    );
    expect(chosen).toBeNull();
    expect(remedies).toEqual([{ ...remedies[0], machines: 1, opened: 1, nearest: 'm', ...want }]);
  });

  test('is not told model by model where it reads the same for all', () => {
    const machines = [t4('a').tainted('x').build(), a100('b').tainted('x').build()];
    const { remedies } = explained(machines, [], whole(1).build());
    expect(remedies.map(({ model, machines: count }) => [model, count])).toEqual([['', 2]]);
  });

  test('keeps the taints of a machine in trouble apart from those that can be tolerated', () => {
    const trouble = (id: string) => t4(id).tainted('node.kubernetes.io/unreachable', '', 'NoExecute');
    const { remedies } = explained([trouble('a').build(), trouble('b').tainted('x').build()], [], whole(1).build());
    expect(remedies).toMatchObject([
      { machines: 1, nearest: 'a', resource: 'node.kubernetes.io/unreachable:NoExecute' },
    ]);
  });

  test('takes the smallest amount, the machines it opens, and all that lack only that', () => {
    const machines = ['a', 'b', 'c'].map((id) => t4(id).build());
    const busy = (machine: string, cpuMilli: number) => ({ machine, request: aRequest().cpuMilli(cpuMilli).build() });
    const { remedies } = explained(
      machines,
      [busy('a', 62_000), busy('b', 60_000), busy('c', 60_000)],
      whole(2).cpuMilli(7000).build(),
    );
    expect(remedies).toEqual([
      {
        filter: 'cpu',
        resource: 'cpuMilli',
        machines: 3,
        missing: 3000,
        opened: 2,
        nearest: 'b',
        cardsFree: 2,
        model: 'Tesla-T4',
      },
    ]);
  });

  test('keeps models apart, and puts what opens most machines first', () => {
    const machines = [t4('a').build(), a100('b').build(), a100('c').build()];
    const held = machines.map(({ id }) => ({ machine: id, request: whole(1).build() }));
    const { remedies } = explained(machines, held, whole(2).build());
    expect(remedies.map(({ model, machines: count }) => [model, count])).toEqual([
      ['NVIDIA-A100-SXM4-80GB', 2],
      ['Tesla-T4', 1],
    ]);
  });

  test('does not count machines with two obstacles; the nearest of them is told when there is no other', () => {
    const machines = [t4('a').cordoned().tainted('x').build(), t4('b').tainted('y').build()];
    const held = [{ machine: 'b', request: whole(1).build() }];
    const { remedies, nearMiss } = explained(machines, held, whole(2).build());
    expect(remedies).toEqual([]);
    expect(nearMiss?.machine).toBe('a');
    expect(nearMiss?.obstacles.map(({ filter }) => filter)).toEqual(['unschedulable', 'taint']);
  });

  test('is not told where no amount of freeing would help, but what is beyond every machine is', () => {
    const { remedies, beyond, nearMiss } = explained(
      [t4('m', 8).build(), t4('n', 4).build()],
      [],
      whole(9).cpuMilli(65_000).build(),
    );
    expect([remedies, nearMiss]).toEqual([[], null]);
    expect(beyond).toEqual([
      { filter: 'cpu', resource: 'cpuMilli', missing: 1000, isBeyond: true },
      { filter: 'cards', resource: 'cards', missing: 1, isBeyond: true },
    ]);
  });

  test('to allow another model is none where that model is short as well', () => {
    const held = [{ machine: 'm', request: whole(2).build() }];
    expect(explained([t4('m').build()], held, whole(1).models('NVIDIA-L20').build()).remedies).toEqual([]);
  });
});
