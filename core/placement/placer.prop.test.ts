import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { neighbourConstraints, scenes, steps } from '@springtide/testkit/generators';
import { forAll } from '@springtide/testkit/property';
import {
  bestOf,
  countsTwin,
  freshBook,
  refusalsTwin,
  scoresTwin,
  Stage,
  statesOf,
  violations,
} from '@springtide/testkit/twin';
import { mulberry32, shuffle } from '../base/index.ts';
import { FILTERS, type Pod, type RefusalCount } from '../model/index.ts';
import { Book } from '../state/index.ts';
import { type Decision, Placer } from './placer.ts';
import { POLICIES, POLICY_NAMES, type PolicyName, typicalRequests } from './policies/index.ts';
import { DEFAULT_SERVICE_CAPS } from './service-caps.ts';

const serviceCaps = DEFAULT_SERVICE_CAPS;

function placerFor(book: Book, name: PolicyName, pods: readonly Pod[]): Placer {
  const typical = typicalRequests(pods.map((pod) => book.classOf(pod.request, pod.tenant)));
  const policy = POLICIES[name]({ book, chance: mulberry32(1), typical });
  return new Placer({ book, policy, random: mulberry32(2), serviceCaps });
}

const policies = fc.constantFrom(...POLICY_NAMES);

/** The refusals as named counts, most machines first, then by filter. */
function named(counts: readonly number[]): RefusalCount[] {
  const rows = FILTERS.map((filter, code) => ({ filter, machines: counts[code] as number }));
  return rows
    .slice(1)
    .filter(({ machines }) => machines > 0)
    .toSorted((left, right) => right.machines - left.machines);
}

describe('I1', () => {
  test('no card or slice is booked twice or beyond its size, and no tenant is disturbed, whatever places', () => {
    const todo = steps(['place', 'place', 'release', 'savepoint', 'rollBack', 'keep'], 30);
    const cases = fc.record({ scene: scenes(), todo });
    forAll(cases, ({ scene, todo: taken }) => {
      const stage = new Stage(scene.machines, scene.pods);
      const placers = POLICY_NAMES.map((name) => placerFor(stage.book, name, scene.pods));
      for (const step of taken) stage.take(step, placers);
      expect(violations(stage.world)).toEqual([]);
    });
  });
});

describe('a decision', () => {
  const cases = fc.record({
    policy: policies,
    todo: steps(['place', 'observe', 'release', 'reserve'], 12),
    scene: fc.oneof(scenes({ podsMax: 8 }), scenes({ podsMax: 8, constraints: neighbourConstraints() })),
  });

  test('is the first best machine that the twin finds, on cards that fit; a refusal counts every machine once (PL-2)', () => {
    forAll(cases, ({ policy, todo, scene }) => {
      const stage = new Stage(scene.machines, scene.pods);
      const placer = placerFor(stage.book, policy, scene.pods);
      for (const step of todo) stage.take(step, [placer]);
      const { world } = stage;
      const states = statesOf(world);
      const fresh = freshBook(world);
      for (const pod of scene.pods.filter(({ id }) => !stage.book.holdings.has(id))) {
        const refusals = refusalsTwin(world, pod, serviceCaps, states);
        const best = bestOf(scoresTwin(fresh, { policy, pods: scene.pods, refusals }, pod));
        const decision = placer.decide(pod);
        expect(decision.ok).toBe(best.length > 0);
        if (!decision.ok) {
          expect(decision.refusals).toEqual(named(countsTwin(refusals)));
          expect(decision.refusals.reduce((sum, { machines }) => sum + machines, 0)).toBe(scene.machines.length);
          continue;
        }
        if (policy === 'random') expect(best).toContain(decision.holding.machine);
        else expect(decision.holding.machine).toBe(best[0]);
        expect(violations({ ...world, holdings: [decision.holding] })).toEqual([]);
      }
    });
  });
});

describe('the same input', () => {
  test('gives the same decisions in any order of insertion, and every time', () => {
    const cases = fc.record({ scene: scenes(), policy: policies, seed: fc.nat() });
    forAll(cases, ({ scene, policy, seed }) => {
      const shuffled = shuffle([...scene.machines], mulberry32(seed));
      const runs = [scene.machines, scene.machines, shuffled].map((machines) => {
        const placer = placerFor(new Book(machines), policy, scene.pods);
        return scene.pods.map((pod) => outcome(placer.book, placer.place(pod)));
      });
      expect(runs[1]).toEqual(runs[0]);
      expect(runs[2]).toEqual(runs[0]);
    });
  });
});

function outcome(book: Book, decision: Decision): unknown {
  if (!decision.ok) return decision.refusals;
  const { machine, cards, migBits } = decision.holding;
  const names = cards.map((card) => book.cardIds[card]);
  return { machine: book.machines[machine]?.id, cards: names, migBits, score: decision.score };
}
