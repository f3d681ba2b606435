import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  MEMORY_FAMILY,
  MIG_FAMILIES,
  type Scene,
  scenes,
  type Step,
  steps,
  TEMPLATE_FAMILIES,
  WHOLE_FAMILY,
} from '@springtide/testkit/generators';
import { forAll } from '@springtide/testkit/property';
import { freshBook, memorylessRefusalTwin, Stage, statesOf, type World } from '@springtide/testkit/twin';
import type { Pod } from '../model/index.ts';
import { Book, NOT_FIT, SCORE_MIN } from '../state/index.ts';
import type { MixEntry } from './mix.ts';
import { Placer } from './placer.ts';
import { Tide } from './tide.ts';

interface Case {
  readonly scene: Scene;
  readonly before: readonly Step[];
  readonly after: readonly Step[];
  readonly weights: readonly number[];
}

function cases(families: Parameters<typeof scenes>[0]): fc.Arbitrary<Case> {
  const some = steps(['place', 'place', 'observe', 'release', 'savepoint', 'rollBack'], 10);
  return fc.record({
    scene: scenes({ ...families, machinesMax: 4, podsMax: 8 }),
    before: some,
    after: some,
    weights: fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 4 }),
  });
}

/** The mix in which pods come as often as their weights say. */
function mixOf(book: Book, pods: readonly Pod[], weights: readonly number[]): MixEntry[] {
  const weightOf = (index: number): number => weights[index % weights.length] as number;
  const total = pods.reduce((sum, _, index) => sum + weightOf(index), 0);
  return pods.map((pod, index) => ({
    requestClass: book.classOf(pod.request, pod.tenant),
    share: weightOf(index) / total,
  }));
}

/** Scores kept while the mix was learned in the middle, against a book and a policy that start with both. */
function compare({ scene, before, after, weights }: Case): void {
  const stage = new Stage(scene.machines, scene.pods);
  const tide = new Tide(stage.book);
  const placer = new Placer({ book: stage.book, policy: tide });
  for (const step of before) stage.take(step, [placer]);
  tide.learn(mixOf(stage.book, scene.pods, weights));
  for (const step of after) stage.take(step, [placer]);
  const fresh = freshBook(stage.world);
  const freshTide = new Tide(fresh);
  freshTide.learn(mixOf(fresh, scene.pods, weights));
  compareScores(placer, { world: stage.world, book: fresh, tide: freshTide }, scene.pods);
}

interface Fresh {
  readonly world: World;
  readonly book: Book;
  readonly tide: Tide;
}

function compareScores(placer: Placer, { world, book, tide }: Fresh, pods: readonly Pod[]): void {
  const states = statesOf(world);
  for (const pod of pods) {
    const { tree } = placer.scoresOf(placer.book.classOf(pod.request, pod.tenant));
    const requestClass = book.classOf(pod.request, pod.tenant);
    const wanted = states.map((state, machine) => {
      return memorylessRefusalTwin(pod, state, false) === 'none' ? tide.score(requestClass, machine) : NOT_FIT;
    });
    const kept = states.map((_, machine) => tree.scoreOf(machine));
    expect(kept.map((score) => (score < SCORE_MIN ? NOT_FIT : score))).toEqual(wanted);
  }
}

describe('tide with a mix', () => {
  test('keeps the scores that a fresh policy gives, for whole cards, MIG and templates', () => {
    const families = [WHOLE_FAMILY, ...MIG_FAMILIES, ...TEMPLATE_FAMILIES];
    forAll(cases({ families }), compare);
  });
  test('keeps the scores that a fresh policy gives, for memory', () => {
    forAll(cases({ families: [MEMORY_FAMILY] }), compare);
  });

  test('keeps the scores that a fresh policy gives after the same arrivals, when it has learned from them', () => {
    const scene = scenes({ machinesMax: 4, podsMax: 8 });
    const order = fc.array(fc.nat(7), { minLength: 70, maxLength: 140 });
    forAll(fc.record({ scene, order }), ({ scene: { machines, pods }, order: numbers }) => {
      const arrivals = numbers.map((number, i) => Object.assign({}, pods[number % pods.length], { id: `p${i}` }));
      const book = new Book(machines);
      const placer = new Placer({ book, policy: new Tide(book) });
      arrivals.forEach((pod, i) => {
        placer.place(pod);
        const [oldest] = book.holdings.keys();
        if (i % 3 === 2 && oldest !== undefined) book.release(oldest);
      });
      const world = { machines: book.machines, holdings: [...book.holdings.values()], reserved: new Set<string>() };
      const fresh = freshBook(world);
      const tide = new Tide(fresh);
      for (const pod of arrivals) tide.observe(fresh.classOf(pod.request, pod.tenant));
      compareScores(placer, { world, book: fresh, tide }, pods);
    });
  });
});
