import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { neighbourConstraints, scenes, steps } from '@springtide/testkit/generators';
import { forAll } from '@springtide/testkit/property';
import { countsTwin, refusalsTwin, Stage, statesOf, type World } from '@springtide/testkit/twin';
import { mulberry32 } from '../base/index.ts';
import { FILTER_CODE, type Machine, NO_CONSTRAINTS, type Pod, type Remedy } from '../model/index.ts';
import { explain } from './explain.ts';
import { Placer } from './placer.ts';
import { POLICIES } from './policies/index.ts';
import { DEFAULT_SERVICE_CAPS } from './service-caps.ts';

const caps = DEFAULT_SERVICE_CAPS;

const cases = fc.record({
  scene: fc.oneof(scenes(), scenes({ podsMax: 8, constraints: neighbourConstraints() })),
  todo: steps(['place', 'place', 'observe', 'release', 'reserve'], 14),
});

/** Small fleets that fill up, so that something is short. */
const crowded = fc.record({
  scene: scenes({ machinesMax: 2, groupsMax: 1, constraints: fc.constant(NO_CONSTRAINTS) }),
  todo: steps(['place', 'observe'], 20),
});

interface Case {
  readonly stage: Stage;
  readonly placer: Placer;
  /** Pods that wait. */
  readonly waiting: readonly Pod[];
}

function run({ scene: { machines, pods }, todo }: typeof cases extends fc.Arbitrary<infer T> ? T : never): Case {
  const stage = new Stage(machines, pods);
  const { book } = stage;
  const policy = POLICIES.tide({ book, chance: mulberry32(1) });
  const placer = new Placer({ book, policy, serviceCaps: caps });
  for (const step of todo) stage.take(step, [placer]);
  return { stage, placer, waiting: pods.filter(({ id }) => !book.holdings.has(id)) };
}

/** The world after an amount has been granted on one machine; null where a remedy tells no such amount. */
function granted(world: World, { nearest, resource, filter }: Remedy, amount: number): World | null {
  const change = (machine: Machine): Machine | null => {
    if (filter === 'cpu') return { ...machine, cpuMilli: machine.cpuMilli + amount };
    if (filter === 'memory') return { ...machine, memoryBytes: machine.memoryBytes + amount };
    if (filter === 'pods') return { ...machine, podsMax: machine.podsMax + amount };
    if (filter !== 'resource') return null;
    const resources = new Map(machine.resources);
    return { ...machine, resources: resources.set(resource, (resources.get(resource) ?? 0) + amount) };
  };
  const machines = world.machines.map((machine) => (machine.id === nearest ? change(machine) : machine));
  return machines.includes(null) ? null : { ...world, machines: machines as Machine[] };
}

describe('an explanation', () => {
  test('counts the machines that would take the pod, and every other one under the filter that refuses it', () => {
    forAll(cases, (each) => {
      const { stage, placer, waiting } = run(each);
      const states = statesOf(stage.world);
      for (const pod of waiting) {
        const { feasibleMachines, refusals, machine, best } = explain(placer, pod);
        const counts = countsTwin(refusalsTwin(stage.world, pod, caps, states));
        expect(feasibleMachines).toBe(counts[0]);
        const told = counts.map(() => 0);
        for (const { filter, machines } of refusals) told[FILTER_CODE[filter]] = machines;
        expect(told.slice(1)).toEqual(counts.slice(1));
        expect(machine).toBe(best[0]?.machine ?? null);
        expect(best.map(({ score }) => score)).toEqual(best.map(({ score }) => score).toSorted((a, b) => b - a));
      }
    });
  });

  test('tells an amount that opens the nearest machine, and no smaller one that does', () => {
    let amounts = 0;
    forAll(crowded, (each) => {
      const { stage, placer, waiting } = run(each);
      for (const pod of waiting) {
        for (const remedy of explain(placer, pod).remedies) {
          const rank = stage.book.machineOf(remedy.nearest);
          const enough = granted(stage.world, remedy, remedy.missing);
          const short = granted(stage.world, remedy, remedy.missing - 1);
          if (enough === null || short === null) continue;
          amounts += 1;
          expect(refusalsTwin(enough, pod, caps)[rank]).toBe('none');
          expect(refusalsTwin(short, pod, caps)[rank]).toBe(remedy.filter);
          expect(remedy.opened).toBeGreaterThan(0);
          expect(remedy.machines).toBeGreaterThanOrEqual(remedy.opened);
        }
      }
    });
    expect(amounts).toBeGreaterThan(30);
  });
});
