import { describe, expect, test } from 'vitest';
import { controlPlane, spaceForTest, until } from './fixtures/index.ts';

const plane = controlPlane();
const isRunning = (pod: any): boolean => pod.status.phase === 'Running';

describe('fake nodes', () => {
  test('get ready with what they were made with, and lose the taint they start with', async () => {
    const space = await spaceForTest(plane);
    const [name] = await space.addNodes(1, { cards: 8, labels: { zone: 'a' } });
    const node = await plane.api.get(`/api/v1/nodes/${name}`);
    expect(node.status.allocatable).toMatchObject({ 'nvidia.com/gpu': '8', cpu: '64' });
    expect(node.metadata.labels).toMatchObject({ zone: 'a', ...space.nodeLabels });
    expect(node.spec.taints ?? []).toEqual([]);
  });

  test('run the pods that are bound to them', async () => {
    const space = await spaceForTest(plane);
    const [name = ''] = await space.addNodes(1, { cards: 8 });
    await space.addPod('a', { cards: 2 });
    expect((await space.pod('a')).status.phase).toBe('Pending');
    await space.bind('a', name);
    const pod = await space.untilPod('a', isRunning);
    expect(pod.spec.nodeName).toBe(name);
    expect(pod.status.conditions).toContainEqual(expect.objectContaining({ type: 'Ready', status: 'True' }));
  });

  test('end a pod after the time it names, and let go of one that is deleted', async () => {
    const space = await spaceForTest(plane);
    const [name = ''] = await space.addNodes(1);
    await space.addPod('short', { runsFor: '200ms' });
    await space.addPod('endless');
    await space.bind('short', name);
    await space.bind('endless', name);
    await space.untilPod('short', (pod) => pod.status.phase === 'Succeeded');
    await space.untilPod('endless', isRunning);
    await plane.api.delete(`${space.path}/pods/endless`);
    await until('it is gone', async () => (await space.pods()).length === 1);
  });

  test('are hundreds within seconds', async () => {
    const space = await spaceForTest(plane);
    await space.addNodes(300, { cards: 8 });
  });

  test('get ready by themselves when they are not', async () => {
    const space = await spaceForTest(plane);
    const [name = ''] = await space.addNodes(1, { isReady: false });
    const node = await plane.api.get(`/api/v1/nodes/${name}`);
    expect(node.status.nodeInfo.kubeletVersion).toMatch(/^kwok-v/);
  });

  test('can be bound to without running what is bound', async () => {
    const space = await spaceForTest(plane);
    const [still = ''] = await space.addNodes(1, { isPlayed: false });
    const [played = ''] = await space.addNodes(1);
    await space.addPod('a');
    await space.addPod('b');
    await space.bind('a', still);
    await space.bind('b', played);
    await space.untilPod('b', isRunning);
    expect((await space.pod('a')).status.phase).toBe('Pending');
  });
});

describe('kube-scheduler', () => {
  test('binds the pods of its name and leaves the others alone', async () => {
    const space = await spaceForTest(plane);
    await space.addNodes(2, { cards: 8 });
    const scheduler = await plane.startKubeScheduler({ name: 'real' });
    await space.addPod('mine', { cards: 8, schedulerName: 'real' });
    await space.addPod('other', { cards: 8 });
    await space.addPod('too-large', { cards: 9, schedulerName: 'real' });
    await space.untilPod('mine', isRunning);
    const refused = await space.untilPod('too-large', (pod) => pod.status.conditions !== undefined);
    expect(refused.status.conditions[0]).toMatchObject({
      type: 'PodScheduled',
      status: 'False',
      reason: 'Unschedulable',
    });
    expect((await space.pod('other')).spec.nodeName).toBeUndefined();
    expect(await scheduler.metrics()).toContain('scheduler_schedule_attempts_total{');
    const usage = await scheduler.usage();
    if (process.platform === 'linux') expect(usage?.rssBytes).toBeGreaterThan(2 ** 20);
    await scheduler.stop();
    expect(await scheduler.usage()).toBeNull();
  });

  test('starts the pods of a Deployment, which controllers make', async () => {
    const space = await spaceForTest(plane);
    await space.addNodes(2, { cards: 8 });
    const scheduler = await plane.startKubeScheduler();
    const inSpace = ['--namespace', space.namespace];
    await plane.kubectl(['create', 'deployment', 'web', '--image=none.invalid/none', '--replicas=3', ...inSpace]);
    await plane.kubectl(['rollout', 'status', 'deployment/web', '--timeout=60s', ...inSpace]);
    await scheduler.stop();
  });
});
