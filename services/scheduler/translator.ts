import { isAlike } from '@springtide/core/base';
import type { Constraints, Machine, Pod, TopologyRequest } from '@springtide/core/model';
import type { GangMembership, SchedulerEvent, SeenPod } from '@springtide/core/scheduler';
import type { ClusterEvent, ClusterPod, GangObject } from '@springtide/ports/cluster';
import { Budgets } from './budgets.ts';
import { CardQuotas } from './card-quotas.ts';
import { claimIds, DeviceClaims } from './device-claims.ts';
import { choosesNamespaces, Namespaces } from './namespaces.ts';
import { Pools } from './pools.ts';
import { Storage, type VolumeOrder } from './storage.ts';

/** What changed of the objects that say something of pods, in one batch of events. */
interface Moved {
  readonly gangs: Set<string>;
  readonly claims: Set<string>;
  readonly deviceClaims: Set<string>;
  /** A volume or storage class: pods with claims are all told again. */
  volumes: boolean;
  /** Labels of a namespace: pods whose affinities choose by them are told again. */
  namespaces: boolean;
  /** Namespaces whose tenant, or what it shares, changed: all their pods are told again. */
  readonly tenancies: Set<string>;
  /** Namespaces whose quota of cards changed: their waiting pods are told again. */
  readonly quotas: Set<string>;
  /** An isolated pool: machines and waiting pods are all told again. */
  pools: boolean;
}

/**
 * Turns what the cluster shows into what the scheduler hears. It keeps what one object says of others: how many a
 * gang wants, how many replicas a service has, where volumes can be used, which pods a budget protects,
 * and which machines are set apart for whom.
 */
export class Translator {
  readonly #schedulerName: string;
  readonly #pods = new Map<string, ClusterPod>();
  readonly #gangs = new Map<string, GangObject>();
  readonly #budgets = new Budgets(this.#pods);
  readonly #storage = new Storage();
  readonly #namespaces = new Namespaces();
  readonly #quotas = new CardQuotas();
  readonly #replicas = new Map<string, number>();
  readonly devices = new DeviceClaims();
  readonly pools = new Pools();

  constructor(schedulerName: string) {
    this.#schedulerName = schedulerName;
  }

  /** A pod as last seen, or undefined. */
  podOf(uid: string): ClusterPod | undefined {
    return this.#pods.get(uid);
  }

  /** All pods as last seen. */
  pods(): Iterable<ClusterPod> {
    return this.#pods.values();
  }

  /** What has to be written about a pod's claims before it is bound to a machine; null: it cannot be any more. */
  volumeOrders(uid: string, machine: Machine): VolumeOrder[] | null {
    const pod = this.#pods.get(uid);
    return pod === undefined ? [] : this.#storage.ordersFor(pod, machine);
  }

  /** Whether budgets let all of these pods go together. */
  mayAllLeave(uids: readonly string[]): boolean {
    return this.#budgets.allow(uids.flatMap((uid) => this.#pods.get(uid) ?? []));
  }

  translate(events: readonly ClusterEvent[]): SchedulerEvent[] {
    const heard: SchedulerEvent[] = [];
    const again = new Set<string>();
    const moved = nothingMoved();
    for (const event of events) {
      this.#take(event, moved);
      const device = this.devices.take(event);
      if (device !== null) heard.push(device.heard);
      if (device !== null && device.claim !== null) moved.deviceClaims.add(device.claim);
      if (event.kind === 'pod-seen') again.add(event.pod.uid);
      if (event.kind === 'machine-seen') heard.push({ kind: 'machine', machine: this.pools.seeMachine(event.machine) });
      if (event.kind === 'machine-gone') heard.push(this.#loseMachine(event.machine));
      if (event.kind === 'pod-gone') heard.push({ kind: 'pod-gone', uid: event.pod.uid });
    }
    if (moved.pools) for (const machine of this.pools.machines()) heard.push({ kind: 'machine', machine });
    for (const uid of this.#concerned(moved)) again.add(uid);
    for (const uid of again) {
      const pod = this.#pods.get(uid);
      if (pod !== undefined) heard.push({ kind: 'pod', seen: this.#seen(pod) });
    }
    const exhausted = this.#budgets.takeChange();
    if (exhausted !== null) heard.push({ kind: 'budgets', exhausted });
    return heard;
  }

  #loseMachine(id: string): SchedulerEvent {
    this.pools.loseMachine(id);
    return { kind: 'machine-gone', id };
  }

  #take(event: ClusterEvent, moved: Moved): void {
    switch (event.kind) {
      case 'pod-seen':
        return this.#takePod(event.pod);
      case 'pod-gone':
        return this.#forgetPod(event.pod.uid);
      case 'gang-seen':
        // Its status is written again and again; only what it wants matters.
        if (!isAlike(this.#gangs.get(event.gang.id), event.gang)) moved.gangs.add(event.gang.id);
        this.#gangs.set(event.gang.id, event.gang);
        return;
      case 'gang-gone':
        this.#gangs.delete(event.gang);
        moved.gangs.add(event.gang);
        return;
      case 'budget-seen':
        return this.#budgets.see(event.budget);
      case 'budget-gone':
        return this.#budgets.lose(event.budget);
      case 'pool-seen':
        if (this.pools.see(event.pool)) moved.pools = true;
        return;
      case 'pool-gone':
        if (this.pools.lose(event.pool)) moved.pools = true;
        return;
      default:
        this.#takeOther(event, moved);
    }
  }

  #takeOther(event: ClusterEvent, moved: Moved): void {
    const namespace = this.#namespaces.take(event);
    if (namespace !== null) moved.namespaces = true;
    if (namespace?.isOfTenancy === true) moved.tenancies.add(namespace.name);
    const limited = this.#quotas.take(event);
    if (limited !== null) moved.quotas.add(limited);
    const storage = this.#storage.take(event);
    if (storage === 'all') moved.volumes = true;
    else if (storage !== null) moved.claims.add(storage.claim);
  }

  #takePod(pod: ClusterPod): void {
    const before = this.#pods.get(pod.uid);
    if (before?.pod.service !== pod.pod.service) {
      if (before !== undefined) this.#countReplica(before.pod, -1);
      this.#countReplica(pod.pod, 1);
    }
    this.#pods.set(pod.uid, pod);
    this.#budgets.seePod(pod);
  }

  #forgetPod(uid: string): void {
    const pod = this.#pods.get(uid);
    if (pod === undefined) return;
    this.#countReplica(pod.pod, -1);
    this.#pods.delete(uid);
    this.#budgets.losePod(pod);
  }

  #countReplica({ service }: Pod, by: number): void {
    if (service !== '') this.#replicas.set(service, (this.#replicas.get(service) ?? 0) + by);
  }

  /** Uids of pods that what moved concerns: one pass over the pods, however much moved. */
  #concerned({ gangs, claims, deviceClaims, volumes, namespaces, tenancies, quotas, pools }: Moved): string[] {
    const count = gangs.size + claims.size + deviceClaims.size + tenancies.size + quotas.size;
    if (count === 0 && !volumes && !namespaces && !pools) return [];
    const isConcerned = (cluster: ClusterPod): boolean => {
      const { gang, namespace, volumeClaims, machine, pod } = cluster;
      return (
        (namespaces && choosesNamespaces(pod.request.constraints)) ||
        tenancies.has(namespace) ||
        (machine === null && quotas.has(namespace)) ||
        volumeClaims.some((name) => claims.has(`${namespace}/${name}`)) ||
        (machine === null && claimIds(cluster).some((id) => deviceClaims.has(id))) ||
        (gang !== null && gangs.has(gang.object)) ||
        (machine === null && (pools || (volumes && volumeClaims.length > 0)))
      );
    };
    return [...this.#pods.values()].filter(isConcerned).map(({ uid }) => uid);
  }

  #seen(cluster: ClusterPod): SeenPod {
    const pod = this.#namespaces.tenanted(cluster.pod);
    const constraints = this.pools.constrain(cluster, this.#constraintsOf(cluster));
    const request = constraints === pod.request.constraints ? pod.request : { ...pod.request, constraints };
    const deviceClaims = cluster.deviceClaims.length === 0 ? {} : { deviceClaims: claimIds(cluster) };
    return {
      uid: cluster.uid,
      pod: { ...pod, ...deviceClaims, request, serviceReplicas: this.#replicas.get(pod.service) ?? 0 },
      machine: cluster.machine,
      isFinished: cluster.phase === 'Succeeded' || cluster.phase === 'Failed',
      isDeleting: cluster.isDeleting,
      isReady: cluster.isReady,
      isOurs: cluster.schedulerName === this.#schedulerName && !cluster.isGated,
      mayPreempt: cluster.preemptionPolicy !== 'Never',
      createdAtMs: cluster.createdAtMs,
      startedAtMs: cluster.startedAtMs,
      gang: this.#gangOf(cluster),
      held: cluster.held,
      fractionGroups: cluster.fractionGroups,
    };
  }

  /** Null for what may start one by one, anywhere. */
  #gangOf({ gang }: ClusterPod): GangMembership | null {
    if (gang === null) return null;
    const object = this.#gangs.get(gang.object);
    const minCount = object?.isStaged === true ? 1 : (gang.minCount ?? object?.minCount ?? Infinity);
    const level = object?.topologyLevel ?? null;
    const topology: TopologyRequest | null =
      level === null ? gang.topology : { level, mode: 'required', pattern: 'all-reduce' };
    const unknownTopology = level === null ? (object?.topologyKey ?? '') : '';
    if (minCount <= 1 && topology === null && unknownTopology === '') return null;
    return { id: gang.id, minCount, topology, unknownTopology };
  }

  /** With what other objects say of them: where volumes are, which namespaces have which labels. */
  #constraintsOf(cluster: ClusterPod): Constraints {
    const resolved = this.#namespaces.resolved(cluster.pod.request.constraints);
    const constraints = this.#withLimits(cluster, this.#withDevices(cluster, resolved));
    if (cluster.volumeClaims.length === 0) return constraints;
    // A pod that has its machine only keeps others off what it has to itself.
    const volumes = cluster.machine === null ? this.#storage.needsOf(cluster) : [];
    return { ...constraints, volumes, exclusiveClaims: this.#storage.exclusiveClaims(cluster) };
  }

  #withLimits({ machine, pod }: ClusterPod, constraints: Constraints): Constraints {
    if (machine !== null || pod.request.cards.kind === 'none') return constraints;
    const cardLimits = this.#quotas.limitsOf(pod.namespace);
    return cardLimits.length === 0 ? constraints : { ...constraints, cardLimits };
  }

  #withDevices(cluster: ClusterPod, constraints: Constraints): Constraints {
    if (cluster.deviceClaims.length === 0 || cluster.machine !== null) return constraints;
    return { ...constraints, devices: this.devices.needsOf(cluster) };
  }
}

function nothingMoved(): Moved {
  const claims = { claims: new Set<string>(), deviceClaims: new Set<string>() };
  const sets = { ...claims, gangs: new Set<string>(), tenancies: new Set<string>(), quotas: new Set<string>() };
  return { ...sets, volumes: false, namespaces: false, pools: false };
}
