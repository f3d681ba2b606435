import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { quotaSpecs, quotaSteps } from '@springtide/testkit/generators';
import { forAll } from '@springtide/testkit/property';
import { QuotaStage } from '@springtide/testkit/twin';
import { areMet, needsOf } from './needs.ts';

const asked = fc.record({ cell: fc.nat(63), amount: fc.integer({ min: 1, max: 12 }) });

test('what a demand needs of its cohort is met exactly when the demand fits, and it borrows only where it may', () => {
  forAll(
    fc.record({ specs: quotaSpecs(), todo: quotaSteps(true), asked }),
    ({ specs, todo, asked: { cell, amount } }) => {
      const stage = new QuotaStage(specs);
      for (const step of todo) stage.take(step);
      const { quota } = stage;
      const slots = [...stage.queueSlots()];
      const slot = slots[cell % Math.max(1, slots.length)];
      if (slot === undefined) return;
      const demand = quota.demand(slot.queue, [{ ...slot, amount }]);
      // What cannot be counted any more is not looked at here: `fits` has the last word.
      if (!demand.ok || quota.ledger.countable(slot.slot) < amount) return;
      for (const mayBorrow of [true, false]) {
        const needs = needsOf(quota, demand.value, mayBorrow);
        const isMet = needs !== null && areMet(needs, (at) => quota.available(at));
        expect(isMet).toBe(quota.fits(demand.value) && (mayBorrow || !quota.wouldBorrow(demand.value)));
      }
    },
  );
});
