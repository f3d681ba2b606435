import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { scenes, steps } from '@springtide/testkit/generators';
import { forAll } from '@springtide/testkit/property';
import { refusalTwin, Stage, statesOf } from '@springtide/testkit/twin';
import { mulberry32 } from '../base/index.ts';
import { FILTERS } from '../model/index.ts';
import { refusalOf } from './fit.ts';
import { Placer } from './placer.ts';
import { POLICIES } from './policies/index.ts';

describe('PL-1: the first filter that refuses a machine', () => {
  test('is the one the twin finds by asking all of them in order, for every request and whatever is held', () => {
    const cases = fc.record({ scene: scenes(), todo: steps(['place', 'observe', 'release', 'reserve']) });
    forAll(cases, ({ scene: { machines, pods }, todo }) => {
      const stage = new Stage(machines, pods);
      const { book } = stage;
      const placer = new Placer({ book, policy: POLICIES['best-fit']({ book, chance: mulberry32(1) }) });
      for (const step of todo) stage.take(step, [placer]);
      const states = statesOf(stage.world);
      for (const pod of pods) {
        const requestClass = book.classOf(pod.request, pod.tenant);
        const found = states.map((_, machine) => FILTERS[refusalOf(book, requestClass, machine)]);
        const wanted = states.map((state) => refusalTwin(pod, state, stage.world.reserved.has(state.machine.id)));
        expect(found).toEqual(wanted);
      }
    });
  });
});
