import { dumpOf, hamiPart, hamiRegister, kubeNode, kubePod, type Json } from '@springtide/testkit/kubectl';
import { describe, expect, test } from 'vitest';
import { clusterOf } from '../../cluster/index.ts';
import { inspect, type Inspection } from './inspection.ts';
import { inspectionJson } from './json.ts';
import { mainReason } from './main-reason.ts';
import { inspectionReport } from './report.ts';
import { inspectionText } from './text.ts';

function inspected(items: readonly Json[]): Inspection {
  return inspect(clusterOf(dumpOf(items), 'tide'));
}

/** As a reader of `--json` gets it. */
function json(found: Inspection): Record<string, unknown> {
  return JSON.parse(JSON.stringify(inspectionJson(found))) as Record<string, unknown>;
}

const product = (name: string) => ({ labels: { 'nvidia.com/gpu.product': name } });
const cards = (count: number, cpu = '1') => ({ requests: { cpu, memory: '1Gi', 'nvidia.com/gpu': String(count) } });

/** Two resources on one cluster, a sick card, a cordon, a stranger, a double, an overbooked machine. */
const MIXED = [
  kubeNode('a', {
    ...product('Tesla-T4'),
    capacity: { 'nvidia.com/gpu': '4' },
    allocatable: { 'nvidia.com/gpu': '3' },
  }),
  kubeNode('b', { ...product('Tesla-T4'), capacity: { 'nvidia.com/gpu': '4' }, unschedulable: true }),
  kubeNode('c', { capacity: { 'hygon.com/dcu': '16' }, labels: { 'hygon.com/dcu.product': 'K100_AI' } }),
  kubeNode('d', { capacity: { 'example.com/tpu': '4' } }),
  kubeNode('d'),
  kubePod('t/one', 'a', cards(1)),
  kubePod('t/two', 'a', cards(2)),
  kubePod('t/three', 'a', cards(1)),
  kubePod('t/done', 'a', { ...cards(4), phase: 'Succeeded' }),
  kubePod('t/dcu', 'c', { requests: { 'hygon.com/dcu': '5' } }),
  kubePod('t/lost', 'gone', cards(1)),
  kubePod('t/one', 'b', cards(1)),
  kubePod('t/wait', null, cards(1)),
];

/** HAMi cards, and one machine whose annotation is cut. */
const SLICED = [
  kubeNode('h', {
    ...product('NVIDIA-L20'),
    capacity: { 'nvidia.com/gpu': '20' },
    annotations: { 'hami.io/node-nvidia-register': hamiRegister('h', 2, 46_068) },
  }),
  kubeNode('m', { capacity: { 'nvidia.com/gpu': '20' }, annotations: { 'hami.io/node-nvidia-register': '[{"id":' } }),
  kubePod('s/one', 'h', {
    requests: { 'nvidia.com/gpu': '1', 'nvidia.com/gpumem': '40000' },
    annotations: { 'hami.io/vgpu-devices-allocated': `${hamiPart('GPU-h-1', 40_000, 30)};` },
  }),
  kubePod('s/two', 'h', {
    requests: { 'nvidia.com/gpu': '1', 'nvidia.com/gpumem': '4000' },
    annotations: { 'hami.io/vgpu-devices-allocated': `${hamiPart('GPU-h-1', 4000, 10)};` },
  }),
];

/** MIG under the single strategy, and cards shared by time. */
const CUT = [
  kubeNode('g', {
    labels: { 'nvidia.com/gpu.product': 'NVIDIA-A100-SXM4-80GB-MIG-3g.40gb', 'nvidia.com/mig.strategy': 'single' },
    capacity: { 'nvidia.com/gpu': '4' },
  }),
  kubeNode('x', {
    labels: { 'nvidia.com/gpu.product': 'Tesla-T4-SHARED', 'nvidia.com/gpu.replicas': '4' },
    capacity: { 'nvidia.com/gpu': '8' },
  }),
  kubePod('u/one', 'g', cards(1)),
  kubePod('u/two', 'x', cards(3)),
];

describe('a cluster counted by hand', () => {
  test('with two vendors, a sick card, a cordon and an overbooked machine', () => {
    const got = json(inspected(MIXED));
    expect(got).toMatchObject({
      cluster: { machines: 4, machinesWithCards: 3, pods: 5, waitingPods: 1, finishedPods: 1 },
      models: {
        'nvidia.com/gpu Tesla-T4': {
          machines: 2,
          cards: 8,
          allocatedWhole: 4,
          inSlices: 0,
          unhealthy: 1,
          idle: 0,
          idleOnUnusableMachines: 4,
          emptyMachines: 0,
        },
        'hygon.com/dcu K100_AI': {
          machines: 1,
          cards: 16,
          allocatedWhole: 5,
          unhealthy: 0,
          idle: 11,
          emptyMachines: 0,
        },
      },
      machines: {
        a: { cards: 4, healthy: 3, allocatedWhole: 4, idle: 0, usable: true },
        b: { cards: 4, allocatedWhole: 0, idle: 4, usable: false },
        c: { cards: 16, allocatedWhole: 5, idle: 11 },
      },
      unknownResources: { d: ['example.com/tpu'] },
    });
    expect(got['problems']).toEqual(
      expect.arrayContaining([
        { problem: 'overbooked', node: 'a', held: 4, healthy: 3 },
        { problem: 'duplicate', node: 'd' },
        { problem: 'duplicate', pod: 't/one' },
        { problem: 'unknown-node', pod: 't/lost', node: 'gone' },
      ]),
    );
    expect((got['problems'] as unknown[]).length).toBe(4);
    expect((got['pictures'] as { text: string }[]).map(({ text }) => text)).toEqual([
      'a T4x4 [b c d x] +1!',
      'b T4x4 [. . . .]',
      'c K100x16 [a a a a a . . . . . . . . . . .]',
    ]);
  });

  test('with HAMi cards and an annotation that is cut', () => {
    expect(json(inspected(SLICED))).toMatchObject({
      models: {},
      machines: {},
      hamiCards: {
        h: {
          'GPU-h-0': { memoryMiB: 46_068, cores: 100, shares: 10, healthy: true, usedMiB: 0, usedCores: 0, pods: [] },
          'GPU-h-1': { usedMiB: 44_000, usedCores: 40, pods: ['one', 'two'] },
        },
      },
      problems: [{ problem: 'malformed', node: 'm', annotation: 'hami.io/node-nvidia-register' }],
      leftovers: { 'nvidia.com/gpu NVIDIA-L20': { cards: 1, freeMiB: 2068, unusableMiB: 2068, unusableCards: 1 } },
      pictures: [{ machine: 'h', text: 'h L20x2 [. (ab:96)]' }],
    });
  });

  test('with MIG in single strategy and cards shared by time', () => {
    expect(json(inspected(CUT))).toMatchObject({
      models: {},
      mig: {
        g: {
          strategy: 'single',
          physicalCards: 2,
          cardsInMig: 2,
          profiles: { 'nvidia.com/mig-3g.40gb': { total: 4, used: 1 } },
        },
      },
      timeSliced: { x: { physicalCards: 2, sharesPerCard: 4, sharesUsed: 3 } },
      fragmentation: { idle: 0 },
      pictures: [
        { machine: 'g', text: 'g A100-3g.40gbx4 [b . . .]' },
        { machine: 'x', text: 'x T4/4x8 [a a a . . . . .]' },
      ],
    });
  });
});

describe('what is told of a cluster', () => {
  const found = inspected(MIXED);

  test('is in the language asked for, with units', () => {
    const english = inspectionText(found, 'en');
    expect(english).toContain('4 machines, 3 with cards; 5 pods, 1 waiting.');
    expect(english).toContain('a: pods hold 4 cards, 3 are healthy');
    expect(english).toContain('a T4x4 [b c d x] +1!');
    const chinese = inspectionText(found, 'zh');
    expect(chinese).toContain('4 台机器，3 台有卡；5 个 Pod，1 个在等待。');
    expect(chinese).toContain('a：Pod 占用 4 张卡，健康的只有 3 张');
    expect(`${english}${chinese}`).not.toMatch(/\{|undefined|NaN/);
    expect(english).not.toMatch(/ +$/m);
  });

  test('is the same in whatever order the objects come', () => {
    const backwards = [
      ...MIXED.slice(4, 5),
      ...MIXED.slice(0, 4),
      ...MIXED.slice(5, 11).toReversed(),
      ...MIXED.slice(11),
    ];
    const [left, right] = [json(inspected(MIXED)), json(inspected(backwards))];
    for (const key of ['models', 'machines', 'fragmentation', 'pictures', 'emptiable', 'waiting', 'largestGang']) {
      expect(right[key], key).toEqual(left[key]);
    }
  });

  test('has no values of environment variables in it', () => {
    const secret = 'hunter2-in-the-environment';
    const env = [{ name: 'TOKEN', value: secret }];
    const container = { name: 'main', image: 'app:1', env, resources: { requests: { 'nvidia.com/gpu': '9' } } };
    const withSecret = [...MIXED, kubePod('t/secret', null, { spec: { containers: [container] } })];
    const told = inspected(withSecret);
    const all = [JSON.stringify(inspectionJson(told)), inspectionText(told, 'en'), inspectionText(told, 'zh')].join(
      '\n',
    );
    expect(all).toContain('t/secret');
    expect(all).not.toContain(secret);
    expect(all).not.toContain('TOKEN');
  });
});

describe('why pods wait', () => {
  const node = kubeNode('n', { ...product('Tesla-T4'), capacity: { 'nvidia.com/gpu': '4' } });
  const reason = (...pods: readonly Json[]): unknown => {
    const { groups } = inspected([node, ...pods]).waiting;
    return groups.map((group) => [group.pods.length, mainReason(group)]);
  };

  test.each([
    ['fits', kubePod('w/a', null, cards(1))],
    ['beyond', kubePod('w/a', null, cards(5))],
    ['gated', kubePod('w/a', null, { ...cards(1), spec: { schedulingGates: [{ name: 'x/y' }] } })],
    [
      'selector',
      kubePod('w/a', null, {
        ...cards(1),
        spec: {
          containers: [{ name: 'c', resources: { requests: { 'nvidia.com/gpu': '1' } } }],
          nodeSelector: { zone: 'z' },
        },
      }),
    ],
  ])('%s', (want, pod) => {
    expect(reason(pod)).toEqual([[1, want]]);
  });

  test('pods of one workload that no filter can tell apart are one group, the largest first', () => {
    const replica = (id: string): Json =>
      kubePod(`w/${id}`, null, {
        ...cards(9),
        labels: { 'pod-template-hash': 'x1' },
        owner: { kind: 'ReplicaSet', name: 'web-x1' },
      });
    expect(reason(kubePod('w/a', null, cards(9)), replica('web-x1-a'), replica('web-x1-b'))).toEqual([
      [2, 'beyond'],
      [1, 'beyond'],
    ]);
  });
});

describe('P3: cards that are oversubscribed', () => {
  const labels = { 'springtide.io/shared-memory-percent': '150', 'springtide.io/shared-compute-percent': '400' };
  const node = kubeNode('h', {
    labels: { 'nvidia.com/gpu.product': 'NVIDIA-L20', ...labels },
    capacity: { 'nvidia.com/gpu': '20' },
    annotations: { 'hami.io/node-nvidia-register': hamiRegister('h', 2, 40_000) },
  });
  const pod = (name: string, memoryMiB: number, cores: number, priority: string): Json =>
    kubePod(`s/${name}`, 'h', {
      requests: {
        'nvidia.com/gpu': '1',
        'nvidia.com/gpumem': String(memoryMiB),
        'nvidia.com/gpucores': String(cores),
        'nvidia.com/priority': priority,
      },
      annotations: { 'hami.io/vgpu-devices-allocated': `${hamiPart('GPU-h-1', memoryMiB, cores)};` },
    });
  const found = inspected([
    node,
    pod('one', 20_000, 60, '0'),
    pod('two', 20_000, 100, '1'),
    pod('three', 10_000, 80, '1'),
  ]);

  test('are in the JSON with their bound, what is promised, and nothing measured', () => {
    const promised = { memoryMiB: 0, computeMilli: 0 };
    const card = {
      memoryMiB: 40_000,
      computeMilli: 1000,
      memoryBoundMiB: 60_000,
      computeBoundMilli: 4000,
      measured: null,
    };
    expect(json(found).sharedCards).toEqual({
      h: {
        'GPU-h-0': { ...card, pods: [], guaranteed: promised, shared: promised },
        'GPU-h-1': {
          ...card,
          pods: ['s/three', 's/two'],
          guaranteed: { memoryMiB: 20_000, computeMilli: 600 },
          shared: { memoryMiB: 30_000, computeMilli: 1800 },
        },
      },
    });
  });

  test('are told in both languages, in the report too, with what is not measured', () => {
    expect(inspectionText(found, 'en')).toMatchInlineSnapshot(`
      "1 machine, 1 with cards; 3 pods, 0 waiting.
      1 of 2 cards are given out, whole or in parts (50.0 %). 1 are idle, 0 of them of no use to any common request.

      Cards cut by HAMi
        model  machines  cards  cards held  memory held  compute held
                                     cards     % of all      % of all
        L20           1      2           1         62.5         120.0

      Oversubscribed cards
        2 cards may be oversubscribed; shared pods hold a part of 1.
        card       shared pods  guaranteed memory  shared memory  bound on both  guaranteed compute  shared compute  bound on shared
                                    % of the card  % of the card  % of the card       % of the card   % of the card    % of the card
        h/GPU-h-1            2               50.0           75.0          150.0                60.0           180.0            400.0
        What is promised, that is, the sum of what pods ask. What they use is not measured: the cluster does not tell it. Guaranteed pods are always within the card itself.

      Idle cards of no use
        Every idle card is of use to some common request.
        A pod drawn from the mix can, on average, not use 0.0 of the idle cards (0.0 %).
        Common requests are those of the pods in the dump, running and waiting, the most frequent first, until 95 % of the pods with cards are covered. A card is of use when one of them, repeated on that machine until it is full, would take it.

      What common requests could still get
        pods seen  of use  request
             pods   cards
                1       1  1 × nvidia.com/gpu, of each 20,000 MiB, 60 % of its compute
                1       1  1 × nvidia.com/gpu, of each 10,000 MiB, 80 % of its compute, yielding to others
                1       1  1 × nvidia.com/gpu, of each 20,000 MiB, 100 % of its compute, yielding to others
        If only this request came: how many of the idle cards it would take, and why not the others.

      Left over on cards held in parts
        model  cards  free memory  of no use  free compute    of no use  cards of no use
                                               % of a card  % of a card            cards
        L20        1        0 MiB      0 MiB          40 %         40 %                1
        What no common request that takes part of a card could use.

      Largest gang that would start now
        model  on one machine  pods of 1 card  pods of 2 cards  CPU and memory a card
                        cards            pods             pods
        L20                 1               1                0  –
        Whole cards on usable machines, whatever their taints. Each card comes with the median CPU and memory of the pods that hold this model.

      Machines that could be emptied
        No machine could be emptied: its pods with cards would not fit on the others.

      Waiting pods
        No pod waits.

      Machines
        . idle   x unhealthy   letter: held whole   (ab:60) held in parts, 60 % given out   ! held and unhealthy   +1! held beyond the cards there are   # any other workload
        a s/one (1 card)
        b s/three (1 card)
        c s/two (1 card)

        h L20x2 [. (abc:125)]
        Where no plug-in names the card of a pod, its place is a guess.

      Problems
        None found.
      "
    `);
    expect(inspectionText(found, 'zh')).toContain('2 张卡可以超卖，其中 1 张上有共享 Pod。');
    expect(inspectionReport(found, 'en')).toContain('What they use is not measured');
  });

  test('are not told of where nothing is oversubscribed', () => {
    expect(json(inspected(SLICED)).sharedCards).toEqual({});
    expect(inspectionText(inspected(SLICED), 'en')).not.toContain('Oversubscribed');
  });
});
