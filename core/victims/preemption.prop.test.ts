import { describe, expect, test } from 'vitest';
import * as fc from 'fast-check';
import type { Pod } from '@springtide/core/model';
import { Placer, POLICIES, refusalOf } from '@springtide/core/placement';
import { Book } from '@springtide/core/state';
import { mulberry32 } from '@springtide/core/base';
import { aMachine, aPod, aRequest, PRODUCTS } from '@springtide/testkit/builders';
import { forAll } from '@springtide/testkit/property';
import { planPreemption, type PreemptionRules } from './index.ts';

const CPU_MILLI = 16_000;

interface Present {
  readonly cards: number;
  readonly cpuMilli: number;
  readonly priority: number;
  readonly isGuarded: boolean;
}

const present: fc.Arbitrary<Present> = fc.record({
  cards: fc.integer({ min: 0, max: 3 }),
  cpuMilli: fc.integer({ min: 0, max: 6 }).map((cores) => 1000 * cores),
  priority: fc.integer({ min: 0, max: 4 }),
  isGuarded: fc.boolean(),
});

const asked = fc.record({ cards: fc.integer({ min: 1, max: 4 }), cores: fc.integer({ min: 1, max: 14 }) });

function podOf(id: string, cards: number, cpuMilli: number, priority: number): Pod {
  const request = aRequest().cpuMilli(cpuMilli);
  return {
    ...aPod(id)
      .asking(cards > 0 ? request.whole(cards) : request)
      .build(),
    priority,
  };
}

/** Two machines of four cards with what fits of random pods on them. */
function fleetWith(pods: readonly Present[]): { book: Book; guarded: Set<string> } {
  const machines = ['m1', 'm2'].map((id) => aMachine(id).cpuMilli(CPU_MILLI).cards(PRODUCTS.a100, 4).build());
  const book = new Book(machines);
  const placer = new Placer({ book, policy: POLICIES.spread({ book, chance: mulberry32(1) }) });
  const guarded = new Set<string>();
  pods.forEach(({ cards, cpuMilli, priority, isGuarded }, i) => {
    if (placer.place(podOf(`p${i}`, cards, cpuMilli, priority)).ok && isGuarded) guarded.add(`p${i}`);
  });
  return { book, guarded };
}

/** Whether a pod fits on a machine once some pods are gone. */
function fitsWithout(book: Book, pod: Pod, machine: number, gone: readonly string[]): boolean {
  const savepoint = book.savepoint();
  for (const id of gone) book.release(id);
  const fits = refusalOf(book, book.classOf(pod.request), machine) === 0;
  book.rollBack(savepoint);
  return fits;
}

describe('preemption (I10: nobody is evicted in vain)', () => {
  test('makes room, spares whoever can stay, and finds a plan wherever there is one', () => {
    const cases = fc.record({ pods: fc.array(present, { maxLength: 10 }), asked });
    forAll(cases, ({ pods, asked: { cards, cores } }) => {
      const { book, guarded } = fleetWith(pods);
      const preemptor = podOf('preemptor', cards, 1000 * cores, 3);
      const rules: PreemptionRules = {
        mayEvict: ({ pod }) => pod.priority < preemptor.priority,
        breaksBudget: ({ pod }) => guarded.has(pod.id),
      };
      const before = [...book.cpuFreeMilli, ...book.cardHolders, book.touched.position];
      const plan = planPreemption(book, preemptor, rules);
      expect([...book.cpuFreeMilli, ...book.cardHolders, book.touched.position]).toEqual(before);
      const helps = [0, 1].filter((machine) => {
        const evictable = book.podsOn(machine).filter(rules.mayEvict);
        return (
          evictable.length > 0 &&
          fitsWithout(
            book,
            preemptor,
            machine,
            evictable.map(({ pod }) => pod.id),
          )
        );
      });
      expect(plan !== null).toBe(helps.length > 0);
      if (plan === null) return;
      const victims = plan.victims.map(({ pod }) => pod.id);
      expect(fitsWithout(book, preemptor, plan.machine, victims)).toBe(true);
      expect(plan.victims.every(rules.mayEvict)).toBe(true);
      expect(plan.budgetsBroken).toBe(victims.filter((id) => guarded.has(id)).length);
      for (const spared of victims) {
        expect(
          fitsWithout(
            book,
            preemptor,
            plan.machine,
            victims.filter((id) => id !== spared),
          ),
        ).toBe(false);
      }
    });
  });
});

describe('P3: guaranteed pods beside shared ones', () => {
  const { a100Shared } = PRODUCTS;
  const everybody: PreemptionRules = { mayEvict: () => true, breaksBudget: () => false };
  const podAsking = (id: string, request: ReturnType<typeof aRequest>): Pod => aPod(id).asking(request).build();

  test('evict shared pods for memory, and none where the compute that yields is all that is in the way', () => {
    const book = new Book([aMachine('m').cards(a100Shared, 1).build()]);
    const placer = new Placer({ book, policy: POLICIES.tide({ book, chance: mulberry32(1) }) });
    for (const id of ['a', 'b', 'c']) placer.place(podAsking(id, aRequest().sharedMiB(30_000, 500)));
    expect(book.holdings.size).toBe(3);
    const plan = planPreemption(book, podAsking('memory', aRequest().sliceMiB(40_000, 900)), everybody);
    expect(plan?.victims.map(({ pod }) => pod.id)).toEqual(['c', 'b']);
    for (const id of ['b', 'c']) book.release(id);
    expect(placer.place(podAsking('compute', aRequest().sliceMiB(40_000, 999))).ok).toBe(true);
  });
});
