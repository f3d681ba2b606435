import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readKubeconfig } from '@springtide/adapters/kubernetes/client';
import type { SchedulerService } from '@springtide/services/scheduler';
import { controlPlane, spaceForTest, until } from '@springtide/testkit/controlplane/fixtures';
import { schedulerOn } from './index.ts';

const NAME = 'springtide-test';
const plane = controlPlane();
let service: SchedulerService;

function replica(name: string): SchedulerService {
  const config = readKubeconfig({ path: plane.adminKubeconfig });
  if (!config.ok) throw new Error(config.error.message);
  return schedulerOn(config.value, { name, leaseNamespace: 'kube-system' });
}

beforeAll(async () => {
  service = replica(NAME);
  service.start();
  await until('the scheduler leads', async () => Promise.resolve(service.isLeading));
});

afterAll(async () => service.stop());

const ours = { schedulerName: NAME };

describe('the scheduler on a real API server', () => {
  test('P1: whole-card pods are placed, and run', async () => {
    const space = await spaceForTest(plane);
    const nodes = await space.addNodes(2, { cards: 4 });
    for (const name of ['a', 'b', 'c', 'd']) await space.addPod(name, { ...ours, cards: 2 });
    for (const name of ['a', 'b', 'c', 'd']) {
      const pod = await space.untilPod(name, (seen) => seen.status.phase === 'Running');
      expect(nodes).toContain(pod.spec.nodeName);
    }
    const [first, second] = nodes.map(
      async (node) => (await space.pods()).filter((pod) => pod.spec.nodeName === node).length,
    );
    expect([await first, await second]).toEqual([2, 2]);
  });

  test('a pod that fits nowhere is told why, and placed when room comes', async () => {
    const space = await spaceForTest(plane);
    await space.addNodes(1, { cards: 4 });
    await space.addPod('holder', { ...ours, cards: 3 });
    await space.untilPod('holder', (seen) => seen.spec.nodeName !== undefined);
    await space.addPod('waiter', { ...ours, cards: 2 });
    const pod = await space.untilPod('waiter', (seen) =>
      (seen.status.conditions ?? []).some((condition: any) => condition.type === 'PodScheduled'),
    );
    const told = pod.status.conditions.find((condition: any) => condition.type === 'PodScheduled');
    expect(told).toMatchObject({ status: 'False', reason: 'Unschedulable' });
    expect(told.message).toContain('free cards');
    expect(await plane.kubectl(['-n', space.namespace, 'describe', 'pod', 'waiter'])).toContain('FailedScheduling');
    await plane.api.delete(`${space.path}/pods/holder`);
    await space.untilPod('waiter', (seen) => seen.spec.nodeName !== undefined);
  });

  test('P5: a gang starts whole, or waits and holds nothing', async () => {
    const space = await spaceForTest(plane);
    await space.addNodes(2, { cards: 4 });
    const labels = {
      'pod-group.scheduling.sigs.k8s.io/name': 'g',
      'pod-group.scheduling.sigs.k8s.io/min-available': '3',
    };
    for (const name of ['g0', 'g1']) await space.addPod(name, { ...ours, cards: 2, labels });
    await space.untilPod('g1', (seen) => (seen.status.conditions ?? []).length > 0);
    expect((await space.pods()).every((pod) => pod.spec.nodeName === undefined)).toBe(true);
    await space.addPod('g2', { ...ours, cards: 2, labels });
    for (const name of ['g0', 'g1', 'g2']) await space.untilPod(name, (seen) => seen.status.phase === 'Running');
  });

  test('pods of other schedulers are left alone, and what they hold is counted', async () => {
    const space = await spaceForTest(plane);
    const [node = ''] = await space.addNodes(1, { cards: 4 });
    await space.addPod('theirs', { cards: 3 });
    await space.bind('theirs', node);
    await space.addPod('mine', { ...ours, cards: 2 });
    await space.untilPod('mine', (seen) => (seen.status.conditions ?? []).length > 0);
    expect((await space.pod('mine')).spec.nodeName).toBe(undefined);
  });

  test('I10: a pod of higher priority takes the place of lower ones, as few as it needs', async () => {
    const space = await spaceForTest(plane);
    await space.addNodes(1, { cards: 4 });
    const priorityClassName = `high-${space.id}`;
    const path = '/apis/scheduling.k8s.io/v1/priorityclasses';
    const meta = { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', metadata: { name: priorityClassName } };
    await plane.api.create(path, { ...meta, value: 1000, description: 'for this test' });
    for (const name of ['low0', 'low1']) await space.addPod(name, { ...ours, cards: 2 });
    for (const name of ['low0', 'low1']) await space.untilPod(name, (seen) => seen.status.phase === 'Running');
    await space.addPod('high', { ...ours, cards: 2, spec: { priorityClassName } });
    await space.untilPod('high', (seen) => seen.status.phase === 'Running');
    const names = (await space.pods()).map((pod) => pod.metadata.name);
    expect(names).toHaveLength(2);
    expect(names).toContain('high');
  });

  test('I6: a second replica waits, and takes over when the leader goes', async () => {
    const name = `${NAME}-pair`;
    const [first, second] = [replica(name), replica(name)];
    first.start();
    await until('the first leads', async () => Promise.resolve(first.isLeading));
    second.start();
    const space = await spaceForTest(plane);
    await space.addNodes(1, { cards: 4 });
    await space.addPod('a', { schedulerName: name, cards: 1 });
    await space.untilPod('a', (seen) => seen.spec.nodeName !== undefined);
    // The answer may come later than the binding is seen.
    await until('the answer is heard', async () => Promise.resolve(first.counts().bound === 1));
    expect([second.counts().bound, second.isLeading]).toEqual([0, false]);
    await first.stop();
    await space.addPod('b', { schedulerName: name, cards: 1 });
    await space.untilPod('b', (seen) => seen.spec.nodeName !== undefined);
    await until('the answer is heard', async () => Promise.resolve(second.counts().bound === 1));
    expect(second.isLeading).toBe(true);
    await second.stop();
  });
});
