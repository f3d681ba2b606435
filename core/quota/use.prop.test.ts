import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { quotaSpecs, quotaSteps } from '@springtide/testkit/generators';
import { forAll } from '@springtide/testkit/property';
import { QuotaStage } from '@springtide/testkit/twin';
import { usesOf } from './use.ts';

test('Q2: what a queue owns is used, lendable or kept, and what it lends others have borrowed', () => {
  forAll(fc.record({ specs: quotaSpecs(), todo: quotaSteps(true) }), ({ specs, todo }) => {
    const stage = new QuotaStage(specs);
    for (const step of todo) stage.take(step);
    const { quota } = stage;
    for (const { id, cohort } of quota.tree.specs.queues) {
      for (const use of usesOf(quota, id)) {
        const { flavor, resource, nominal, used, borrowed, lent, lendable, kept, available } = use;
        const slot = quota.tree.slotOf(id, flavor, resource);
        expect({ used, borrowed, available }).toEqual({
          used: stage.twin.used(id, flavor, resource),
          borrowed: stage.twin.borrowed(id, flavor, resource),
          available: Math.max(0, stage.twin.available(id, flavor, resource)),
        });
        if (cohort !== null) expect(lendable + kept).toBe(Math.max(0, nominal - used));
        const beside = quota.tree.queueSlotsBeside(slot).filter((other) => other !== slot);
        const taken = beside.reduce((sum, other) => sum + quota.borrowed(other), 0);
        expect(lent).toBe(cohort === null ? 0 : Math.min(lendable, taken));
      }
    }
  });
});

test('a queue that is not there owns nothing', () => {
  expect(usesOf(new QuotaStage({ flavors: [], cohorts: [], queues: [] }).quota, 'q')).toEqual([]);
});
