import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { QuotaAmount } from '@springtide/core/model';
import { lendingSpecs, quotaSteps } from '@springtide/testkit/generators';
import { forAll } from '@springtide/testkit/property';
import { QuotaStage } from '@springtide/testkit/twin';
import { claimOn } from './claims.ts';
import type { QuotaCharge } from '../state/index.ts';
import type { Quota, QuotaDemand } from './quota.ts';

const wants = fc.record({
  queue: fc.nat(63),
  wanted: fc.array(fc.record({ cell: fc.nat(63), amount: fc.integer({ min: 1, max: 9 }) }), {
    minLength: 1,
    maxLength: 2,
  }),
});

type Wants = typeof wants extends fc.Arbitrary<infer T> ? T : never;

/** A demand of one or two resources, of a queue that has some; null: it has none. */
function demandOf(stage: QuotaStage, { queue, wanted }: Wants): QuotaDemand | null {
  const id = stage.specs.queues[queue % stage.specs.queues.length]?.id ?? '';
  const own = [...stage.queueSlots()].filter((slot) => slot.queue === id);
  if (own.length === 0) return null;
  const amounts = wanted.map(
    ({ cell, amount }): QuotaAmount => ({ ...(own[cell % own.length] as (typeof own)[0]), amount }),
  );
  const demand = stage.quota.demand(id, amounts);
  return demand.ok ? demand.value : null;
}

/** Takes work of others out, one by one, as long as there is a claim on what they own; whether the demand then fits. */
function reclaim(quota: Quota, demand: QuotaDemand): QuotaCharge[] | null {
  const evicted: QuotaCharge[] = [];
  for (const charge of quota.ledger.charges.values()) {
    if (quota.fits(demand)) break;
    if (claimOn(quota, demand, charge) === 'owned') evicted.push(quota.ledger.refund(charge.workload));
  }
  return quota.fits(demand) ? evicted : null;
}

/** What a queue whose work was evicted could ask for of the same resources. */
function counterclaims(quota: Quota, queue: string, { slots }: QuotaDemand): QuotaDemand[] {
  const { tree } = quota;
  return [...slots].flatMap((slot) =>
    [1, 5, 1000].flatMap((amount) => {
      const { flavor, resource } = tree.cells[tree.cellOf[slot] as number] as { flavor: string; resource: string };
      const demand = quota.demand(queue, [{ flavor, resource, amount }]);
      return demand.ok ? [demand.value] : [];
    }),
  );
}

/** Every waiting job has a turn, beginning with any: it starts, if need be in the place of others. -1: none could. */
function roundOf({ quota, book }: QuotaStage, demands: ReadonlyMap<string, QuotaDemand>, first: number): number {
  const waiting = [...demands].filter(([job]) => !quota.ledger.charges.has(job));
  let evictions = -1;
  for (let i = 0; i < waiting.length; i += 1) {
    const [job, demand] = waiting[(i + first) % waiting.length] as (typeof waiting)[number];
    const savepoint = book.savepoint();
    const evicted = reclaim(quota, demand);
    if (evicted === null) book.rollBack(savepoint);
    else {
      book.keep(savepoint);
      quota.charge(job, demand);
      evictions = Math.max(0, evictions) + evicted.length;
    }
  }
  return evictions;
}

describe('claims', () => {
  test('on what is owned give no counterclaim: what was taken back is not taken again', () => {
    let carriedOut = 0;
    forAll(fc.record({ specs: lendingSpecs(), todo: quotaSteps(false), asked: wants }), ({ specs, todo, asked }) => {
      const stage = new QuotaStage(specs);
      for (const step of todo) stage.take(step);
      const { quota } = stage;
      const demand = demandOf(stage, asked);
      if (demand === null || quota.fits(demand)) return;
      const evicted = reclaim(quota, demand);
      if (evicted === null) return;
      carriedOut += 1;
      const charge = quota.charge('reclaimer', demand);
      for (const counter of evicted.flatMap(({ queue }) => counterclaims(quota, queue, demand))) {
        expect(claimOn(quota, counter, charge)).toBe(null);
      }
    });
    expect(carriedOut).toBeGreaterThan(20);
  });

  test('on what is owned cannot go round: among the same jobs the evictions come to an end', () => {
    let evictions = 0;
    forAll(
      fc.record({ specs: lendingSpecs(), jobs: fc.array(wants, { maxLength: 12 }), turns: fc.array(fc.nat(63)) }),
      ({ specs, jobs, turns }) => {
        const stage = new QuotaStage(specs);
        const demands = new Map<string, QuotaDemand>(
          jobs.flatMap((job, index) => {
            const demand = demandOf(stage, job);
            return demand === null ? [] : [[`j${index}`, demand] as const];
          }),
        );
        let rounds = 0;
        for (let evicted = 0; evicted >= 0; rounds += 1) {
          expect(rounds).toBeLessThan(100);
          evicted = roundOf(stage, demands, turns[rounds % Math.max(1, turns.length)] ?? 0);
          evictions += Math.max(0, evicted);
        }
      },
    );
    expect(evictions).toBeGreaterThan(50);
  });
});
