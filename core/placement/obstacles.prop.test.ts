import { neighbourConstraints, scenes, steps } from '@springtide/testkit/generators';
import { forAll } from '@springtide/testkit/property';
import { Stage } from '@springtide/testkit/twin';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { mulberry32 } from '../base/index.ts';
import { FILTERS, type Machine, type Obstacle, type Pod } from '../model/index.ts';
import { Book, type Holding } from '../state/index.ts';
import { explain } from './explain.ts';
import { refusalOf } from './fit.ts';
import { obstacleFinder } from './obstacles.ts';
import { Placer } from './placer.ts';
import { POLICIES } from './policies/index.ts';

function placerOn(book: Book): Placer {
  return new Placer({ book, policy: POLICIES['best-fit']({ book, chance: mulberry32(1) }) });
}

function firstRefusal(placer: Placer, pod: Pod, machine: number): number {
  const requestClass = placer.book.classOf(pod.request, pod.tenant);
  const alone = refusalOf(placer.book, requestClass, machine);
  return alone === 0 ? (placer.neighboursOf(pod, requestClass)?.refusalOf(machine) ?? 0) : alone;
}

const CASES = fc.record({
  scene: fc.oneof(scenes({ podsMax: 8 }), scenes({ podsMax: 8, constraints: neighbourConstraints() })),
  todo: steps(['place', 'observe', 'release', 'reserve']),
});

describe('PL-32: the obstacles of a machine', () => {
  test('are none exactly where no filter refuses, and the first filter that refuses is among them', () => {
    forAll(CASES, ({ scene, todo }) => {
      const stage = new Stage(scene.machines, scene.pods);
      const placer = placerOn(stage.book);
      for (const step of todo) stage.take(step, [placer]);
      for (const pod of scene.pods) {
        const find = obstacleFinder(placer, pod);
        for (let machine = 0; machine < scene.machines.length; machine += 1) {
          const found = find(machine).map(({ filter }) => filter);
          const first = FILTERS[firstRefusal(placer, pod, machine)];
          if (first === 'none') expect(found).toEqual([]);
          else expect(found).toContain(first);
        }
      }
    });
  });
});

/** The machine with what is missing added, where that is an amount. */
function granted(machine: Machine, { resource, missing }: Obstacle): Machine | null {
  switch (resource) {
    case 'cpuMilli':
      return { ...machine, cpuMilli: machine.cpuMilli + missing };
    case 'memoryBytes':
      return { ...machine, memoryBytes: machine.memoryBytes + missing };
    case 'pods':
      return { ...machine, podsMax: machine.podsMax + missing };
    default: {
      const amount = machine.resources.get(resource);
      if (amount === undefined) return null;
      return { ...machine, resources: new Map([...machine.resources, [resource, amount + missing]]) };
    }
  }
}

/** The same holdings on machines of other sizes. */
function bookLike(machines: readonly Machine[], holdings: Iterable<Holding>): Book {
  const book = new Book(machines);
  for (const holding of holdings) book.hold(holding);
  return book;
}

describe('PL-32: a remedy with an amount', () => {
  test('opens the machine when exactly that much is added, and not when one unit less is', () => {
    let tried = 0;
    forAll(CASES, ({ scene, todo }) => {
      const stage = new Stage(scene.machines, scene.pods);
      const placer = placerOn(stage.book);
      for (const step of todo) if (step.kind !== 'reserve') stage.take(step, [placer]);
      const { book } = stage;
      for (const pod of scene.pods) {
        for (const remedy of explain(placer, pod).remedies) {
          const rank = book.machineOf(remedy.nearest);
          const obstacle = { ...remedy, isBeyond: false };
          const grow = (missing: number): number | null => {
            const grown = granted(book.machines[rank] as Machine, { ...obstacle, missing });
            if (grown === null) return null;
            const machines = book.machines.map((machine, index) => (index === rank ? grown : machine));
            return firstRefusal(placerOn(bookLike(machines, book.holdings.values())), pod, rank);
          };
          const after = grow(remedy.missing);
          if (after === null) continue;
          tried += 1;
          expect(after).toBe(0);
          expect(grow(remedy.missing - 1)).not.toBe(0);
        }
      }
    });
    expect(tried).toBeGreaterThan(40);
  });
});
