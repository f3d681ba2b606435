import type { Card, Machine } from '@springtide/core/model';

/** Machines of one kind of the fleet that issue 3, item 4 fixes. */
interface Batch {
  readonly machines: number;
  readonly cards: number;
  readonly memoryMiB: number;
  readonly cores: number;
}

const BATCHES: readonly Batch[] = [
  { machines: 40, cards: 8, memoryMiB: 24_576, cores: 96 },
  { machines: 40, cards: 4, memoryMiB: 46_068, cores: 64 },
  { machines: 30, cards: 8, memoryMiB: 81_920, cores: 128 },
];

export const RESOURCE = 'nvidia.com/gpu';

function cardOf(machine: string, index: number, memoryMiB: number): Card {
  return {
    id: `${machine}/${index}`,
    vendor: 'nvidia',
    resource: RESOURCE,
    model: `card-${memoryMiB}`,
    memoryMiB,
    computeMilli: 1000,
    sharesMax: null,
    slicing: 'memory',
    island: 0,
    health: 'ok',
  };
}

/** 110 machines with 720 cards of three sizes. Host memory never binds. */
export function slicesFleet(): Machine[] {
  return BATCHES.flatMap(({ machines, cards, memoryMiB, cores }, batch) =>
    Array.from({ length: machines }, (_, index): Machine => {
      const id = `m${batch}-${String(index).padStart(2, '0')}`;
      return {
        id,
        location: { region: '', zone: '', rack: '', cluster: 'slices' },
        cpuMilli: cores * 1000,
        memoryBytes: 2 ** 41,
        podsMax: 1000,
        resources: new Map(),
        labels: new Map(),
        taints: [],
        cordoned: false,
        cards: Array.from({ length: cards }, (_card, at) => cardOf(id, at, memoryMiB)),
      };
    }),
  );
}
