import { dumpOf, hamiPart, hamiRegister, type Json, kubeNode, kubePod } from '@springtide/testkit/kubectl';
import { describe, expect, test } from 'vitest';

const GPU = 'nvidia.com/gpu';
const ALLOCATED = 'hami.io/vgpu-devices-allocated';

test('a node that does not tell how many pods it takes is given none, as by kube-scheduler', () => {
  const node = kubeNode('n');
  const resources = { cpu: '8', memory: '8Gi' };
  const [machine] = dumpOf([{ ...node, status: { capacity: resources, allocatable: resources } }]).machines;
  expect(machine?.podsMax).toBe(0);
});

describe('cards that come and go', () => {
  test('a zero that a plug-in left behind is no card, and what pods hold of it is named', () => {
    const dump = dumpOf([
      kubeNode('n', { capacity: { [GPU]: '0' } }),
      kubePod('a/b', 'n', { requests: { [GPU]: '2' } }),
    ]);
    expect(dump.cardGroups.size).toBe(0);
    expect(dump.problems).toEqual([{ problem: 'overbooked', node: 'n', held: 2, healthy: 0, resource: GPU }]);
  });

  test('renamed shares of time slicing are found beside the zero of the old name', () => {
    const labels = { 'nvidia.com/gpu.product': 'Tesla-T4', 'nvidia.com/gpu.replicas': '3' };
    const node = kubeNode('n', { labels, capacity: { [GPU]: '0', 'nvidia.com/gpu.shared': '6' } });
    const dump = dumpOf([node, kubePod('a/b', 'n', { requests: { 'nvidia.com/gpu.shared': '1' } })]);
    expect(dump.timeSliced.get('n')).toEqual({ physicalCards: 2, sharesPerCard: 3, sharesUsed: 1 });
    expect(dump.machines[0]?.cards).toHaveLength(6);
  });

  test('a machine whose cards are all cut into instances has a MIG section and no whole card', () => {
    const labels = { 'nvidia.com/gpu.product': 'NVIDIA-A100-SXM4-40GB', 'nvidia.com/mig.strategy': 'mixed' };
    const node = kubeNode('n', {
      labels,
      capacity: { [GPU]: '0', 'nvidia.com/mig-1g.5gb': '8', 'nvidia.com/mig-3g.20gb': '1' },
    });
    // Two cards: 3g and four 1g on one, four 1g on the other.
    expect(dumpOf([node]).mig.get('n')).toMatchObject({ physicalCards: 2, wholeCards: 0, cardsInMig: 2 });
    expect(dumpOf([node]).machines[0]?.resources.get('nvidia.com/mig-1g.5gb')).toBe(8);
  });

  test('many shares of few registered cards are not many cards', () => {
    const annotations = { 'hami.io/node-nvidia-register': hamiRegister('n', 8, 46068) };
    const dump = dumpOf([kubeNode('n', { annotations, capacity: { [GPU]: '8000' } })]);
    expect(dump.machines[0]?.cards).toHaveLength(8);
  });

  test('a plug-in that died leaves cards that take no new work', () => {
    const annotations = { 'hami.io/node-nvidia-register': hamiRegister('n', 1, 46068), 'hami.io/device-cordon': '' };
    const dead = dumpOf([kubeNode('n', { annotations, capacity: { [GPU]: '10' }, allocatable: { [GPU]: '0' } })]);
    expect(dead.machines[0]?.cards.map((card) => card.health)).toEqual(['unknown']);
    const cordoned = { ...annotations, 'hami.io/device-cordon': 'GPU-n-0' };
    const alive = dumpOf([kubeNode('n', { annotations: cordoned, capacity: { [GPU]: '10' } })]);
    expect(alive.machines[0]?.cards.map((card) => card.health)).toEqual(['unknown']);
  });

  test('Ascend cards are cut by template, and a template brings its cores', () => {
    const register = JSON.stringify([
      { id: 'NPU-0', count: 4, devmem: 32768, devcore: 20, type: 'Ascend910B4', health: true },
    ]);
    const node = kubeNode('n', {
      capacity: { 'huawei.com/Ascend910B4': '4' },
      annotations: { 'hami.io/node-register-Ascend910B4': register },
    });
    const pod = kubePod('a/b', 'n', {
      requests: { 'huawei.com/Ascend910B4': '1', 'huawei.com/Ascend910B4-memory': '8192' },
      annotations: { 'hami.io/Ascend910B4-devices-allocated': 'NPU-0,Ascend910B4,8192,0:;' },
    });
    const dump = dumpOf([node, pod]);
    expect(dump.machines[0]?.cards[0]).toMatchObject({ slicing: 'template', memoryMiB: 32768, computeMilli: 1000 });
    expect(dump.pods[0]?.held).toEqual([{ cardId: 'NPU-0', memoryMiB: 8192, computeMilli: 250, migStart: null }]);
  });

  test('HAMi names whole cards by their position', () => {
    const node = kubeNode('n', { capacity: { 'kunlunxin.com/xpu': '4' } });
    const annotations = { 'hami.io/kunlun-allocated': 'n-kunlun-0,kunlun,98304,100:n-kunlun-3,kunlun,98304,100:;' };
    const pod = kubePod('a/b', 'n', { requests: { 'kunlunxin.com/xpu': '2' }, annotations });
    expect(dumpOf([node, pod]).pods[0]?.held?.map((slice) => slice.cardId)).toEqual(['n/0', 'n/3']);
  });

  test('a card that is cut too often is named with what exceeds it', () => {
    const annotations = { 'hami.io/node-nvidia-register': hamiRegister('n', 1, 1000) };
    const part = (name: string): Json =>
      kubePod(name, 'n', { annotations: { [ALLOCATED]: `${hamiPart('GPU-n-0', 600, 60)};` } });
    const node = kubeNode('n', { annotations, capacity: { [GPU]: '10' } });
    expect(dumpOf([node, part('a/b'), part('a/c')]).problems).toEqual([
      { problem: 'overbooked', node: 'n', card: 'GPU-n-0', held: 1200, healthy: 1000, unit: 'MiB' },
      { problem: 'overbooked', node: 'n', card: 'GPU-n-0', held: 1200, healthy: 1000, unit: 'computeMilli' },
    ]);
  });

  test('CPU beyond what is allocatable is no problem of cards, and is told apart', () => {
    const dump = dumpOf([kubeNode('n', { capacity: { cpu: '4' } }), kubePod('a/b', 'n', { requests: { cpu: '5' } })]);
    expect(dump.problems).toEqual([]);
    expect(dump.overcommitted).toEqual([
      { problem: 'overbooked', node: 'n', resource: 'cpu', held: 5000, healthy: 4000 },
    ]);
  });
});
