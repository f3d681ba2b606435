import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { scenes, steps } from '@springtide/testkit/generators';
import { forAll } from '@springtide/testkit/property';
import { Stage } from '@springtide/testkit/twin';
import { mulberry32 } from '../base/index.ts';
import { type Book, NOT_FIT, type RequestClass, SCORE_MAX, SCORE_MIN } from '../state/index.ts';
import { cardFits, cardsRefusal, machineRefusal } from './fit.ts';
import { Placer } from './placer.ts';
import { POLICIES, POLICY_NAMES, typicalRequests } from './policies/index.ts';
import type { Policy } from './policy.ts';
import { Tide } from './tide.ts';

const cases = fc.record({
  scene: scenes({ podsMax: 8 }),
  todo: steps(['place', 'observe', 'release'], 12),
  isLearned: fc.boolean(),
});

describe('every policy', () => {
  test('scores with an integer of its range where the cards fit, and NOT_FIT exactly where they refuse', () => {
    forAll(cases, ({ scene: { machines, pods }, todo, isLearned }) => {
      const stage = new Stage(machines, pods);
      const { book } = stage;
      const classes = pods.map((pod) => book.classOf(pod.request, pod.tenant));
      const typical = typicalRequests(classes);
      const policies = POLICY_NAMES.map((name) => POLICIES[name]({ book, chance: mulberry32(1), typical }));
      for (const policy of policies) if (isLearned && policy instanceof Tide) policy.learn(typical);
      const placers = policies.map((policy) => new Placer({ book, policy, random: mulberry32(1) }));
      for (const step of todo) stage.take(step, placers);
      for (const requestClass of new Set(classes)) {
        const passed = machines.keys().filter((machine) => machineRefusal(book, requestClass, machine) === 0);
        for (const machine of passed) for (const policy of policies) checkPolicy(book, policy, requestClass, machine);
      }
    });
  });
});

function checkPolicy(book: Book, policy: Policy, requestClass: RequestClass, machine: number): void {
  const score = policy.score(requestClass, machine);
  if (cardsRefusal(book, requestClass, machine) !== 0) {
    expect(score).toBe(NOT_FIT);
    return;
  }
  const isInRange = Number.isInteger(score) && score >= SCORE_MIN && score <= SCORE_MAX;
  if (!isInRange) expect(`${policy.name} scores ${score}`).toBe('an integer of the range');
  const cards = policy.chooseCards(requestClass, machine);
  expect(new Set(cards).size).toBe(requestClass.count);
  expect(cards.every((card) => book.cardMachine[card] === machine && cardFits(book, requestClass, card))).toBe(true);
}
