import { assert, compareText, type Random } from '@springtide/core/base';
import { EMPTY_REQUEST, type Machine, type Pod, type SliceHeld } from '@springtide/core/model';
import type { Clock } from '@springtide/ports/clock';
import type {
  ClusterEvent,
  ClusterPod,
  DisruptionBudget,
  EventRecord,
  GangObject,
  IsolatedPool,
  PodPhase,
  PodRef,
  PriorityClass,
  RecordAnswer,
} from '@springtide/ports/cluster';
import { aClusterPod } from '@springtide/testkit/builders';
import { budgetAllows } from './budgets.ts';
import { Journal } from './journal.ts';

const EVENTS_KEPT_MAX = 100_000;

/** How the world behaves by itself. */
export interface WorldOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** How long a machine takes to start a pod that is bound to it; null: no pod ever starts. */
  readonly startMs?: number | null;
  /** How long a pod that is being deleted takes to be gone. */
  readonly graceMs?: number;
  /** Changes that are remembered; a watch that is further behind has to list anew. */
  readonly historyMax?: number;
}

export interface PodSketch extends Partial<Omit<ClusterPod, 'uid' | 'namespace' | 'name' | 'pod'>> {
  readonly pod?: Partial<Pod>;
}

export interface LabBudget extends Omit<DisruptionBudget, 'disruptionsAllowed'> {
  readonly minAvailable: number;
}

/** An event as the cluster keeps it, with how often it was told. */
export interface KeptEvent extends EventRecord {
  readonly count: number;
}

/**
 * A cluster in memory: machines, pods and what belongs to them, as nouns. It does what an API server, its
 * controllers and kubelets do as far as a scheduler can tell, and says no to the same orders.
 */
export class LabWorld {
  readonly clock: Clock;
  readonly random: Random;
  readonly journal: Journal;
  readonly machines = new Map<string, Machine>();
  readonly pods = new Map<string, ClusterPod>();
  /** The newest of each sort, by what it says. */
  readonly events = new Map<string, KeptEvent>();
  readonly #budgets = new Map<string, LabBudget>();
  readonly #others = new Map<string, ClusterEvent>();
  readonly #uidOf = new Map<string, string>();
  readonly #options: Required<Pick<WorldOptions, 'startMs' | 'graceMs'>>;
  #uids = 0;
  /** Every binding ever made, in order: what checkers read. */
  readonly bindings: { readonly uid: string; readonly machine: string; readonly atMs: number }[] = [];

  constructor(options: WorldOptions) {
    const { clock, random, startMs = 100, graceMs = 0, historyMax = 10_000 } = options;
    this.clock = clock;
    this.random = random;
    this.journal = new Journal(historyMax);
    this.#options = { startMs, graceMs };
  }

  putMachine(machine: Machine): void {
    this.machines.set(machine.id, machine);
    this.journal.add({ kind: 'machine-seen', machine });
  }

  /** The pods on it stay until somebody deletes them, as in Kubernetes. */
  removeMachine(id: string): void {
    if (this.machines.delete(id)) this.journal.add({ kind: 'machine-gone', machine: id });
  }

  putPriorityClass(priorityClass: PriorityClass): void {
    this.#putOther(`priority ${priorityClass.name}`, { kind: 'priority-class-seen', priorityClass });
  }

  putGang(gang: GangObject): void {
    this.#putOther(`gang ${gang.id}`, { kind: 'gang-seen', gang });
  }

  removeGang(id: string): void {
    if (this.#others.delete(`gang ${id}`)) this.journal.add({ kind: 'gang-gone', gang: id });
  }

  putPool(pool: IsolatedPool): void {
    this.#putOther(`pool ${pool.name}`, { kind: 'pool-seen', pool });
  }

  removePool(name: string): void {
    if (this.#others.delete(`pool ${name}`)) this.journal.add({ kind: 'pool-gone', pool: name });
  }

  /** The pool as it is now, or null. */
  poolOf(name: string): IsolatedPool | null {
    const event = this.#others.get(`pool ${name}`);
    return event?.kind === 'pool-seen' ? event.pool : null;
  }

  putBudget(budget: LabBudget): void {
    this.#budgets.set(budget.id, budget);
    this.#tellBudget(budget);
  }

  removeBudget(id: string): void {
    if (this.#budgets.delete(id)) this.journal.add({ kind: 'budget-gone', budget: id });
  }

  addPod(id: string, sketch: PodSketch = {}): ClusterPod {
    assert(!this.#uidOf.has(id), `there is a pod ${id} already`);
    const [namespace = '', name = ''] = id.split('/');
    const uid = `uid-${(this.#uids += 1)}`;
    const usual = { id, namespace, labels: new Map(), service: '', serviceReplicas: 0, tenant: namespace };
    const pod: Pod = { ...usual, priority: 0, request: EMPTY_REQUEST, ...sketch.pod };
    this.#uidOf.set(id, uid);
    return this.#putPod(aClusterPod(pod, { createdAtMs: this.clock.wallMs(), ...sketch, uid, namespace, name, pod }));
  }

  podOf(id: string): ClusterPod | null {
    return this.pods.get(this.#uidOf.get(id) ?? '') ?? null;
  }

  /** The pod of this very incarnation. */
  find({ uid }: PodRef): ClusterPod | null {
    return this.pods.get(uid) ?? null;
  }

  change(uid: string, part: Partial<ClusterPod>): void {
    const pod = this.pods.get(uid);
    if (pod !== undefined) this.#putPod({ ...pod, ...part });
  }

  /** Where cards can be cut, a plug-in names the parts from then on. */
  bind(uid: string, machine: string, slices: readonly SliceHeld[] = []): void {
    const pod = this.pods.get(uid);
    assert(pod !== undefined && pod.machine === null, `${uid} cannot be bound`);
    this.bindings.push({ uid, machine, atMs: this.clock.nowMs() });
    const cut = new Set(
      this.machines.get(machine)?.cards.flatMap(({ id, slicing }) => (slicing === 'none' ? [] : [id])),
    );
    const held = slices.length > 0 && slices.every(({ cardId }) => cut.has(cardId)) ? slices : null;
    this.#putPod({ ...pod, machine, held, verdict: null, nominatedMachine: null });
    const { startMs } = this.#options;
    if (startMs !== null) this.clock.after(startMs, () => this.#startPod(uid));
  }

  deletePod(uid: string, graceMs: number = this.#options.graceMs): void {
    const pod = this.pods.get(uid);
    if (pod === undefined || pod.isDeleting) return;
    if (graceMs === 0 || pod.machine === null) return this.#removePod(pod, pod.phase);
    this.#putPod({ ...pod, isDeleting: true, isReady: false });
    this.clock.after(graceMs, () => this.#removePod(pod, pod.phase));
  }

  finishPod(uid: string, phase: 'Succeeded' | 'Failed' = 'Succeeded'): void {
    const pod = this.pods.get(uid);
    if (pod !== undefined) this.#removePod(pod, phase);
  }

  /** Whether every budget that covers the pod lets it be evicted now. */
  allowsEviction(pod: ClusterPod): boolean {
    return [...this.#budgets.values()].every((budget) => budgetAllows(budget, pod, this.pods.values()) !== 0);
  }

  record(event: EventRecord): RecordAnswer {
    const key = JSON.stringify(event);
    const known = this.events.get(key);
    if (known === undefined && this.events.size >= EVENTS_KEPT_MAX) return 'dropped';
    this.events.set(key, { ...event, count: (known?.count ?? 0) + 1 });
    return known === undefined ? 'kept' : 'folded';
  }

  /** Everything there is, as a list tells it: in the order of names. */
  everything(): ClusterEvent[] {
    const machines = [...this.machines.values()].toSorted((left, right) => compareText(left.id, right.id));
    const pods = [...this.pods.values()].toSorted((left, right) => compareText(left.pod.id, right.pod.id));
    return [
      ...this.#others.values(),
      ...[...this.#budgets.values()].map((budget) => this.#budgetEvent(budget)),
      ...machines.map((machine): ClusterEvent => ({ kind: 'machine-seen', machine })),
      ...pods.map((pod): ClusterEvent => ({ kind: 'pod-seen', pod })),
    ];
  }

  #putOther(key: string, event: ClusterEvent): void {
    this.#others.set(key, event);
    this.journal.add(event);
  }

  #putPod(pod: ClusterPod): ClusterPod {
    const put = { ...pod, resourceVersion: String(this.journal.version + 1) };
    this.pods.set(put.uid, put);
    this.journal.add({ kind: 'pod-seen', pod: put });
    this.#tellBudgetsOf(put);
    return put;
  }

  #removePod(pod: ClusterPod, phase: PodPhase): void {
    if (!this.pods.delete(pod.uid)) return;
    if (this.#uidOf.get(pod.pod.id) === pod.uid) this.#uidOf.delete(pod.pod.id);
    const { uid, namespace, name } = pod;
    this.journal.add({ kind: 'pod-gone', pod: { uid, namespace, name }, phase });
    this.#tellBudgetsOf(pod);
  }

  #startPod(uid: string): void {
    const pod = this.pods.get(uid);
    if (pod === undefined || pod.isDeleting || !this.machines.has(pod.machine ?? '')) return;
    this.#putPod({ ...pod, phase: 'Running', isReady: true, startedAtMs: this.clock.wallMs() });
  }

  #tellBudgetsOf(pod: ClusterPod): void {
    for (const budget of this.#budgets.values()) if (budget.namespace === pod.namespace) this.#tellBudget(budget);
  }

  #tellBudget(budget: LabBudget): void {
    this.journal.add(this.#budgetEvent(budget));
  }

  #budgetEvent({ minAvailable, ...budget }: LabBudget): ClusterEvent {
    const disruptionsAllowed = budgetAllows({ minAvailable, ...budget }, null, this.pods.values()) ?? 0;
    return { kind: 'budget-seen', budget: { ...budget, disruptionsAllowed } };
  }
}
