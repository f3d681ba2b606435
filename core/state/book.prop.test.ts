import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { scenes, steps } from '@springtide/testkit/generators';
import { forAll } from '@springtide/testkit/property';
import { bookStates, Stage, twinStates } from '@springtide/testkit/twin';

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
});
