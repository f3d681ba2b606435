import { mulberry32 } from '@springtide/core/base';
import { systemClock } from '@springtide/adapters/clock';
import { ApiClient, type ConnectionConfig, readKubeconfig, Transport } from '@springtide/adapters/kubernetes/client';
import { KubernetesCluster, type KubernetesClusterOptions } from '@springtide/adapters/kubernetes/cluster';
import type { PodRef } from '@springtide/ports/cluster';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  addPool,
  forgetPools,
  type NodeOptions,
  POOLS_PATH,
  servePools,
  Space,
  until,
} from '../../controlplane/fixtures/index.ts';
import type { ControlPlane } from '../../controlplane/index.ts';
import { hamiRegister } from '../../kubectl/index.ts';
import {
  type ClusterWorld,
  type KeptEvent,
  type MachineWish,
  type PodWish,
  SLICED_CARD_MIB,
} from '../cluster/world.ts';

export const CONTROLLER = 'springtide.io/scheduler';

/** The connection that a kubeconfig file names. */
export function configOf(path: string): ConnectionConfig {
  const read = readKubeconfig({ path });
  if (!read.ok) throw new Error(read.error.message);
  return read.value;
}

/** A client of the API server, for what is not a cluster; `close` ends its connections. */
export function clientOf(path: string): { readonly client: ApiClient; readonly close: () => Promise<void> } {
  const transport = new Transport(configOf(path), systemClock, 4);
  return { client: new ApiClient(transport, systemClock), close: () => transport.close() };
}

/** Cards that HAMi's plug-in has registered. It counts ten shares of each. */
function slicedNode(prefix: string, { cards = 0 }: MachineWish): NodeOptions {
  const annotations = { 'hami.io/node-nvidia-register': hamiRegister(prefix, cards, SLICED_CARD_MIB) };
  return { annotations, cards: cards * 10 };
}

/** A space on a real control plane. The machines of other tests are there too; what they are called differs. */
export class RealWorld implements ClusterWorld {
  readonly clock = systemClock;
  readonly pass = (ms: number): Promise<void> => sleep(ms);
  readonly plane: ControlPlane;
  readonly space: Space;
  /** What clients are made with, where it differs from the usual. */
  defaults: Partial<KubernetesClusterOptions> = {};
  readonly #config: ConnectionConfig;
  readonly #clients: KubernetesCluster[] = [];
  #hasPools = false;

  private constructor(plane: ControlPlane, space: Space, config: ConnectionConfig) {
    this.plane = plane;
    this.space = space;
    this.#config = config;
  }

  /** Its clients speak as the admin, unless they are told otherwise. */
  static async open(plane: ControlPlane): Promise<RealWorld> {
    return new RealWorld(plane, await Space.open(plane), configOf(plane.adminKubeconfig));
  }

  get namespace(): string {
    return this.space.namespace;
  }

  get #budgets(): string {
    return `/apis/policy/v1/namespaces/${this.namespace}/poddisruptionbudgets`;
  }

  connect(holder: string): KubernetesCluster {
    const client = new KubernetesCluster({
      config: this.#config,
      clock: this.clock,
      random: mulberry32(1),
      controller: CONTROLLER,
      schedulerName: 'springtide',
      holder: `${holder}-${this.space.id}`,
      lease: { namespace: this.namespace, name: 'scheduler' },
      ...this.defaults,
    });
    this.#clients.push(client);
    return client;
  }

  async addMachine(wish: MachineWish = {}): Promise<string> {
    const { isSliced = false, ...options } = wish;
    const [name = ''] = await this.space.addNodes(1, {
      ...options,
      ...(isSliced ? slicedNode(this.space.id, wish) : {}),
    });
    return name;
  }

  async cordon(machine: string): Promise<void> {
    await this.plane.kubectl(['cordon', machine]);
  }

  async removeMachine(machine: string): Promise<void> {
    await this.plane.api.delete(`/api/v1/nodes/${machine}`);
  }

  async addPod(name: string, wish: PodWish = {}): Promise<PodRef> {
    const { cards = 0, labels = {}, isGated = false, sliceMiB } = wish;
    const spec = isGated ? { schedulingGates: [{ name: 'springtide.io/test' }] } : {};
    const resources = sliceMiB === undefined ? {} : { 'nvidia.com/gpumem': String(sliceMiB) };
    const pod = await this.space.addPod(name, { cards, labels, spec, resources, schedulerName: 'springtide' });
    return { uid: pod.metadata.uid, namespace: this.namespace, name };
  }

  async deletePod(pod: PodRef): Promise<void> {
    await this.plane.api.delete(this.#path(pod), { gracePeriodSeconds: 0 });
    await until(`${pod.name} is gone`, async () => (await this.#find(pod)) === null);
  }

  async finishPod(pod: PodRef, phase: 'Succeeded' | 'Failed'): Promise<void> {
    const where = ['-n', this.namespace, 'patch', 'pod', pod.name, '--subresource=status'];
    await this.plane.kubectl([...where, '--type=merge', '-p', JSON.stringify({ status: { phase } })]);
  }

  async addBudget(name: string, app: string, minAvailable: number): Promise<void> {
    const spec = { minAvailable, selector: { matchLabels: { app } } };
    const about = { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata: { name } };
    await this.plane.api.create(this.#budgets, { ...about, spec });
  }

  async removeBudget(name: string): Promise<void> {
    await this.plane.api.delete(`${this.#budgets}/${name}`);
  }

  async addPool(name: string, [key, value]: readonly [key: string, value: string]): Promise<string> {
    this.#hasPools = true;
    await servePools(this.plane);
    const { metadata } = await addPool(this.plane, `${name}-${this.space.id}`, { labels: { [key]: value } });
    return metadata.name;
  }

  async removePool(pool: string): Promise<void> {
    await this.plane.api.delete(`${POOLS_PATH}/${pool}`);
  }

  async cardsOfPool(pool: string): Promise<number | null> {
    return (await this.plane.api.get(`${POOLS_PATH}/${pool}`)).status?.cards ?? null;
  }

  async machineOf(pod: PodRef): Promise<string | null> {
    return (await this.#find(pod))?.spec.nodeName ?? null;
  }

  async eventsOf(pod: PodRef): Promise<readonly KeptEvent[]> {
    const { items } = await this.plane.api.get(`/apis/events.k8s.io/v1/namespaces/${this.namespace}/events`);
    const isOurs = (event: any): boolean => {
      return event.regarding.uid === pod.uid && event.reportingController === CONTROLLER;
    };
    const ours = (items as any[]).filter(isOurs);
    return ours.map(({ reason, note, series }) => ({ reason, note, count: series?.count ?? 1 }));
  }

  async disturb(meanwhile: () => Promise<void>): Promise<void> {
    const restart = this.plane.restartApiServer({ downMs: 1000 });
    await meanwhile();
    await restart;
  }

  async close(): Promise<void> {
    await Promise.all(this.#clients.map((client) => client.stop()));
    if (this.#hasPools) await forgetPools(this.plane);
    await this.space.close();
  }

  #path({ name }: PodRef): string {
    return `${this.space.path}/pods/${name}`;
  }

  /** The pod as the API server has it, null where that is another one or none. */
  async #find(pod: PodRef): Promise<any> {
    const { status, body } = await this.plane.api.send({ method: 'GET', path: this.#path(pod) });
    if (status !== 200 && status !== 404) throw new Error(`GET ${pod.name}: ${status}`);
    return status === 200 && body.metadata.uid === pod.uid ? body : null;
  }
}
