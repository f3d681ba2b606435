import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { scenes, steps } from '@springtide/testkit/generators';
import { forAll } from '@springtide/testkit/property';
import { bookStates, Stage, twinStates } from '@springtide/testkit/twin';
import type { Book } from './book.ts';

const names = { tenants: ['', 'a', 'b'], resources: ['rdma/hca', 'absent'] };

describe('the book', () => {
  test('equals its twin after any sequence of holds, releases, reservations and savepoints', () => {
    const todo = steps(['observe', 'release', 'reserve', 'savepoint', 'rollBack', 'keep']);
    forAll(fc.record({ scene: scenes(), todo }), ({ scene: { machines, pods }, todo: taken }) => {
      const stage = new Stage(machines, pods);
      for (const step of taken) stage.take(step, []);
      expect(bookStates(stage.book, names)).toEqual(twinStates(stage.world, names));
    });
  });

  test('is what it was after holds, releases and reservations are rolled back, nested savepoints among them', () => {
    const before = steps(['observe', 'reserve'], 8);
    const after = steps(['observe', 'release', 'reserve', 'savepoint', 'rollBack', 'keep']);
    forAll(fc.record({ scene: scenes(), before, after }), (each) => {
      const stage = new Stage(each.scene.machines, each.scene.pods);
      for (const step of each.before) stage.take(step, []);
      const { book } = stage;
      const was = everythingOf(book);
      const savepoint = book.savepoint();
      for (const step of each.after) stage.take(step, []);
      while (stage.depth > 0) stage.take({ kind: 'keep' }, []);
      book.rollBack(savepoint);
      expect(everythingOf(book)).toEqual(was);
    });
  });
});

/** All that can be asked of a book, orders aside. */
function everythingOf(book: Book): unknown {
  const services = ['web', 'chat'];
  return {
    states: bookStates(book, names),
    holdings: new Map(book.holdings),
    reservedBy: [...book.reservedBy],
    keptAway: new Set(book.antiAffinityHoldings),
    replicas: services.map((service) => book.machines.map((_, machine) => book.replicasOnMachine(service, machine))),
    inRacks: services.map((service) => book.machines.map((_, rack) => book.replicasOnRack(service, rack))),
  };
}
