import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { quotaSpecs, quotaSteps } from '@springtide/testkit/generators';
import { forAll } from '@springtide/testkit/property';
import { QuotaStage } from '@springtide/testkit/twin';

const cases = fc.record({ specs: quotaSpecs(), todo: quotaSteps(true) });

describe('the quota tree', () => {
  test('Q2: knows use, what is free and what could be as its twin does, after any steps and edits', () => {
    forAll(cases, ({ specs, todo }) => {
      const stage = new QuotaStage(specs);
      for (const step of todo) stage.take(step);
      const { quota, twin } = stage;
      for (const { slot, queue, flavor, resource } of stage.queueSlots()) {
        expect({
          used: quota.ledger.used[slot],
          available: quota.available(slot),
          potential: quota.tree.potential[slot],
          borrowed: quota.borrowed(slot),
        }).toEqual({
          used: twin.used(queue, flavor, resource),
          available: twin.available(queue, flavor, resource),
          potential: twin.potential(queue, flavor, resource),
          borrowed: twin.borrowed(queue, flavor, resource),
        });
      }
    });
  });
});
