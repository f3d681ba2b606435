import { dumpOf, hamiPart, hamiRegister, type Json, kubeList, kubeNode, kubePod } from '@springtide/testkit/kubectl';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { parseDump } from './read-dump.ts';

const GPU = 'nvidia.com/gpu';
const ALLOCATED = 'hami.io/vgpu-devices-allocated';
const TO_ALLOCATE = 'hami.io/vgpu-devices-to-allocate';

/** First of our own dumps: HAMi with a sidecar, percent, two vendors, pods listed before their nodes. */
describe('a HAMi machine whose pods come first in the list', () => {
  const request = { cpu: '1', [GPU]: '1', 'nvidia.com/gpumem-percentage': '25' };
  const sidecar = {
    name: 's',
    restartPolicy: 'Always',
    resources: { requests: { cpu: '500m', [GPU]: '1', 'nvidia.com/gpumem': '1000' } },
  };
  const app = { name: 'main', resources: { requests: { cpu: '2', [GPU]: '1', 'nvidia.com/gpumem': '4000' } } };
  const init = { name: 'i', resources: { requests: { cpu: '1', [GPU]: '1', 'nvidia.com/gpumem': '9000' } } };
  const dump = dumpOf([
    // The sidecar and the container share a card; the init container takes more of it before.
    kubePod('a/side', 'h0', {
      annotations: {
        [ALLOCATED]: `${hamiPart('GPU-h0-0', 9000, 50)};${hamiPart('GPU-h0-0', 1000, 10)};${hamiPart('GPU-h0-0', 4000, 20)};`,
      },
      spec: { initContainers: [init, sidecar], containers: [app] },
    }),
    kubePod('a/percent', 'h0', {
      requests: request,
      annotations: { [TO_ALLOCATE]: `${hamiPart('GPU-h0-1', 11517, 0)};`, 'hami.io/bind-phase': 'allocating' },
    }),
    kubePod('a/both', 'h0', {
      requests: request,
      annotations: { [ALLOCATED]: `${hamiPart('GPU-h0-1', 11517, 0)};`, [TO_ALLOCATE]: ';' },
    }),
    kubePod('a/waits', null, { requests: request, annotations: { [ALLOCATED]: `${hamiPart('GPU-h0-1', 11517, 0)};` } }),
    kubePod('a/stranger', 'h0', {
      requests: request,
      annotations: { [ALLOCATED]: `${hamiPart('GPU-other', 11517, 0)};` },
    }),
    kubePod('a/broken', 'h0', { requests: request, annotations: { [ALLOCATED]: 'GPU-h0-1,NVIDIA,many,0:;' } }),
    kubeNode('h0', {
      capacity: { [GPU]: '20' },
      annotations: { 'hami.io/node-nvidia-register': hamiRegister('h0', 2, 46068) },
    }),
  ]);

  test('has two cards with shares, not twenty', () => {
    const [machine] = dump.machines;
    expect(
      machine?.cards.map(({ id, memoryMiB, computeMilli, sharesMax, slicing, model }) => [
        id,
        memoryMiB,
        computeMilli,
        sharesMax,
        slicing,
        model,
      ]),
    ).toEqual([
      ['GPU-h0-0', 46068, 1000, 10, 'memory', 'NVIDIA-L20'],
      ['GPU-h0-1', 46068, 1000, 10, 'memory', 'NVIDIA-L20'],
    ]);
    expect(machine?.resources.size).toBe(0);
    expect(dump.cardGroups.get('h0')?.map(({ kind, healthy }) => [kind, healthy])).toEqual([['hami', 2]]);
  });

  test('holds what the annotations say', () => {
    const held = Object.fromEntries(
      dump.pods.map((item) => [
        item.pod.id,
        item.held?.map(({ cardId, memoryMiB, computeMilli }) => [cardId, memoryMiB, computeMilli]) ?? null,
      ]),
    );
    // HAMi's list has the sidecar among the init containers, so the first, larger one counts.
    expect(held).toEqual({
      'a/side': [['GPU-h0-0', 9000, 500]],
      'a/percent': [['GPU-h0-1', 11517, 0]],
      'a/both': [['GPU-h0-1', 11517, 0]],
      'a/waits': null,
      'a/stranger': null,
      'a/broken': null,
    });
  });

  test('names what cannot be followed', () => {
    expect(dump.problems).toEqual([
      { problem: 'unknown-card', pod: 'a/stranger', node: 'h0', card: 'GPU-other' },
      { problem: 'malformed', pod: 'a/broken', node: 'h0', annotation: ALLOCATED },
    ]);
  });
});

/** Second: MIG in the single strategy, time slicing without the label for replicas, MIG cut by HAMi. */
describe('machines whose units are no cards', () => {
  const product = 'NVIDIA-A100-SXM4-80GB-MIG-1g.10gb';
  const single = {
    'nvidia.com/gpu.product': product,
    'nvidia.com/gpu.memory': '9856',
    'nvidia.com/mig.strategy': 'single',
  };
  const shared = {
    'nvidia.com/gpu.product': 'Tesla-T4-SHARED',
    'nvidia.com/gpu.memory': '15360',
    'nvidia.com/gpu.count': '2',
  };
  const mig = JSON.stringify([
    {
      id: 'GPU-m',
      count: 7,
      devmem: 81920,
      devcore: 100,
      type: 'NVIDIA-NVIDIA A100-SXM4-80GB',
      mode: 'mig',
      health: true,
    },
  ]);
  const allocations = JSON.stringify([
    { containerIndex: 0, deviceIndex: 0, gpuUUID: 'GPU-m', profile: '1g.10gb', placement: { start: 6, size: 1 } },
    { containerIndex: 0, deviceIndex: 1, gpuUUID: 'GPU-m', profile: '3g.40gb', placement: { start: 0, size: 4 } },
  ]);
  const both = `${hamiPart('GPU-m', 9728, 13)}${hamiPart('GPU-m', 40192, 39)};`;
  const dump = dumpOf([
    kubeNode('single', { labels: single, capacity: { [GPU]: '14' }, allocatable: { [GPU]: '13' } }),
    kubeNode('shared', { labels: shared, capacity: { [GPU]: '8' } }),
    kubeNode('cut', { capacity: { [GPU]: '7' }, annotations: { 'hami.io/node-nvidia-register': mig } }),
    kubePod('a/s', 'single', { requests: { [GPU]: '3' } }),
    kubePod('a/t', 'shared', { requests: { [GPU]: '5' } }),
    kubePod('a/m', 'cut', {
      requests: { [GPU]: '2', 'nvidia.com/gpumem': '9000' },
      annotations: { [ALLOCATED]: both, 'hami.io/vgpu-mig-allocations': allocations },
    }),
  ]);

  test('single strategy: every unit is an instance', () => {
    const [machine] = dump.machines;
    expect(machine?.cards).toHaveLength(14);
    expect(machine?.cards[13]).toMatchObject({
      id: 'single/13',
      model: product,
      memoryMiB: 9856,
      computeMilli: 142,
      slicing: 'none',
      health: 'fault',
    });
    expect(dump.mig.get('single')).toEqual({
      strategy: 'single',
      physicalCards: 2,
      wholeCards: 0,
      cardsInMig: 2,
      wholeAllocated: 0,
      profiles: new Map([['nvidia.com/mig-1g.10gb', { total: 14, used: 3 }]]),
    });
  });

  test('time slicing: every unit is a share of a card', () => {
    const machine = dump.machines[1];
    expect(machine?.cards.map((card) => card.id)).toEqual(
      ['0:0', '0:1', '0:2', '0:3', '1:0', '1:1', '1:2', '1:3'].map((id) => `shared/${id}`),
    );
    expect(machine?.cards[0]).toMatchObject({ memoryMiB: 3840, computeMilli: 250, model: 'Tesla-T4-SHARED' });
    expect(dump.timeSliced.get('shared')).toEqual({ physicalCards: 2, sharesPerCard: 4, sharesUsed: 5 });
  });

  test('HAMi in MIG mode: instances are held where they lie', () => {
    expect(dump.machines[2]?.cards[0]).toMatchObject({ slicing: 'mig', model: 'NVIDIA-A100-SXM4-80GB' });
    const held = dump.pods.find((item) => item.pod.id === 'a/m')?.held;
    expect(held?.map(({ memoryMiB, computeMilli, migStart }) => [memoryMiB, computeMilli, migStart])).toEqual([
      [40960, 428, 0],
      [10240, 142, 6],
    ]);
  });

  test('nothing is overbooked', () => {
    expect(dump.problems).toEqual([]);
  });
});

/** Third: two vendors on one machine, fractions with KAI's own pod, everything there is to complain about. */
describe('an AMD and NVIDIA machine, and fractions', () => {
  const group = { 'runai-gpu-group': 'g0' };
  const dump = dumpOf([
    kubeNode('mixed', {
      labels: {
        'nvidia.com/gpu.product': 'NVIDIA-L20',
        'amd.com/gpu.product-name': 'AMD_Instinct_MI300X_OAM',
        'topology.kubernetes.io/rack': 'r1',
      },
      capacity: {
        [GPU]: '2',
        'amd.com/gpu': '4',
        'example.com/widget': '3',
        'rdma/hca': '8',
        'hugepages-2Mi': '1Gi',
        'ephemeral-storage': '9Gi',
      },
      allocatable: { 'amd.com/gpu': '3' },
      taints: [{ key: 'a', effect: 'NoExecute' }],
      unschedulable: true,
    }),
    kubeNode('bare'),
    kubeNode('dcu', { capacity: { 'hygon.com/dcunum': '8' } }),
    kubePod('a/amd', 'mixed', { requests: { 'amd.com/gpu': '4' } }),
    kubePod('a/half', 'mixed', { annotations: { 'gpu-fraction': '0.5' }, labels: group }),
    kubePod('a/more', 'mixed', { annotations: { 'gpu-memory': '30000' }, labels: group }),
    kubePod('kai-resource-reservation/r', 'mixed', { requests: { [GPU]: '1' }, labels: group }),
    kubePod('a/bad', 'mixed', { annotations: { 'gpu-fraction': 'half', 'springtide.io/isolation': 'rack' } }),
    kubePod('a/lost', 'gone', { requests: { [GPU]: '1' } }),
    kubePod('a/done', 'mixed', { requests: { [GPU]: '2' }, phase: 'Failed' }),
    kubePod('a/done', 'mixed', { requests: { [GPU]: '2' } }),
    kubePod('a/half', 'mixed', { requests: { [GPU]: '2' } }),
    kubePod('a/claims', null, { spec: { resourceClaims: [{ name: 'x' }], schedulingGates: [{ name: 'g' }] } }),
    kubeNode('bare', { capacity: { [GPU]: '8' } }),
    { apiVersion: 'v1', kind: 'ConfigMap' },
  ]);

  test('cards of both vendors are lines of one machine', () => {
    const [machine] = dump.machines;
    expect(machine?.cards.map(({ id, vendor, slicing, health }) => [id, vendor, slicing, health])).toEqual([
      ['mixed/0', 'nvidia', 'fraction', 'ok'],
      ['mixed/1', 'nvidia', 'fraction', 'ok'],
      ['mixed/2', 'amd', 'none', 'ok'],
      ['mixed/3', 'amd', 'none', 'ok'],
      ['mixed/4', 'amd', 'none', 'ok'],
      ['mixed/5', 'amd', 'none', 'fault'],
    ]);
    expect(machine).toMatchObject({ cordoned: true, podsMax: 110, cpuMilli: 64_000, location: { rack: 'r1' } });
    expect([...(machine?.resources.keys() ?? [])].toSorted()).toEqual([
      'ephemeral-storage',
      'example.com/widget',
      'hugepages-2Mi',
      'rdma/hca',
    ]);
    expect(dump.unknownResources).toEqual(new Map([['mixed', ['example.com/widget']]]));
  });

  test('the group shares one card, which its reservation does not hold again', () => {
    expect(dump.fractions.get('mixed')).toEqual(new Map([['g0', 1151]]));
    const reservation = dump.pods.find((item) => item.pod.namespace === 'kai-resource-reservation');
    expect(reservation?.pod.request.cards).toEqual({ kind: 'none' });
    expect(dump.pods.filter((item) => item.fractionGroups.length > 0).map((item) => item.pod.id)).toEqual([
      'a/half',
      'a/more',
    ]);
  });

  test('everything else is named', () => {
    expect(dump.problems.map((problem) => JSON.stringify(problem)).toSorted()).toEqual(
      [
        { problem: 'duplicate', pod: 'a/done' },
        { problem: 'duplicate', pod: 'a/half' },
        { problem: 'duplicate', node: 'bare' },
        { problem: 'malformed', pod: 'a/bad', annotation: 'gpu-fraction' },
        { problem: 'malformed', pod: 'a/bad', annotation: 'springtide.io/isolation' },
        { problem: 'overbooked', node: 'mixed', held: 4, healthy: 3, resource: 'amd.com/gpu' },
        { problem: 'overbooked', node: 'mixed', group: 'g0', held: 1151, healthy: 1000, unit: 'computeMilli' },
        { problem: 'unknown-node', pod: 'a/lost', node: 'gone' },
        { problem: 'unregistered', node: 'dcu', resource: 'hygon.com/dcunum' },
      ]
        .map((problem) => JSON.stringify(problem))
        .toSorted(),
    );
    expect(dump.otherKinds).toEqual(new Map([['ConfigMap', 1]]));
    expect(dump.machines.map((machine) => machine.id)).toEqual(['mixed', 'bare', 'dcu']);
    expect(dump.finishedPods).toBe(1);
  });

  test('pods that ask by claims, or may not be placed yet, are marked', () => {
    const marked = dump.pods.filter((item) => item.hasClaims && item.isGated);
    expect(marked.map((item) => item.pod.id)).toEqual(['a/claims']);
  });
});

describe('ways to hand a dump over', () => {
  const items = [kubeNode('n', { capacity: { [GPU]: '1' } }), kubePod('a/b', 'n', { requests: { [GPU]: '1' } })];
  const want = dumpOf(items);

  test('the kinds may stand on the lists alone, as the API server answers', () => {
    const [node, pod] = items.map(({ kind: _kind, ...rest }) => rest);
    const nodes = JSON.stringify({ kind: 'NodeList', items: [node] });
    const pods = JSON.stringify({ kind: 'PodList', items: [pod] });
    expect(parseDump([['-', Buffer.from(nodes + pods)]])).toEqual({ ok: true, value: want });
  });

  test('nodes and pods may be in files of their own', () => {
    const [nodes, pods] = items.map((item) => Buffer.from(kubeList([item])));
    expect(
      parseDump([
        ['n', nodes ?? Buffer.of()],
        ['p', pods ?? Buffer.of()],
      ]),
    ).toEqual({ ok: true, value: want });
  });

  test('a dump without pods says so', () => {
    expect(dumpOf([kubeNode('n')]).problems).toEqual([{ problem: 'no-pods' }]);
  });

  test('a card id that two machines use is told apart by the machine', () => {
    const register = (node: string): Json =>
      kubeNode(node, {
        capacity: { [GPU]: '10' },
        annotations: { 'hami.io/node-nvidia-register': hamiRegister('same', 1, 1000) },
      });
    const pod = kubePod('a/b', 'n2', { annotations: { [ALLOCATED]: `${hamiPart('GPU-same-0', 10, 1)};` } });
    const dump = dumpOf([register('n1'), register('n2'), pod]);
    expect(dump.machines.flatMap((machine) => machine.cards.map((card) => card.id))).toEqual([
      'GPU-same-0',
      'n2/GPU-same-0',
    ]);
    expect(dump.pods[0]?.held?.map((slice) => slice.cardId)).toEqual(['n2/GPU-same-0']);
    expect(dump.cardGroups.get('n2')?.[0]?.cardIds).toEqual(['n2/GPU-same-0']);
  });

  test('options choose racks, tenants and the name of the cluster', () => {
    const node = kubeNode('n', { labels: { 'my/rack': 'r9' } });
    const dump = dumpOf([node, kubePod('a/b', 'n', { labels: { team: 'blue' } })], {
      rackLabels: ['my/rack'],
      tenantLabel: 'team',
      cluster: 'east',
    });
    expect(dump.machines[0]?.location).toMatchObject({ rack: 'r9', cluster: 'east' });
    expect(dump.pods[0]?.pod.tenant).toBe('blue');
  });

  test('values of environment variables are not in what is kept', () => {
    const env = [{ name: 'PASSWORD', value: 'hunter2' }];
    const dump = dumpOf([kubeNode('n'), kubePod('a/b', 'n', { spec: { containers: [{ name: 'm', env }] } })]);
    expect(JSON.stringify(dump, (_, value) => (value instanceof Map ? [...value] : value))).not.toContain('hunter2');
  });

  test('gzip is recognised by what is inside', () => {
    expect(gzipSync(kubeList(items)).subarray(0, 2)).toEqual(Buffer.of(0x1f, 0x8b));
  });
});
