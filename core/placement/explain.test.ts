import { aMachine, aPod, aRequest, PRODUCTS } from '@springtide/testkit/builders';
import { describe, expect, test } from 'vitest';
import { mulberry32 } from '../base/index.ts';
import { Book } from '../state/index.ts';
import { explain, feasibleMachines, standingOf } from './explain.ts';
import { POLICIES } from './policies/index.ts';
import { Placer } from './placer.ts';

function placerOn(book: Book): Placer {
  return new Placer({ book, policy: POLICIES['best-fit']({ book, chance: mulberry32(1) }) });
}

function fleet(): Book {
  const sizes = [8, 4, 2, 2, 2, 2, 2, 1];
  return new Book(sizes.map((count, index) => aMachine(`m${index}`).cards(PRODUCTS.t4, count).build()));
}

describe('an explanation', () => {
  test('names the decision, the best few with their terms, and who refused', () => {
    const placer = placerOn(fleet());
    const pod = aPod('default/p').asking(aRequest().whole(2).cpuMilli(4000)).build();
    const told = explain(placer, pod);
    expect(told).toMatchObject({ pod: 'default/p', policy: 'best-fit', machine: 'm2', cards: ['m2/0', 'm2/1'] });
    expect(told.refusals).toEqual([{ filter: 'cards', machines: 1 }]);
    expect(told.feasibleMachines).toBe(7);
    expect(told.best.map(({ machine }) => machine)).toEqual(['m2', 'm3', 'm4', 'm5', 'm6']);
    expect(told.best[0]?.terms).toEqual([{ name: 'best-fit', value: told.best[0]?.score }]);
    expect([told.remedies, told.nearMiss, told.beyond]).toEqual([[], null, []]);
  });

  test.each([1e9, 1e12])('of a request for %i cards is as cheap as any', (count) => {
    for (const policy of ['best-fit', 'tide'] as const) {
      const book = fleet();
      const placer = new Placer({ book, policy: POLICIES[policy]({ book, chance: mulberry32(1) }) });
      const pod = aPod('default/p').asking(aRequest().whole(count)).build();
      placer.policy.observe(book.classOf(pod.request, pod.tenant));
      expect(explain(placer, pod)).toMatchObject({ machine: null, refusals: [{ filter: 'cards', machines: 8 }] });
    }
  });

  test('adds up: refused and feasible machines are all machines, and it changes nothing', () => {
    const placer = placerOn(fleet());
    const pod = aPod('default/p').asking(aRequest().whole(4)).build();
    const told = explain(placer, pod);
    const refused = told.refusals.reduce((sum, { machines }) => sum + machines, 0);
    expect(refused + told.feasibleMachines).toBe(8);
    expect(explain(placer, pod)).toEqual(told);
    expect(placer.book.holdings.size).toBe(0);
  });

  test('honours neighbours in the machines it calls feasible', () => {
    const placer = placerOn(fleet());
    const port = aRequest().whole(1).hostPort(80);
    expect(placer.place(aPod('default/a').asking(port).build()).ok).toBe(true);
    expect(feasibleMachines(placer, aPod('default/b').asking(port).build())).toEqual([0, 1, 2, 3, 4, 5, 6]);
  });
});

describe('the standing of a machine', () => {
  test('is its rank among those that could take the pod; equals share one', () => {
    const placer = placerOn(fleet());
    const pod = aPod('default/p').asking(aRequest().whole(2)).build();
    expect(standingOf(placer, pod, 2)).toEqual({ rank: 1, feasibleMachines: 7, obstacles: [] });
    expect(standingOf(placer, pod, 4)).toMatchObject({ rank: 1 });
    expect(standingOf(placer, pod, 0)).toMatchObject({ rank: 7 });
  });

  test('is none where the machine refuses, and says why', () => {
    const pod = aPod('default/p').asking(aRequest().whole(2)).build();
    expect(standingOf(placerOn(fleet()), pod, 7)).toMatchObject({ rank: null, obstacles: [{ filter: 'cards' }] });
  });
});
