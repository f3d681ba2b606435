import { expect, test } from 'vitest';
import { aMachine, aPod, aRequest, aSeenPod, isIn, type PodBuilder, podsWith } from '@springtide/testkit/builders';
import type { Pod } from '../model/index.ts';
import { feasibleMachines, type Placer } from '../placement/index.ts';
import type { SeenPod } from './events.ts';
import { SchedulerWorld } from './world.ts';

function seenAs(pod: Pod, machine: string | null): SeenPod {
  return aSeenPod(pod, { machine });
}

const web = aPod('default/web').asking(aRequest().cpuMilli(1000));
const apart = aPod('default/new').asking(aRequest().awayFrom(podsWith('host', isIn('app', 'web'))));

function worldWith(placed: PodBuilder): SchedulerWorld {
  const world = new SchedulerWorld();
  for (const id of ['m1', 'm2']) world.setMachine(aMachine(id).labelled('host', id).cpuMilli(4000).build());
  world.setPod(seenAs(placed.build(), 'm1'));
  return world;
}

const feasible = (world: SchedulerWorld, pod: PodBuilder): number[] =>
  feasibleMachines(world.placer as Placer, pod.build());

test('a label that a placed pod is given counts at once', () => {
  const world = worldWith(web);
  expect(feasible(world, apart)).toEqual([0, 1]);
  world.setPod(seenAs(web.labelled('app', 'web').build(), 'm1'));
  expect(feasible(world, apart)).toEqual([1]);
});

test('what a placed pod is resized to counts at once', () => {
  const world = worldWith(web);
  const large = aPod('default/new').asking(aRequest().cpuMilli(3000));
  expect(feasible(world, large)).toEqual([0, 1]);
  world.setPod(seenAs(web.asking(aRequest().cpuMilli(2000)).build(), 'm1'));
  expect(feasible(world, large)).toEqual([1]);
});
