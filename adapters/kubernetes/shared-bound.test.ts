import { dumpOf, hamiPart, hamiRegister, kubeNode, kubePod, type Json } from '@springtide/testkit/kubectl';
import { describe, expect, test } from 'vitest';
import { SHARED_COMPUTE, SHARED_MEMORY } from './shared-bound.ts';

const MIB = 80_000;

function hamiNode(labels: Readonly<Record<string, string>>): Json {
  return kubeNode('n', {
    labels,
    capacity: { 'nvidia.com/gpu': '10' },
    annotations: { 'hami.io/node-nvidia-register': hamiRegister('n', 1, MIB) },
  });
}

function bounds(labels: Readonly<Record<string, string>>): unknown {
  return dumpOf([hamiNode(labels)]).machines[0]?.cards.map(({ shared }) => shared);
}

/** A pod that holds so much of the card; shared where it has a priority that yields. */
function holder(name: string, memoryMiB: number, cores: number, priority: string): Json {
  return kubePod(`t/${name}`, 'n', {
    requests: {
      'nvidia.com/gpu': '1',
      'nvidia.com/gpumem': String(memoryMiB),
      'nvidia.com/gpucores': String(cores),
      'nvidia.com/priority': priority,
    },
    annotations: { 'hami.io/vgpu-devices-allocated': `${hamiPart('GPU-n-0', memoryMiB, cores)};` },
  });
}

describe('P3: the bound of shared cards', () => {
  test('is off until a label of the node says otherwise', () => {
    expect(bounds({})).toEqual([undefined]);
    expect(bounds({ [SHARED_MEMORY]: '100', [SHARED_COMPUTE]: '100' })).toEqual([undefined]);
  });

  test('is a percentage of each card, of memory and of compute apart', () => {
    expect(bounds({ [SHARED_MEMORY]: '150' })).toEqual([{ memoryMiB: 120_000, computeMilli: 1000 }]);
    expect(bounds({ [SHARED_COMPUTE]: '400' })).toEqual([{ memoryMiB: MIB, computeMilli: 4000 }]);
  });

  test('is not there for cards that are not cut, or whose plug-in knows no priority', () => {
    const labels = { [SHARED_MEMORY]: '150', [SHARED_COMPUTE]: '400' };
    const others = [
      kubeNode('w', { labels, capacity: { 'nvidia.com/gpu': '2' } }),
      kubeNode('d', {
        labels,
        capacity: { 'hygon.com/dcunum': '4' },
        annotations: { 'hami.io/node-dcu-register': 'DCU-1,4,65536,60,DCU-Z100,0,true:' },
      }),
    ];
    const cards = dumpOf(others).machines.flatMap((machine) => machine.cards);
    expect(cards).toHaveLength(3);
    expect(cards.filter(({ shared }) => shared !== undefined)).toEqual([]);
  });

  test.each([
    [SHARED_MEMORY, '99', 200],
    [SHARED_MEMORY, '201', 200],
    [SHARED_MEMORY, '1.5', 200],
    [SHARED_COMPUTE, '1001', 1000],
    [SHARED_COMPUTE, 'yes', 1000],
    [SHARED_COMPUTE, '', 1000],
  ])('is told and not set where %s is %j', (label, value, most) => {
    const dump = dumpOf([hamiNode({ [label]: value }), kubePod('t/p', null)]);
    expect(dump.machines[0]?.cards[0]?.shared).toBeUndefined();
    expect(dump.problems).toEqual([{ problem: 'bad-label', node: 'n', label, value, most }]);
  });
});

describe('P3: a card is cut too often', () => {
  const labels = { [SHARED_MEMORY]: '150', [SHARED_COMPUTE]: '200' };
  const problems = (...pods: readonly Json[]): unknown => dumpOf([hamiNode(labels), ...pods]).problems;

  test('beyond the bound of shared pods, and not before', () => {
    const within = [holder('a', 60_000, 90, '0'), holder('b', 59_999, 100, '1'), holder('c', 1, 100, '1')];
    expect(problems(...within)).toEqual([]);
    expect(problems(...within, holder('d', 1, 1, '1'))).toEqual([
      { problem: 'overbooked', node: 'n', card: 'GPU-n-0', held: 120_001, healthy: 120_000, unit: 'MiB' },
      { problem: 'overbooked', node: 'n', card: 'GPU-n-0', held: 2010, healthy: 2000, unit: 'computeMilli' },
    ]);
  });

  test('beyond the card itself where the holders are guaranteed', () => {
    expect(problems(holder('a', 50_000, 60, '0'), holder('b', 50_000, 60, '0'))).toEqual([
      { problem: 'overbooked', node: 'n', card: 'GPU-n-0', held: 100_000, healthy: MIB, unit: 'MiB' },
      { problem: 'overbooked', node: 'n', card: 'GPU-n-0', held: 1200, healthy: 1000, unit: 'computeMilli' },
    ]);
  });
});
