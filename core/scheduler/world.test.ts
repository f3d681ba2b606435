import { expect, test } from 'vitest';
import {
  aMachine,
  aPod,
  aRequest,
  aSeenPod,
  isIn,
  type PodBuilder,
  podsWith,
  PRODUCTS,
} from '@springtide/testkit/builders';
import type { Pod } from '../model/index.ts';
import { feasibleMachines, type Placer } from '../placement/index.ts';
import { holdingOn } from '../state/index.ts';
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

test('a slice that was ordered stays on its card when the book is built anew before it is seen', () => {
  const world = new SchedulerWorld();
  const machine = aMachine('m1').cards(PRODUCTS.l40s, 2);
  world.setMachine(machine.build());
  const pod = aPod('default/slice').asking(aRequest().sliceMiB(30_000)).build();
  world.setPod(seenAs(pod, null));
  const second = { cardId: 'm1/1', memoryMiB: 30_000, computeMilli: 0, migStart: null };
  world.assume(pod.id, { machine: 'm1', slices: [second], untilMs: 1000 });
  world.setMachine(machine.labelled('a', 'b').build());
  const { book } = world.placer as Placer;
  expect([...book.cardMemoryFreeMiB]).toEqual([46_068, 16_068]);
});

test('a slice that is seen as it was ordered frees nothing, and one that is seen on another card does', () => {
  const world = new SchedulerWorld();
  world.setMachine(aMachine('m1').cards(PRODUCTS.l40s, 2).build());
  const pod = aPod('default/slice').asking(aRequest().sliceMiB(30_000)).build();
  world.setPod(seenAs(pod, null));
  const { book } = world.placer as Placer;
  book.hold(holdingOn(book, pod, book.classOf(pod.request), { machine: 0, cards: [1] }));
  const slices = [{ cardId: 'm1/1', memoryMiB: 30_000, computeMilli: 0, migStart: null }];
  world.assume(pod.id, { machine: 'm1', slices, untilMs: 1000 });
  world.takeGains();
  world.setPod({ ...seenAs(pod, 'm1'), held: slices });
  expect([world.hasGained, [...book.cardMemoryFreeMiB]]).toEqual([false, [46_068, 16_068]]);
  world.setPod({ ...seenAs(pod, 'm1'), held: [{ ...slices[0]!, cardId: 'm1/0' }] });
  expect([world.hasGained, [...book.cardMemoryFreeMiB]]).toEqual([true, [16_068, 46_068]]);
});
