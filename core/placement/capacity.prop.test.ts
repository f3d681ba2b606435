import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { scenes, steps } from '@springtide/testkit/generators';
import { forAll } from '@springtide/testkit/property';
import { copiesTwin, Stage } from '@springtide/testkit/twin';
import { mulberry32 } from '../base/index.ts';
import { copiesOn } from './capacity.ts';
import { Placer } from './placer.ts';
import { POLICIES } from './policies/index.ts';

/** Beyond as many copies the brute force stops looking. */
const COPIES_MAX = 3;

describe('copies that fit on a machine', () => {
  test('are as many as the best choice of cards allows, of all its cards or of one island', () => {
    const cases = fc.record({
      scene: scenes({ machinesMax: 2, podsMax: 6, groupsMax: 1 }),
      todo: steps(['place', 'place', 'observe', 'release'], 8),
      island: fc.constantFrom(null, null, 0, 1),
    });
    forAll(cases, ({ scene: { machines, pods }, todo, island }) => {
      const stage = new Stage(machines, pods);
      const { book } = stage;
      const placer = new Placer({
        book,
        policy: POLICIES.random({ book, chance: mulberry32(1) }),
        random: mulberry32(2),
      });
      for (const step of todo) stage.take(step, [placer]);
      const [pod] = pods;
      if (pod === undefined || (island !== null && pod.request.cards.kind === 'none')) return;
      const requestClass = book.classOf(pod.request, pod.tenant);
      const found = book.machines.map((_, machine) => copiesOn(book, requestClass, machine, island ?? -1));
      const wanted = book.machines.map((_, machine) =>
        copiesTwin(stage.world, pod, { machine, island, copiesMax: COPIES_MAX }),
      );
      expect(found.map((copies) => Math.min(copies, COPIES_MAX))).toEqual(wanted);
    });
  });
});
