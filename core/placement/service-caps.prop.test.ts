import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { aMachine, aPod, aRequest, PRODUCTS } from '@springtide/testkit/builders';
import { forAll } from '@springtide/testkit/property';
import { mulberry32, shuffle } from '../base/index.ts';
import type { Machine, Pod } from '../model/index.ts';
import { Book } from '../state/index.ts';
import { Placer } from './placer.ts';
import { POLICIES, POLICY_NAMES, typicalRequests } from './policies/index.ts';
import { DEFAULT_SERVICE_CAPS, replicasAllowed } from './service-caps.ts';
import { Tide } from './tide.ts';

const CARDS = 4;

/** Equal machines of four cards in the racks named. */
function fleetOf(racks: readonly string[]): Machine[] {
  return racks.map((rack, i) => aMachine(`m${i}`).inRack(rack).cards(PRODUCTS.a100, CARDS).build());
}

/** The replicas of each service, in a random order of all of them. */
function replicasOf(sizes: readonly number[], seed: number): Pod[] {
  const pods = sizes.flatMap((size, service) =>
    Array.from({ length: size }, (_, i) =>
      aPod(`s${service}-${i}`).asking(aRequest().whole(1)).replicaOf(`s${service}`, size).build(),
    ),
  );
  return shuffle(pods, mulberry32(seed));
}

const racks = fc.array(fc.constantFrom('', 'r1', 'r2', 'r3'), { minLength: 1, maxLength: 6 });

const cases = fc.record({
  racks,
  sizes: fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 4 }),
  seed: fc.nat(),
  policy: fc.constantFrom(...POLICY_NAMES),
});

function countBy(pods: readonly Pod[], keyOf: (pod: Pod) => string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const pod of pods) counts.set(keyOf(pod), (counts.get(keyOf(pod)) ?? 0) + 1);
  return counts;
}

describe('P1: replicas of one service', () => {
  test('spread: no machine and no rack holds more than its share of them, whatever places', () => {
    forAll(cases, ({ racks: named, sizes, seed, policy: name }) => {
      const book = new Book(fleetOf(named));
      const pods = replicasOf(sizes, seed);
      const typical = typicalRequests(pods.map((pod) => book.classOf(pod.request)));
      const policy = POLICIES[name]({ book, chance: mulberry32(1), typical });
      const placer = new Placer({ book, policy, random: mulberry32(2), serviceCaps: DEFAULT_SERVICE_CAPS });
      for (const pod of pods) placer.place(pod);
      const held = [...book.holdings.values()].map(({ pod }) => pod);
      const machineOf = (pod: Pod): number => book.holdings.get(pod.id)?.machine ?? -1;
      for (const [service, size] of sizes.entries()) {
        const own = held.filter((pod) => pod.service === `s${service}`);
        const onMachine = Math.max(0, ...countBy(own, (pod) => String(machineOf(pod))).values());
        const onRack = Math.max(0, ...countBy(own, (pod) => named[machineOf(pod)] ?? '').values());
        if (named.length > 1) expect(onMachine).toBeLessThanOrEqual(Math.max(1, Math.ceil(size / 2)));
        if (new Set(named).size > 1) expect(onRack).toBeLessThanOrEqual(Math.max(1, Math.ceil((3 * size) / 4)));
      }
    });
  });

  test('are allowed the share rounded up, and one at least', () => {
    expect([0, 1, 2, 3, 4, 5].map((replicas) => replicasAllowed(replicas, 500))).toEqual([1, 1, 1, 2, 2, 3]);
    expect([1, 2, 3, 4, 5].map((replicas) => replicasAllowed(replicas, 750))).toEqual([1, 2, 3, 3, 4]);
  });
});

describe('P1: a cap', () => {
  const placedOn = (machines: readonly Machine[]): number => {
    const book = new Book(machines);
    const placer = new Placer({ book, policy: new Tide(book), serviceCaps: DEFAULT_SERVICE_CAPS });
    const pods = [0, 1, 2, 3].map((i) =>
      aPod(`s-${i}`).asking(aRequest().cpuMilli(100).whole(1)).replicaOf('s', 4).build(),
    );
    return pods.filter((pod) => placer.place(pod).ok).length;
  };

  test('counts only where there is elsewhere to go', () => {
    const [only, other] = fleetOf(['r1', 'r2']) as [Machine, Machine];
    expect(placedOn([only])).toBe(4);
    expect(placedOn([only, { ...other, cordoned: true }])).toBe(4);
    // Two on each machine is what half of them allows.
    expect(placedOn([only, other])).toBe(4);
    // The rest of them waits for the other machine, which is full.
    expect(placedOn([only, { ...other, cpuMilli: 0 }])).toBe(2);
  });
});

describe('P1: whole-card pods of different services', () => {
  test('stack under tide: equal machines are filled one after the other', () => {
    const counts = fc.array(fc.constantFrom(1, 1, 2, 4), { minLength: 1, maxLength: 12 });
    forAll(fc.record({ counts, isLearned: fc.boolean() }), ({ counts: asked, isLearned }) => {
      const book = new Book(fleetOf(Array<string>(asked.length).fill('r')));
      const pods = asked.map((count, i) =>
        aPod(`p${i}`).asking(aRequest().cpuMilli(100).whole(count)).replicaOf(`s${i}`, 3).build(),
      );
      const typical = typicalRequests(pods.map((pod) => book.classOf(pod.request)));
      const policy = new Tide(book);
      if (isLearned) policy.learn(typical);
      const placer = new Placer({ book, policy, serviceCaps: DEFAULT_SERVICE_CAPS });
      const free = asked.map(() => CARDS);
      for (const [i, count] of asked.entries()) {
        const first = free.findIndex((cards) => cards >= count);
        free[first]! -= count;
        const decision = placer.place(pods[i] as Pod);
        expect(decision.ok && decision.holding.machine).toBe(first);
      }
    });
  });
});
