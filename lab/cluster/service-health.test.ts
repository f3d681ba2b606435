import { mulberry32 } from '@springtide/core/base';
import { SchedulerService } from '@springtide/services/scheduler';
import { aMachine, aRequest, PRODUCTS } from '@springtide/testkit/builders';
import { VirtualClock } from '@springtide/testkit/clock';
import { FakeLeases } from '@springtide/testkit/fake-api';
import { expect, test } from 'vitest';
import { LabCluster } from './lab-cluster.ts';
import { LabWorld } from './lab-world.ts';

test('O7: a scheduler tells whether it lives, whether it knows its cluster, and what it did', async () => {
  const clock = new VirtualClock();
  const world = new LabWorld({ clock, random: mulberry32(1) });
  const cluster = new LabCluster({ world, leases: new FakeLeases(clock), holder: 'a' });
  const service = new SchedulerService({ cluster, clock, schedulerName: 'springtide' });
  world.putMachine(aMachine('m').cards(PRODUCTS.a100, 4).build());
  for (const name of ['a', 'b']) world.addPod(`t/${name}`, { pod: { request: aRequest().whole(3).build() } });
  expect(service.readiness().isWell).toBe(false);

  service.start();
  await clock.pass(5000);
  expect(service.readiness().isWell).toBe(true);
  const { pending, cardsHeld, isLeading } = service.facts();
  expect([[...pending], cardsHeld, isLeading]).toEqual([[['no-machine', 1]], { ours: 3, others: 0 }, true]);
  const text = await service.metrics.text(service.facts(), clock.nowMs());
  expect(text).toContain('\nspringtide_scheduling_attempts_total{result="placed"} 1\n');
  expect(text).toContain('\nspringtide_scheduling_attempts_total{result="refused"} 1\n');
  expect(text).toContain('\nspringtide_pod_scheduling_duration_seconds_count 1\n');

  // Nothing happens for long, and the loop passes all the same.
  await clock.pass(600_000);
  expect(service.liveness().isWell).toBe(true);
  cluster.setCutOff(true);
  await clock.pass(120_000);
  expect(service.liveness().isWell).toBe(true);
  expect(service.readiness().isWell).toBe(false);
  cluster.setCutOff(false);
  await clock.pass(10_000);
  expect(service.readiness().isWell).toBe(true);

  const stopped = service.stop();
  await clock.pass(20_000);
  await stopped;
});
