import { EMPTY_REQUEST, type Card, type Machine, type Pod, type Request } from '@springtide/core/model';
import { Placer, POLICIES } from '@springtide/core/placement';
import { Book } from '@springtide/core/state';
import { describe, expect, test } from 'vitest';
import { mulberry32 } from '@springtide/core/base';
import { remainderOf } from './index.ts';

function machine(id: string, cpuMilli: number, memoryMiB = 0): Machine {
  const cards = Array.from(
    { length: 4 },
    (_, i): Card => ({
      id: `${id}/${i}`,
      vendor: 'nvidia',
      resource: 'nvidia.com/gpu',
      model: 'T4',
      memoryMiB,
      computeMilli: 1000,
      sharesMax: null,
      slicing: 'memory',
      island: i,
      health: 'ok',
    }),
  );
  return {
    id,
    location: { region: '', zone: '', rack: '', cluster: '' },
    cpuMilli,
    memoryBytes: 2 ** 40,
    podsMax: 100,
    resources: new Map(),
    labels: new Map(),
    taints: [],
    cordoned: false,
    cards,
  };
}

function place(book: Book, requests: readonly Partial<Request>[]): void {
  const policy = POLICIES['best-fit']({ book, chance: mulberry32(1) });
  const placer = new Placer({ book, policy });
  requests.forEach((request, i) => {
    const pod: Pod = {
      id: `p${i}`,
      namespace: '',
      labels: new Map(),
      service: '',
      serviceReplicas: 0,
      tenant: '',
      priority: 0,
      request: { ...EMPTY_REQUEST, ...request },
    };
    if (!placer.place(pod).ok) throw new Error(`pod ${pod.id} does not fit`);
  });
}

const ofT4 = { resource: 'nvidia.com/gpu', count: 1, models: null };

describe('the remainder', () => {
  test('is told apart: left-overs, short of CPU, scattered, on idle machines', () => {
    const book = new Book([machine('a', 20_000), machine('b', 20_000)]);
    const cards = { kind: 'slice', ...ofT4, memory: { unit: 'none' }, computeMilli: 300 } as const;
    place(book, [{ cpuMilli: 11_000, cards }]);
    // Machine a has 9 cores left for three free cards; a whole card usually takes 8.
    expect(remainderOf(book, 8000)).toEqual([
      {
        model: 'T4',
        capacityMilli: 8000,
        allocatedMilli: 300,
        scrapsMilli: 700,
        cpuShortMilli: 4000,
        scatteredMilli: 1000,
        idleMachinesMilli: 2000,
      },
    ]);
  });

  test('counts a slice by memory or by compute, whichever takes more of the card', () => {
    const book = new Book([machine('a', 64_000, 16_384)]);
    const memory = { unit: 'mib', amount: 4096 } as const;
    place(book, [
      { cards: { kind: 'slice', ...ofT4, memory, computeMilli: 0 } },
      { cards: { kind: 'slice', ...ofT4, memory, computeMilli: 500 } },
    ]);
    expect(remainderOf(book, 0)[0]).toMatchObject({ allocatedMilli: 500, scrapsMilli: 500, scatteredMilli: 3000 });
  });
});
