import { controlPlane, until } from '@springtide/testkit/controlplane/fixtures';
import { describe, expect, test } from 'vitest';
import { Stage } from './stage.ts';

const plane = controlPlane();

/** Runs something once. */
function once(act: () => Promise<unknown>): () => Promise<void> {
  let done: Promise<unknown> | null = null;
  return async () => {
    done ??= act();
    await done;
  };
}

describe('between the decision and the bind', () => {
  test('somebody else binds the pod (409): it stays there, and nobody is placed on what it holds', async () => {
    const stage = await Stage.forTest(plane);
    const [first = '', second = ''] = await stage.space.addNodes(2, { cards: 4 });
    let chosen = '';
    const replica = await stage.leader({
      beforeBind: async ({ pod, machine }) => {
        if (pod.name !== 'p0' || chosen !== '') return;
        chosen = machine;
        await stage.space.bind('p0', machine === first ? second : first);
        // Made after the other's bind, so whoever watches the pods has learned of that one first.
        await stage.addPods(1, 4, 'q');
      },
    });
    await stage.addPods(1, 4);
    await stage.untilBound(2);
    await stage.expectCalm();
    expect((await stage.space.pod('q0')).spec.nodeName).toBe(chosen);
    expect(replica.service.counts().bindsFailed).toBe(1);
  });

  test('the pod is deleted: its cards go to another', async () => {
    const stage = await Stage.forTest(plane);
    await stage.space.addNodes(1, { cards: 4 });
    const [first] = ['p0'];
    const deleting = once(() => plane.api.delete(`${stage.space.path}/pods/${first}`));
    await stage.leader({ beforeBind: ({ pod }) => (pod.name === first ? deleting() : Promise.resolve()) });
    await stage.addPods(1, 4);
    await until('it is gone', async () => (await stage.space.pods()).length === 0);
    await stage.addPods(1, 4, 'q');
    await stage.untilBound(1);
    await stage.expectCalm();
  });

  test('the pod is made anew under its name: only the new one is bound, once', async () => {
    const stage = await Stage.forTest(plane);
    await stage.space.addNodes(1, { cards: 4 });
    const renew = once(async () => {
      await plane.api.delete(`${stage.space.path}/pods/p0`, { gracePeriodSeconds: 0 });
      await stage.addPods(1, 4);
    });
    await stage.leader({ beforeBind: renew });
    await stage.addPods(1, 4);
    await stage.untilBound(1);
    await stage.expectCalm();
  });

  test('the node is deleted: what comes after goes elsewhere', async () => {
    const stage = await Stage.forTest(plane);
    const [first = ''] = await stage.space.addNodes(1, { cards: 4 });
    await stage.leader({ beforeBind: once(() => plane.api.delete(`/api/v1/nodes/${first}`)) });
    await stage.addPods(1, 4);
    await until('the node is gone', async () => {
      return (await plane.api.send({ method: 'GET', path: `/api/v1/nodes/${first}` })).status === 404;
    });
    const [second] = await stage.space.addNodes(1, { cards: 4 });
    await stage.addPods(1, 4, 'q');
    const pod = await stage.space.untilPod('q0', ({ spec }) => spec.nodeName !== undefined);
    expect(pod.spec.nodeName).toBe(second);
    await stage.expectCalm();
  });

  test('the node is cordoned: nothing more goes there until that is taken back', async () => {
    const stage = await Stage.forTest(plane);
    const [node = ''] = await stage.space.addNodes(1, { cards: 4 });
    await stage.leader({ beforeBind: once(() => plane.kubectl(['cordon', node])) });
    await stage.addPods(1, 1);
    await stage.untilBound(1);
    await stage.addPods(1, 1, 'q');
    await stage.expectCalm();
    expect((await stage.space.pod('q0')).spec.nodeName).toBe(undefined);
    await plane.kubectl(['uncordon', node]);
    await stage.untilBound(2);
    await stage.expectCalm();
  });

  test('a card turns unhealthy, so that fewer can be had: nobody is placed on it until it is well', async () => {
    const stage = await Stage.forTest(plane);
    const [node = ''] = await stage.space.addNodes(1, { cards: 4, isPlayed: false });
    const setUsable = (count: number): Promise<unknown> =>
      plane.api.patch(`/api/v1/nodes/${node}/status`, { status: { allocatable: { 'nvidia.com/gpu': String(count) } } });
    await stage.leader({ beforeBind: once(() => setUsable(3)) });
    await stage.addPods(1, 2);
    await stage.untilBound(1);
    await stage.addPods(1, 2, 'q');
    await stage.expectCalm();
    expect((await stage.space.pod('q0')).spec.nodeName).toBe(undefined);
    await setUsable(4);
    await stage.untilBound(2);
    await stage.expectCalm();
  });
});

test('I10: pods of higher priority that all make room at once evict nobody in vain', async () => {
  const stage = await Stage.forTest(plane);
  await stage.space.addNodes(3, { cards: 4 });
  const priorityClassName = `high-${stage.space.id}`;
  const meta = { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', metadata: { name: priorityClassName } };
  await plane.api.create('/apis/scheduling.k8s.io/v1/priorityclasses', { ...meta, value: 1000, description: 'x' });
  await stage.leader();
  await stage.addPods(12, 1);
  await stage.untilBound(12);
  const high = { cards: 2, schedulerName: stage.schedulerName, spec: { priorityClassName } };
  await Promise.all(['h0', 'h1', 'h2', 'h3'].map((name) => stage.space.addPod(name, high)));
  const isPlaced = ({ metadata, spec }: any): boolean => metadata.name.startsWith('h') && spec.nodeName !== undefined;
  await until('all of them run', async () => (await stage.space.pods()).filter(isPlaced).length === 4);
  await stage.expectCalm();
  // Four times two cards: eight of the twelve leave, and not one more.
  expect((await stage.space.pods()).filter(({ spec }) => spec.nodeName !== undefined)).toHaveLength(4 + 4);
});
