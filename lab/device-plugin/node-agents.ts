import { type Call, type ControlPlane, type ObjectChange, ObjectWatch } from '@springtide/testkit/controlplane';
import type { NodeObject, PodObject } from './api-objects.ts';
import { pendingPod } from './pending-pod.ts';
import { pendingContainers, popContainer } from './to-allocate.ts';
import type { PluginVendor } from './vendors.ts';

/** Nodes of one vendor, each with its kubelet and device plug-in. */
export interface AgentNodes {
  readonly vendor: PluginVendor;
  readonly nodes: readonly string[];
  readonly cardsPerNode: number;
}

export interface AgentCounts {
  /** Pods that run. */
  started: number;
  /** Pods whose admission failed: no cards could be given. */
  failed: number;
  /** Calls in which the plug-in took another pod for the one that the kubelet started: an error of the scheduler. */
  mistaken: number;
}

const KILLED = Symbol('killed');
const MERGE = 'application/merge-patch+json';

/**
 * Kubelets and device plug-ins of nodes that KWOK leaves alone: each pod that is bound there is given its cards,
 * container by container, as the vendor's plug-in does it, and then runs. They can be killed at any moment; others that
 * are started after them go on with what they find.
 */
export class NodeAgents {
  readonly #plane: ControlPlane;
  readonly #groups: readonly AgentNodes[];
  readonly #vendorOf: ReadonlyMap<string, PluginVendor>;
  readonly #watch: ObjectWatch;
  /** Pods that are bound to these nodes and do not run yet, by uid. */
  readonly #seen = new Set<string>();
  readonly #lanes = new Map<string, Promise<void>>();
  readonly counts: AgentCounts = { started: 0, failed: 0, mistaken: 0 };
  #isKilled = false;

  private constructor(plane: ControlPlane, groups: readonly AgentNodes[]) {
    this.#plane = plane;
    this.#groups = groups;
    this.#vendorOf = new Map(groups.flatMap(({ vendor, nodes }) => nodes.map((node) => [node, vendor] as const)));
    this.#watch = new ObjectWatch(plane, '/api/v1/pods', (change) => this.#see(change));
  }

  /** Registers the cards and begins to start pods. */
  static async start(plane: ControlPlane, groups: readonly AgentNodes[]): Promise<NodeAgents> {
    const agents = new NodeAgents(plane, groups);
    await agents.#register();
    void agents.#watch.run().catch((error: unknown) => {
      if (!agents.#isKilled) throw error;
    });
    return agents;
  }

  /** What has been sent may be done; nothing more is sent. Resolves when nothing is under way. */
  async kill(): Promise<void> {
    this.#isKilled = true;
    this.#watch.end();
    await Promise.all(this.#lanes.values());
  }

  /** A plug-in writes what it registers when that is not what stands there. */
  async #register(): Promise<void> {
    const each = this.#groups.flatMap(({ vendor, nodes, cardsPerNode }) =>
      nodes.map((node) => this.#registerNode(node, vendor, cardsPerNode)),
    );
    await Promise.all(each);
  }

  async #registerNode(name: string, vendor: PluginVendor, cards: number): Promise<void> {
    const { api } = this.#plane;
    const path = `/api/v1/nodes/${name}`;
    const { metadata, status } = await api.get(path);
    const capacity = vendor.capacity(cards);
    if (Object.entries(capacity).some(([key, value]) => status.allocatable?.[key] !== value)) {
      await api.patch(`${path}/status`, { status: { capacity, allocatable: capacity } });
    }
    const { registerKey } = vendor;
    const value = vendor.register(name, cards);
    if (registerKey === '' || metadata.annotations?.[registerKey] === value) return;
    await api.patch(path, { metadata: { annotations: { [registerKey]: value } } });
  }

  #see({ type, object }: ObjectChange): void {
    const pod = object as PodObject;
    const { uid, deletionTimestamp } = pod.metadata;
    const node = pod.spec.nodeName ?? '';
    const vendor = this.#vendorOf.get(node);
    if (type === 'DELETED') this.#seen.delete(uid);
    if (type === 'DELETED' || vendor === undefined || deletionTimestamp !== undefined) return;
    if (pod.status.phase !== 'Pending' || this.#seen.has(uid)) return;
    this.#seen.add(uid);
    // A kubelet admits one pod after the other.
    const before = this.#lanes.get(node) ?? Promise.resolve();
    this.#lanes.set(
      node,
      before.then(() => this.#admit(pod, node, vendor).catch(ignoreKilled)),
    );
  }

  async #admit(pod: PodObject, node: string, vendor: PluginVendor): Promise<void> {
    // It may have waited long for its turn, and be gone.
    if (!this.#seen.has(pod.metadata.uid)) return;
    for (let left = callsFor(pod, vendor); left > 0; left -= 1) {
      if (await this.#allocate(pod, node, vendor)) continue;
      this.counts.failed += 1;
      await this.#patchStatus(pod, { phase: 'Failed', reason: 'UnexpectedAdmissionError' });
      return;
    }
    const conditions = [{ type: 'Ready', status: 'True' }];
    await this.#patchStatus(pod, { phase: 'Running', startTime: new Date().toISOString(), conditions });
    this.counts.started += 1;
  }

  /** One call of Allocate. Whether cards were given. */
  #allocate(pod: PodObject, node: string, vendor: PluginVendor): Promise<boolean> {
    switch (vendor.protocol) {
      case 'hami':
        return this.#hami(pod, node, vendor);
      case 'cambricon':
        return this.#cambricon(pod, node, vendor);
      case 'index':
        return Promise.resolve(isIndexed(pod, node));
    }
  }

  async #hami(asked: PodObject, node: string, vendor: PluginVendor): Promise<boolean> {
    const { metadata } = await this.#get<NodeObject>(`/api/v1/nodes/${node}`);
    const lock = metadata.annotations?.[vendor.lock] ?? null;
    const found = pendingPod({ node, lock, pods: await this.#candidates(node, lock) });
    if (!found.ok) return false;
    const { pod } = found;
    if (pod.metadata.uid !== asked.metadata.uid && this.#seen.has(asked.metadata.uid)) this.counts.mistaken += 1;
    const text = pod.metadata.annotations?.[vendor.toAllocate] ?? '';
    const popped = popContainer(text, vendor.word, countsOf(pod));
    if (!popped.ok) return this.#end(pod, node, vendor, 'failed');
    await this.#annotate(pod, { [vendor.toAllocate]: popped.rest });
    return popped.isLast ? this.#end(pod, node, vendor, 'success') : true;
  }

  /** The pod that a lock names, or all of the node where it names none. */
  async #candidates(node: string, lock: string | null): Promise<readonly PodObject[]> {
    const [, namespace, name] = lock?.split(',') ?? [];
    if (name === undefined) return this.#podsOn(node);
    const { status, body } = await this.#plane.api.send({
      method: 'GET',
      path: `/api/v1/namespaces/${namespace}/pods/${name}`,
    });
    return status === 200 ? [body] : [];
  }

  async #podsOn(node: string): Promise<readonly PodObject[]> {
    const path = `/api/v1/pods?fieldSelector=${encodeURIComponent(`spec.nodeName=${node}`)}`;
    return (await this.#get<{ readonly items: readonly PodObject[] }>(path)).items;
  }

  async #end(pod: PodObject, node: string, vendor: PluginVendor, phase: 'success' | 'failed'): Promise<boolean> {
    await this.#annotate(pod, { 'hami.io/bind-phase': phase });
    await this.#unlock(node, vendor.lock, `,${pod.metadata.namespace},${pod.metadata.name}`);
    return phase === 'success';
  }

  async #cambricon(pod: PodObject, node: string, vendor: PluginVendor): Promise<boolean> {
    const isUnassigned = ({ metadata }: PodObject): boolean =>
      metadata.annotations?.['CAMBRICON_DSMLU_ASSIGNED'] === 'false';
    const found = (await this.#podsOn(node)).find(isUnassigned);
    if (found === undefined) return false;
    if (found.metadata.uid !== pod.metadata.uid && this.#seen.has(pod.metadata.uid)) this.counts.mistaken += 1;
    await this.#annotate(found, { CAMBRICON_DSMLU_ASSIGNED: 'true' });
    await this.#unlock(node, vendor.lock, '');
    return true;
  }

  /** Takes the lock away where it ends so, unless the node changes again and again. */
  async #unlock(node: string, lock: string, owner: string): Promise<void> {
    for (let tries = 0; tries < 20; tries += 1) {
      const { metadata } = await this.#get<NodeObject>(`/api/v1/nodes/${node}`);
      if (metadata.annotations?.[lock]?.endsWith(owner) !== true) return;
      const { resourceVersion } = metadata;
      const body = { metadata: { resourceVersion, annotations: { [lock]: null } } };
      const answer = await this.#send({ method: 'PATCH', path: `/api/v1/nodes/${node}`, body, contentType: MERGE });
      if (answer !== 409) return;
    }
  }

  /** What is gone meanwhile needs nothing. */
  async #annotate({ metadata }: PodObject, annotations: Readonly<Record<string, string>>): Promise<void> {
    const { uid, namespace, name } = metadata;
    const path = `/api/v1/namespaces/${namespace}/pods/${name}`;
    await this.#send({ method: 'PATCH', path, body: { metadata: { uid, annotations } }, contentType: MERGE });
  }

  async #patchStatus({ metadata }: PodObject, status: Readonly<Record<string, unknown>>): Promise<void> {
    const { uid, namespace, name } = metadata;
    const path = `/api/v1/namespaces/${namespace}/pods/${name}/status`;
    const contentType = 'application/strategic-merge-patch+json';
    await this.#send({ method: 'PATCH', path, body: { metadata: { uid }, status }, contentType });
  }

  async #get<T>(path: string): Promise<T> {
    if (this.#isKilled) throw KILLED;
    return this.#plane.api.get(path);
  }

  /** The status of the answer. What was deleted or made anew is as good as done. */
  async #send(call: Call): Promise<number> {
    if (this.#isKilled) throw KILLED;
    const { status, body } = await this.#plane.api.send(call);
    if (status >= 400 && status !== 404 && status !== 409) throw new Error(`${call.path}: ${status} ${body?.message}`);
    return status;
  }
}

/** Moore Threads' plug-in is told by the pod that the kubelet starts. */
function isIndexed({ metadata }: PodObject, node: string): boolean {
  const { annotations = {} } = metadata;
  const hasIndex = annotations['mthreads.com/gpu-index'] !== undefined;
  return hasIndex && annotations['mthreads.com/predicate-node'] === node;
}

function ignoreKilled(error: unknown): void {
  if (error !== KILLED) throw error;
}

function countsOf({ spec }: PodObject): { init: number; app: number } {
  return { init: spec.initContainers?.length ?? 0, app: spec.containers.length };
}

/** How often the kubelet still has to ask: it remembers which containers have their cards. */
function callsFor({ spec, metadata }: PodObject, vendor: PluginVendor): number {
  const annotations = metadata.annotations ?? {};
  const containers = [...(spec.initContainers ?? []), ...spec.containers];
  const asking = containers.filter(({ resources }) => resources?.limits?.[vendor.resource] !== undefined).length;
  // Cambricon's plug-in gives a pod one profile, whatever its containers are.
  if (vendor.protocol === 'cambricon') return annotations['CAMBRICON_DSMLU_ASSIGNED'] === 'true' ? 0 : 1;
  if (vendor.protocol === 'index') return asking;
  if (annotations['hami.io/bind-phase'] === 'success') return 0;
  const pending = pendingContainers(annotations[vendor.toAllocate] ?? '');
  // The call that took the last cards was never answered.
  return asking === 0 ? 0 : Math.max(1, pending);
}
