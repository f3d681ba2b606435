import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { QuotaSpecs } from '@springtide/core/model';
import { aCell, aCohort, aFlavor, aQueue } from '@springtide/testkit/builders';
import { lendingSpecs, type QuotaStep, quotaSteps } from '@springtide/testkit/generators';
import { forAll } from '@springtide/testkit/property';
import { QuotaStage } from '@springtide/testkit/twin';
import { sharesOf } from './shares.ts';

const DAY_MS = 86_400_000;

const timed = quotaSteps(false).chain((steps) =>
  fc.tuple(...steps.map((step) => fc.record({ step: fc.constant(step), thenMs: fc.nat(DAY_MS) }))),
);

type Timed = { readonly step: QuotaStep; readonly thenMs: number };

/** Takes the steps, time passing only while no savepoint is open; what each slot borrowed, and for how long. */
function borrowedOver(stage: QuotaStage, steps: readonly Timed[]): { slot: number; amount: number; ms: number }[] {
  const { quota } = stage;
  const past: { slot: number; amount: number; ms: number }[] = [];
  let nowMs = 0;
  for (const { step, thenMs } of steps) {
    stage.take(step);
    if (stage.depth > 0) continue;
    nowMs += thenMs;
    quota.ledger.advance(nowMs);
    for (let slot = 0; slot < quota.tree.slotCount; slot += 1) {
      past.push({ slot, amount: quota.borrowed(slot), ms: thenMs });
    }
  }
  return past;
}

test('what was borrowed over time is the decayed sum of its pieces, whatever was tried and undone between', () => {
  forAll(fc.record({ specs: lendingSpecs(), steps: timed }), ({ specs, steps }) => {
    const stage = new QuotaStage(specs);
    const past = borrowedOver(stage, steps);
    for (let slot = 0; slot < stage.quota.tree.slotCount; slot += 1) {
      const average = past
        .filter((piece) => piece.slot === slot)
        .reduce((sum, { amount, ms }) => sum * 2 ** (-ms / DAY_MS) + amount * (1 - 2 ** (-ms / DAY_MS)), 0);
      expect(stage.quota.ledger.averageBorrowed(slot) / Math.max(1, average)).toBeCloseTo(Math.min(1, average), 9);
    }
  });
});

test('Q2: of two that borrow by turns, each the only one that waits, neither has borrowed much more than its weight', () => {
  forAll(
    fc.record({ weightMilli: fc.constantFrom(500, 1000, 2000, 4000) }),
    ({ weightMilli }) => {
      const stage = new QuotaStage(twoBorrowers(weightMilli));
      const { quota } = stage;
      const cardMs = { blue: 0, red: 0 };
      for (let turn = 0; turn < 400; turn += 1) {
        const share = (queue: string): number => sharesOf(quota, queue)[1] as number;
        const next = share('blue') <= share('red') ? 'blue' : 'red';
        const demand = quota.demand(next, [{ flavor: 'a100', resource: 'cards', amount: 8 }]);
        if (demand.ok) quota.charge('job', demand.value);
        cardMs[next] += 8;
        quota.ledger.advance((turn + 1) * 600_000);
        quota.ledger.refund('job');
      }
      const ratio = cardMs.blue / cardMs.red / (weightMilli / 1000);
      expect(ratio).toBeGreaterThan(0.9);
      expect(ratio).toBeLessThan(1.1);
    },
    20,
  );
});

/** One queue owns eight cards that it never uses; two others have none. */
function twoBorrowers(weightMilli: number): QuotaSpecs {
  const inLab = { cohort: 'lab' };
  return {
    flavors: [aFlavor('a100')],
    cohorts: [aCohort('lab')],
    queues: [
      aQueue('blue', [aCell('a100', 'cards', 0)], { ...inLab, weightMilli }),
      aQueue('owner', [aCell('a100', 'cards', 8)], inLab),
      aQueue('red', [aCell('a100', 'cards', 0)], inLab),
    ],
  };
}
