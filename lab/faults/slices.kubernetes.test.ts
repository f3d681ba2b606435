import { controlPlane, until } from '@springtide/testkit/controlplane/fixtures';
import { SliceLedger } from '@springtide/testkit/invariants';
import { expect, onTestFinished, test } from 'vitest';
import { NodeAgents, pluginVendor } from '../device-plugin/index.ts';
import { Stage } from './stage.ts';

const plane = controlPlane();
const NVIDIA = pluginVendor('nvidia');
const REGISTER = NVIDIA.registerKey;
const LOCK = NVIDIA.lock;

/** Nodes whose cards HAMi's plug-in cuts, of 46,068 MiB each; nobody gives them yet. */
class SlicedStage {
  readonly stage: Stage;
  readonly nodes: readonly string[];
  readonly #cards: number;

  private constructor(stage: Stage, nodes: readonly string[], cards: number) {
    this.stage = stage;
    this.nodes = nodes;
    this.#cards = cards;
  }

  static async forTest(nodes: number, cards: number): Promise<SlicedStage> {
    const stage = await Stage.forTest(plane);
    const sliced = new SlicedStage(stage, await stage.space.addNodes(nodes, { isPlayed: false }), cards);
    await (await sliced.plugIn()).kill();
    return sliced;
  }

  /** The kubelets and plug-ins of the nodes. */
  async plugIn(): Promise<NodeAgents> {
    const agents = await NodeAgents.start(plane, [{ vendor: NVIDIA, nodes: this.nodes, cardsPerNode: this.#cards }]);
    onTestFinished(() => agents.kill());
    return agents;
  }

  async addPod(name: string, ...memoryMiB: readonly number[]): Promise<void> {
    const containers = memoryMiB.map((each, index) => containerOf(`c${index}`, NVIDIA.ask(each, 10)));
    await this.stage.space.addPod(name, { schedulerName: this.stage.schedulerName, spec: { containers } });
  }

  async untilRunning(...names: readonly string[]): Promise<void> {
    for (const name of names) await this.stage.space.untilPod(name, ({ status }) => status.phase === 'Running');
  }

  async annotateNode(key: string, value: string | null): Promise<void> {
    await plane.api.patch(`/api/v1/nodes/${this.nodes[0]}`, { metadata: { annotations: { [key]: value } } });
  }

  async annotationOfNode(key: string): Promise<string | undefined> {
    return (await plane.api.get(`/api/v1/nodes/${this.nodes[0]}`)).metadata.annotations?.[key];
  }

  async machineOf(name: string): Promise<string | undefined> {
    return (await this.stage.space.pod(name)).spec.nodeName;
  }

  /** No card is held beyond what it has, and no lock is left. */
  async expectSound(): Promise<void> {
    await until('no lock is left', async () => (await this.annotationOfNode(LOCK)) === undefined);
    const ledger = new SliceLedger(await Promise.all(this.nodes.map((name) => plane.api.get(`/api/v1/nodes/${name}`))));
    for (const object of await this.stage.space.pods()) ledger.see({ type: 'ADDED', object });
    expect(ledger.broken).toEqual([]);
  }
}

function containerOf(name: string, limits: Readonly<Record<string, string>>): object {
  return { name, image: 'none.invalid/none', resources: { limits, requests: limits } };
}

test('a slice gets its card, its bind phase and its label with the binding, and nothing before', async () => {
  const sliced = await SlicedStage.forTest(1, 2);
  await sliced.stage.leader();
  await sliced.addPod('a', 20_000, 10_000);
  const bound = await sliced.stage.space.untilPod('a', ({ spec }) => spec.nodeName !== undefined);
  const [node = ''] = sliced.nodes;
  const { annotations, labels } = bound.metadata;
  expect(annotations['hami.io/vgpu-devices-allocated']).toMatch(
    /^GPU-\S+-\d,NVIDIA,20000,10:;GPU-\S+-\d,NVIDIA,10000,10:;$/,
  );
  expect(annotations).toMatchObject({
    'hami.io/vgpu-devices-to-allocate': annotations['hami.io/vgpu-devices-allocated'],
    'hami.io/vgpu-node': node,
    'hami.io/bind-phase': 'allocating',
  });
  expect(annotations['hami.io/bind-time']).toMatch(/^\d{10}$/);
  expect(labels).toEqual({ 'hami.io/vgpu-node': node });
  expect(await sliced.annotationOfNode(LOCK)).toMatch(new RegExp(`^\\d{4}-.*Z,${sliced.stage.space.namespace},a$`));
  await sliced.plugIn();
  await sliced.untilRunning('a');
  expect((await sliced.stage.space.pod('a')).metadata.annotations['hami.io/bind-phase']).toBe('success');
  await sliced.expectSound();
});

test('two vendors in one pod: it is told so and waits, whatever is free', async () => {
  const sliced = await SlicedStage.forTest(1, 2);
  await sliced.plugIn();
  await sliced.stage.leader();
  const { space, schedulerName } = sliced.stage;
  const cambricon = pluginVendor('cambricon');
  const containers = [containerOf('a', NVIDIA.ask(1000, 10)), containerOf('b', cambricon.ask(1024, 10))];
  await space.addPod('both', { schedulerName, spec: { containers } });
  await sliced.addPod('one', 1000);
  await sliced.untilRunning('one');
  expect(await sliced.stage.verdictOn('both')).toMatch(/two kinds, nvidia\.com\/gpu and cambricon\.com\/vmlu/);
  await sliced.expectSound();
});

test('a lock left by a pod that is gone is taken over, and one of a pod that another scheduler binds is not', async () => {
  const sliced = await SlicedStage.forTest(1, 2);
  const { space } = sliced.stage;
  await sliced.plugIn();
  await sliced.annotateNode(LOCK, `${new Date().toISOString().slice(0, 19)}Z,${space.namespace},gone`);
  await sliced.stage.leader();
  await sliced.addPod('a', 1000);
  await sliced.untilRunning('a');
  await space.addPod('other', { schedulerName: 'hami-scheduler' });
  await sliced.annotateNode(LOCK, `${new Date().toISOString().slice(0, 19)}Z,${space.namespace},other`);
  await sliced.addPod('b', 1000);
  const refused = async (): Promise<boolean> => (await sliced.annotationOfNode(LOCK))?.endsWith(',other') !== true;
  await expect(until('the lock is taken', refused, 3000)).rejects.toThrow('in vain');
  expect(await sliced.machineOf('b')).toBe(undefined);
  await sliced.annotateNode(LOCK, null);
  await sliced.untilRunning('b');
  await sliced.expectSound();
});

test('a pod half allocated when the scheduler dies: the next finishes, and what was only locked is bound anew', async () => {
  const sliced = await SlicedStage.forTest(2, 1);
  const { space } = sliced.stage;
  const first = await sliced.stage.leader();
  await sliced.addPod('a', 40_000);
  // Bound and told its card, which nobody gives it yet.
  await space.untilPod('a', ({ spec }) => spec.nodeName !== undefined);
  first.proxy.cut();
  // Locked, and never bound, as if it had died between the two.
  const bound = await sliced.machineOf('a');
  const free = sliced.nodes.find((node) => node !== bound) ?? '';
  await sliced.addPod('b', 40_000);
  const lock = `${new Date().toISOString().slice(0, 19)}Z,${space.namespace},b`;
  await plane.api.patch(`/api/v1/nodes/${free}`, { metadata: { annotations: { [LOCK]: lock } } });
  await sliced.stage.follower();
  await sliced.plugIn();
  await sliced.untilRunning('a', 'b');
  // It holds what the dead one gave it: no more fits.
  await sliced.addPod('c', 10_000);
  expect(await sliced.stage.verdictOn('c')).toMatch(/MiB|slice|card/);
  await sliced.expectSound();
});

test('a card unplugged under a slice: the others of its pod stay held, and nothing is placed on what is not there', async () => {
  const sliced = await SlicedStage.forTest(1, 2);
  const register = (await sliced.annotationOfNode(REGISTER)) ?? '';
  await sliced.plugIn();
  await sliced.stage.leader();
  await sliced.addPod('a', 40_000, 40_000);
  await sliced.untilRunning('a');
  await sliced.annotateNode(REGISTER, JSON.stringify((JSON.parse(register) as unknown[]).slice(0, 1)));
  await sliced.addPod('b', 10_000);
  await sliced.stage.verdictOn('b');
  await sliced.addPod('c', 5_000);
  await sliced.untilRunning('c');
  await sliced.annotateNode(REGISTER, register);
  await sliced.addPod('d', 6_000);
  await sliced.untilRunning('d');
  expect(await sliced.machineOf('b')).toBe(undefined);
  await sliced.expectSound();
});

test.each(['', '[null]', '[{"id":7}]', 'GPU-1,x,y,z:'])(
  'a register that turns into %j on a live node: nothing new goes there until it is well, and what is held stays held',
  async (text) => {
    const sliced = await SlicedStage.forTest(1, 1);
    const register = (await sliced.annotationOfNode(REGISTER)) ?? '';
    await sliced.plugIn();
    await sliced.stage.leader();
    await sliced.addPod('a', 30_000);
    await sliced.untilRunning('a');
    await sliced.annotateNode(REGISTER, text);
    await sliced.addPod('b', 20_000);
    await sliced.addPod('c', 10_000);
    await sliced.stage.verdictOn('c');
    await sliced.annotateNode(REGISTER, register);
    await sliced.untilRunning('c');
    expect(await sliced.machineOf('b')).toBe(undefined);
    await sliced.expectSound();
  },
);
