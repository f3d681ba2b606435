import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Scene, scenes, type Step, steps } from '@springtide/testkit/generators';
import { forAll } from '@springtide/testkit/property';
import {
  bestOf,
  countsTwin,
  freshBook,
  memorylessRefusalTwin,
  scoresTwin,
  Stage,
  statesOf,
} from '@springtide/testkit/twin';
import { mulberry32 } from '../base/index.ts';
import { FILTERS, type Pod } from '../model/index.ts';
import { NOT_FIT } from '../state/index.ts';
import { Placer } from './placer.ts';
import { POLICIES, POLICY_NAMES, typicalRequests } from './policies/index.ts';
import type { ClassScores } from './scores.ts';

interface Case {
  readonly scene: Scene;
  readonly todo: readonly Step[];
}

const cases = fc.record({
  scene: scenes({ podsMax: 8 }),
  todo: steps(['place', 'observe', 'release', 'reserve', 'savepoint', 'rollBack', 'keep']),
});

function placersFor(stage: Stage): Placer[] {
  const { book } = stage;
  const typical = typicalRequests(stage.pods.map((pod) => book.classOf(pod.request, pod.tenant)));
  return POLICY_NAMES.map((name) => {
    const policy = POLICIES[name]({ book, chance: mulberry32(1), typical });
    return new Placer({ book, policy, random: mulberry32(2) });
  });
}

describe('the caches of scores', () => {
  test('equal scoring every machine of a fresh book by a fresh policy, for every policy, whatever has happened', () => {
    forAll(cases, ({ scene, todo }: Case) => {
      const stage = new Stage(scene.machines, scene.pods);
      const placers = placersFor(stage);
      todo.forEach((step, i) => {
        stage.take(step, placers);
        if (i % 5 === 2) compareCompact(stage, placers);
        if (i % 5 === 4) compare(stage, placers);
      });
      compare(stage, placers);
    });
  });
});

/** One pod of each class: the others have the same scores. */
function classPods({ book, pods }: Stage): Pod[] {
  return [...new Map(pods.map((pod) => [book.classOf(pod.request, pod.tenant).index, pod])).values()];
}

function compare(stage: Stage, placers: readonly Placer[]): void {
  const { world, pods, book } = stage;
  const states = statesOf(world);
  const fresh = freshBook(world);
  for (const pod of classPods(stage)) {
    const refusals = states.map((state) => memorylessRefusalTwin(pod, state, world.reserved.has(state.machine.id)));
    const seen = placers.map((placer) => {
      const { tree, counts, ...scores } = cachedOf(placer.scoresOf(book.classOf(pod.request, pod.tenant)));
      return { ...scores, counts, ties: tree.ties(), best: tree.best() };
    });
    const wanted = POLICY_NAMES.map((policy) => {
      const scores = scoresTwin(fresh, { policy, pods, refusals }, pod);
      const ties = bestOf(scores);
      return { refusals, scores, counts: countsTwin(refusals), ties, best: ties[0] ?? -1 };
    });
    if (JSON.stringify(seen) !== JSON.stringify(wanted)) expect(seen).toEqual(wanted);
  }
}

/** What decisions read, one machine standing for all that are alike: the same best, and as many refusals. */
function compareCompact({ book, world, pods }: Stage, placers: readonly Placer[]): void {
  const fresh = freshBook(world);
  const states = statesOf(world);
  for (const pod of pods) {
    const requestClass = book.classOf(pod.request, pod.tenant);
    if (requestClass.hasNeighbours) continue;
    const refusals = states.map((state) => memorylessRefusalTwin(pod, state, world.reserved.has(state.machine.id)));
    const { memoryBytes } = pod.request;
    const lacks = states.map(({ memoryFreeBytes }) => memoryBytes > 0 && memoryFreeBytes < memoryBytes);
    placers.forEach((placer, i) => {
      if (placer.policy.randomTies) return;
      const policy = POLICY_NAMES[i] as (typeof POLICY_NAMES)[number];
      const scores = scoresTwin(fresh, { policy, pods, refusals }, pod);
      const [best = -1] = bestOf(scores.map((score, machine) => (lacks[machine] === true ? NOT_FIT : score)));
      const decision = placer.decide(pod, requestClass);
      expect(decision.ok ? decision.holding.machine : -1).toBe(best);
    });
  }
}

function cachedOf(scores: ClassScores) {
  const machines = Array.from({ length: scores.tree.leafCount }, (_, machine) => machine);
  return {
    refusals: machines.map((machine) => FILTERS[scores.refusalOf(machine)]),
    scores: machines.map((machine) => (scores.refusalOf(machine) === 0 ? scores.tree.scoreOf(machine) : NOT_FIT)),
    counts: [...scores.counts],
    tree: scores.tree,
  };
}
