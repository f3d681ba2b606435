import { controlPlane } from '@springtide/testkit/controlplane/fixtures';
import { describe, expect, test } from 'vitest';
import { Stage } from './stage.ts';

const plane = controlPlane();

describe('a pod that asks for something absurd', () => {
  test.each(['-1', '1.5'])('%s cards: the API server itself refuses it', async (cards) => {
    const stage = await Stage.forTest(plane);
    const limits = { 'nvidia.com/gpu': cards };
    const container = { name: 'main', image: 'none.invalid/none', resources: { limits } };
    await expect(stage.space.addPod('a', { spec: { containers: [container] } })).rejects.toThrow(/422|400/);
  });

  test('0 cards: it needs none, and is placed', async () => {
    const stage = await Stage.forTest(plane);
    await stage.space.addNodes(1, { cards: 1 });
    await stage.leader();
    const limits = { 'nvidia.com/gpu': '0' };
    const container = { name: 'main', image: 'none.invalid/none', resources: { limits } };
    for (const name of ['a', 'b']) {
      await stage.space.addPod(name, { schedulerName: stage.schedulerName, spec: { containers: [container] } });
    }
    await stage.addPods(1, 1);
    await stage.untilBound(3);
    await stage.expectCalm();
  });

  test('10^12 cards, more than a number can tell, a selector that no node has: each is told why, others are placed', async () => {
    const stage = await Stage.forTest(plane);
    await stage.space.addNodes(1, { cards: 4 });
    await stage.leader();
    const { schedulerName } = stage;
    await stage.space.addPod('trillion', { schedulerName, cards: 1e12 });
    await stage.space.addPod('absurd', { schedulerName, cards: 5e15 });
    await stage.space.addPod('nowhere', { schedulerName, cards: 1, nodeSelector: { moon: 'dark' } });
    await stage.addPods(4, 1);
    await stage.untilBound(4);
    expect(await stage.verdictOn('trillion')).toMatch(/cards/);
    expect(await stage.verdictOn('absurd')).toMatch(/cannot be read.*nvidia\.com\/gpu/);
    expect(await stage.verdictOn('nowhere')).toMatch(/moon|selector|label/);
    await stage.expectCalm();
  });
});

test('annotations of other tools that are malformed: a node’s cards are not believed, a pod’s count as absent', async () => {
  const stage = await Stage.forTest(plane);
  const garbage = ['{', '[{"id":7}]', 'GPU-1,x,y,z:', '\u0000', ':::::', '['.repeat(5000), '1e999'];
  const of = (keys: readonly string[], text: string): Record<string, string> =>
    Object.fromEntries(keys.map((key) => [key, text]));
  for (const text of garbage) {
    const annotations = of(['hami.io/node-nvidia-register', 'volcano.sh/node-vgpu-register'], text);
    await stage.space.addNodes(1, { cards: 2, annotations });
  }
  const sound = await stage.space.addNodes(2, { cards: 8, annotations: { 'hami.io/node-handshake': '{' } });
  await stage.leader();
  const podKeys = [
    'hami.io/vgpu-devices-allocated',
    'hami.io/vgpu-devices-to-allocate',
    'hami.io/vgpu-mig-allocations',
  ];
  for (const [index, text] of garbage.entries()) {
    const annotations = of([...podKeys, 'gpu-fraction', 'gpu-memory', 'volcano.sh/vgpu-ids-new'], text);
    const labels = { 'pod-group.scheduling.sigs.k8s.io/min-available': 'many' };
    await stage.space.addPod(`bad${index}`, { cards: 1, annotations, labels, schedulerName: stage.schedulerName });
  }
  await stage.addPods(9, 1, 'good');
  await stage.untilBound(16);
  await stage.expectCalm();
  expect((await stage.space.pods()).filter(({ spec }) => !sound.includes(spec.nodeName))).toEqual([]);
});
