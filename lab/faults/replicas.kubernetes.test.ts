import { controlPlane, until } from '@springtide/testkit/controlplane/fixtures';
import { gangLabels } from '@springtide/testkit/invariants';
import { expect, onTestFinished, test } from 'vitest';
import { type SchedulerProcess, startSchedulerProcess } from './scheduler-process.ts';
import { Stage } from './stage.ts';

const plane = controlPlane();

function scheduler({ schedulerName }: Stage): SchedulerProcess {
  const started = startSchedulerProcess(plane, schedulerName);
  onTestFinished(() => started.kill());
  return started;
}

test('a scheduler that is killed (SIGKILL) with binds under way leaves nothing behind that the next cannot finish', async () => {
  const stage = await Stage.forTest(plane);
  await stage.space.addNodes(10, { cards: 8 });
  const first = scheduler(stage);
  const { schedulerName } = stage;
  const gang = { cards: 4, labels: gangLabels('g', 8), schedulerName };
  const created = Promise.all([
    ...Array.from({ length: 40 }, (_, index) => stage.space.addPod(`p${index}`, { cards: 1, schedulerName })),
    ...Array.from({ length: 8 }, (_, index) => stage.space.addPod(`g${index}`, gang)),
  ]);
  await stage.untilBound(1);
  first.kill();
  scheduler(stage);
  await created;
  await stage.addPods(8, 1, 'later');
  await stage.untilBound(56);
  await stage.expectCalm();
});

test('of two replicas the one behind a partition stops, the other goes on, and nothing is done twice', async () => {
  const stage = await Stage.forTest(plane);
  await stage.space.addNodes(8, { cards: 8 });
  const first = await stage.leader();
  const second = await stage.follower();
  await stage.addPods(20, 1);
  await stage.untilBound(1);
  // It has binds under way and believes that it leads.
  first.proxy.cut();
  await stage.addPods(20, 1, 'q');
  await until('the other leads', async () => {
    expect(first.service.isLeading && second.service.isLeading).toBe(false);
    return second.service.isLeading;
  });
  await stage.untilBound(40);
  await stage.expectNothingBroken();
  first.proxy.mend();
  await stage.addPods(30, 1, 'r');
  await stage.untilBound(64);
  await stage.expectCalm();
  expect(first.service.isLeading).toBe(false);
});

test('a leader that stops with binds under way hands over in good order', async () => {
  const stage = await Stage.forTest(plane);
  await stage.space.addNodes(4, { cards: 8 });
  const first = await stage.leader();
  await stage.follower();
  await stage.addPods(36, 1);
  await stage.untilBound(1);
  await first.service.stop();
  await stage.untilBound(32);
  await stage.expectCalm();
});
