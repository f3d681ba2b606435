import { aMachine, aPod, aRequest, PRODUCTS } from '@springtide/testkit/builders';
import { describe, expect, test } from 'vitest';
import type { CardLimit, Pod } from '../model/index.ts';
import { Book } from '../state/index.ts';
import { explain, Placer, Tide } from './index.ts';

const GPU = 'nvidia.com/gpu';

/** A pod of a namespace that wants so many MiB of one card each, or percent. */
function sliced(
  name: string,
  ask: { mib?: number; milli?: number; count?: number },
  limits: readonly CardLimit[],
): Pod {
  const { mib = 0, milli = 0, count = 1 } = ask;
  const asked = mib > 0 ? ({ unit: 'mib', amount: mib } as const) : ({ unit: 'milli', amount: milli } as const);
  const slice = { kind: 'slice', resource: GPU, count, models: null, memory: asked, computeMilli: 100 } as const;
  const request = { ...aRequest().build(), cards: slice };
  const limited = { ...request, constraints: { ...request.constraints, cardLimits: limits } };
  return { ...aPod(`team/${name}`).inNamespace('team').build(), request: limited };
}

function placer(): Placer {
  const large = aMachine('large')
    .cards({ ...PRODUCTS.a100, slicing: 'memory' }, 2)
    .build();
  const small = aMachine('small')
    .cards({ ...PRODUCTS.t4, slicing: 'memory' }, 2)
    .build();
  const book = new Book([large, small]);
  return new Placer({ book, policy: new Tide(book) });
}

function memory(max: number): CardLimit {
  return { resource: GPU, of: 'memoryMiB', max };
}

describe('H3: what the pods of a namespace may hold of cards together', () => {
  test('is compared with what they hold and what one more takes of each card', () => {
    const all = placer();
    expect(all.place(sliced('a', { mib: 3000 }, [memory(6000)])).ok).toBe(true);
    expect(all.place(sliced('b', { mib: 1501, count: 2 }, [memory(6000)])).ok).toBe(false);
    expect(all.place(sliced('c', { mib: 1500, count: 2 }, [memory(6000)])).ok).toBe(true);
    expect(all.place({ ...sliced('d', { mib: 1 }, [memory(6000)]), namespace: 'other' }).ok).toBe(true);
    expect(all.place(sliced('e', { mib: 1 }, [memory(6000)])).ok).toBe(false);
    all.book.release('team/a');
    expect(all.place(sliced('f', { mib: 3000 }, [memory(6000)])).ok).toBe(true);
  });

  test('percent is of the very card: a smaller one may do where a larger one is too much', () => {
    const all = placer();
    const half = all.place(sliced('a', { milli: 500 }, [memory(10_000)]));
    expect(half.ok && all.book.machines[half.holding.machine]?.id).toBe('small');
    expect(all.place(sliced('b', { milli: 500 }, [memory(10_000)])).ok).toBe(false);
  });

  test('every limit holds, of compute too, and those of other cards do not', () => {
    const compute = { resource: GPU, of: 'computeMilli', max: 150 } as const;
    const others = { resource: 'huawei.com/Ascend910B4', of: 'memoryMiB', max: 0 } as const;
    const all = placer();
    expect(all.place(sliced('a', { mib: 10 }, [memory(10_000), compute, others])).ok).toBe(true);
    expect(all.place(sliced('b', { mib: 10 }, [memory(10_000), compute, others])).ok).toBe(false);
    expect(all.place(sliced('c', { mib: 10 }, [memory(0)])).ok).toBe(false);
  });

  test('is told by name, with what would help', () => {
    const { refusals, remedies } = explain(placer(), sliced('a', { mib: 3000 }, [memory(2999)]));
    expect(refusals).toEqual([{ filter: 'card-limit', machines: 2 }]);
    expect(remedies).toMatchObject([{ filter: 'card-limit', machines: 2 }]);
  });
});
