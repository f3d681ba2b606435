import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type QuotaStep, quotaSpecs, quotaSteps } from '@springtide/testkit/generators';
import { forAll } from '@springtide/testkit/property';
import { QuotaStage } from '@springtide/testkit/twin';
import { excessesOf, lacksOf } from './lacks.ts';
import type { QuotaDemand } from './quota.ts';

const cases = fc.record({ specs: quotaSpecs(), todo: quotaSteps(true) });
const asked = fc.record({ queue: fc.nat(63), cell: fc.nat(63), amount: fc.integer({ min: 1, max: 12 }) });

/** A demand of one resource, of a queue that has some; null: none has. */
function demandOf(stage: QuotaStage, { cell, amount }: { cell: number; amount: number }): QuotaDemand | null {
  const slots = [...stage.queueSlots()];
  const slot = slots[cell % Math.max(1, slots.length)];
  if (slot === undefined) return null;
  const demand = stage.quota.demand(slot.queue, [{ ...slot, amount }]);
  return demand.ok ? demand.value : null;
}

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

  test('is what it was after charges and refunds are rolled back, nested savepoints among them', () => {
    const inside = quotaSteps(false);
    forAll(
      fc.record({ specs: quotaSpecs(), before: quotaSteps(false), inside }),
      ({ specs, before, inside: steps }) => {
        const stage = new QuotaStage(specs);
        for (const step of before) stage.take(step);
        while (stage.depth > 0) stage.take({ kind: 'keep' });
        const { ledger } = stage.quota;
        const everything = (): unknown => [[...ledger.used], [...ledger.freed], new Map(ledger.charges)];
        const was = everything();
        const savepoint = stage.book.savepoint();
        for (const step of steps) stage.take(step);
        while (stage.depth > 0) stage.take({ kind: 'keep' });
        stage.book.rollBack(savepoint);
        expect(everything()).toEqual(was);
      },
    );
  });

  test('I4: admits nothing beyond own and borrowable, and where more is used already that never grows', () => {
    forAll(cases, ({ specs, todo }) => {
      const stage = new QuotaStage(specs);
      const excess = (): Map<string, number> =>
        new Map(
          excessesOf(stage.quota).map(({ node, flavor, resource, amount }) => [
            `${node} ${flavor} ${resource}`,
            amount,
          ]),
        );
      let before = excess();
      for (const step of todo) {
        stage.take(step);
        const after = excess();
        // What is found running, or undone, is not admitted.
        if (isDecision(step))
          for (const [key, amount] of after) expect(amount).toBeLessThanOrEqual(before.get(key) ?? 0);
        before = after;
      }
    });
  });

  test('while nothing that a demand depends on is freed, what did not fit does not fit', () => {
    forAll(fc.record({ specs: quotaSpecs(), todo: quotaSteps(false), asked }), ({ specs, todo, asked: wanted }) => {
      const stage = new QuotaStage(specs);
      const demand = demandOf(stage, wanted);
      if (demand === null) return;
      let refusedAt: number | null = null;
      for (const step of todo) {
        stage.take(step);
        const freed = stage.quota.freed(demand);
        const fits = stage.quota.fits(demand);
        if (fits && step.kind !== 'rollBack') expect(freed).not.toBe(refusedAt);
        refusedAt = fits ? null : freed;
      }
    });
  });

  test('says what is short exactly when a demand does not fit, and names a node that is in the way', () => {
    forAll(fc.record({ specs: quotaSpecs(), todo: quotaSteps(true), asked }), ({ specs, todo, asked: wanted }) => {
      const stage = new QuotaStage(specs);
      for (const step of todo) stage.take(step);
      const demand = demandOf(stage, wanted);
      if (demand === null) return;
      const lacks = lacksOf(stage.quota, demand);
      expect(lacks.length === 0).toBe(stage.quota.fits(demand));
      for (const { node, asked: amount, available } of lacks) {
        expect(available).toBeLessThan(amount);
        const path = pathOf(stage, demand);
        expect(path).toContain(node);
      }
    });
  });
});

function isDecision({ kind }: QuotaStep): boolean {
  return kind === 'admit' || kind === 'refund';
}

function pathOf({ quota: { tree } }: QuotaStage, { queue }: QuotaDemand): string[] {
  const path: string[] = [];
  for (let node = tree.queueNumber(queue); node >= 0; node = tree.nodes[node]?.parent ?? -1) {
    path.push(tree.nodes[node]?.id ?? '');
  }
  return path;
}
