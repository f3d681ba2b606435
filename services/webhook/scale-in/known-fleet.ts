import type { Machine, Pod } from '@springtide/core/model';
import { Book, fillBook, matchesSelector } from '@springtide/core/state';
import type { Clock } from '@springtide/ports/clock';
import type { ClusterEvent, ClusterPod, ClusterView, DisruptionBudget, PodRef } from '@springtide/ports/cluster';
import type { ScaleInRequest } from '@springtide/ports/replicas';

/** Events that are taken in before anybody else has a turn. */
const EVENTS_A_TURN = 1000;

/** Machines, who holds what on them, and disruption budgets, as the watches tell. */
export class KnownFleet {
  readonly #view: ClusterView;
  readonly #clock: Clock;
  readonly #machines = new Map<string, Machine>();
  readonly #pods = new Map<string, ClusterPod>();
  readonly #podsOn = new Map<string, Set<string>>();
  readonly #budgets = new Map<string, DisruptionBudget>();
  readonly #marked = new Map<string, ClusterPod>();
  readonly #waiting = new Set<() => void>();
  readonly #unsubscribe: () => void;
  #isTaking = false;
  isSynced = false;

  constructor(view: ClusterView, clock: Clock) {
    this.#view = view;
    this.#clock = clock;
    this.#unsubscribe = view.onReady(() => this.#take());
    this.#take();
  }

  stop(): void {
    this.#unsubscribe();
  }

  /** Pods that carry a mark of ours. */
  get marked(): Iterable<ClusterPod> {
    return this.#marked.values();
  }

  /** Whether pods of a workload ask for cards. O(pods). */
  hasCards({ kind, namespace, name }: Pick<ScaleInRequest, 'kind' | 'namespace' | 'name'>): boolean {
    const isOf = ({ pod, owner }: ClusterPod): boolean =>
      kind === 'Deployment' ? pod.service === `${namespace}/${name}` : owner?.kind === kind && owner.name === name;
    return this.#pods
      .values()
      .some((each) => each.namespace === namespace && each.pod.request.cards.kind !== 'none' && isOf(each));
  }

  /**
   * A book of all machines, with the pods of some machines and of a namespace. O(machines + those pods): what is
   * elsewhere does not matter for who leaves.
   */
  bookAround(machines: ReadonlySet<string>, namespace: string): Book {
    const book = new Book([...this.#machines.values()]);
    const uids = new Set<string>();
    for (const machine of machines) for (const uid of this.#podsOn.get(machine) ?? []) uids.add(uid);
    for (const { uid, pod } of this.#pods.values()) if (pod.namespace === namespace) uids.add(uid);
    fillBook(
      book,
      [...uids].flatMap((uid) => this.#pods.get(uid) ?? []),
    );
    return book;
  }

  /** Tells whether a disruption budget that covers a pod of a namespace lets nobody go. */
  guardian(namespace: string): (replica: { readonly pod: Pod }) => boolean {
    const empty = [...this.#budgets.values()].filter(
      (budget) => budget.disruptionsAllowed <= 0 && budget.namespace === namespace,
    );
    return ({ pod }) => empty.some(({ selector }) => matchesSelector(selector, pod.labels));
  }

  /** Resolves when every one of these pods has been seen so or is gone; not while the watch tells nothing. */
  async untilSeen(pods: readonly PodRef[], isSeen: (pod: ClusterPod) => boolean): Promise<void> {
    const isMissing = ({ uid }: PodRef): boolean => {
      const known = this.#pods.get(uid);
      return known !== undefined && !isSeen(known);
    };
    while (pods.some(isMissing)) await new Promise<void>((resolve) => void this.#waiting.add(resolve));
  }

  #take(): void {
    if (this.#isTaking) return;
    this.#isTaking = true;
    const turn = (): void => {
      const events = this.#view.take(EVENTS_A_TURN);
      for (const event of events) this.#see(event);
      for (const resolve of this.#waiting) resolve();
      this.#waiting.clear();
      if (events.length > 0) this.#clock.after(0, turn);
      else this.#isTaking = false;
    };
    turn();
  }

  #see(event: ClusterEvent): void {
    switch (event.kind) {
      case 'machine-seen':
        this.#machines.set(event.machine.id, event.machine);
        return;
      case 'machine-gone':
        this.#machines.delete(event.machine);
        return;
      case 'pod-seen':
        return this.#seePod(event.pod);
      case 'pod-gone':
        return this.#losePod(event.pod.uid);
      case 'budget-seen':
        this.#budgets.set(event.budget.id, event.budget);
        return;
      case 'budget-gone':
        this.#budgets.delete(event.budget);
        return;
      case 'synced':
        this.isSynced = true;
        return;
      default:
        return;
    }
  }

  #seePod(pod: ClusterPod): void {
    this.#losePod(pod.uid);
    this.#pods.set(pod.uid, pod);
    if (pod.scaleInMark !== null) this.#marked.set(pod.uid, pod);
    if (pod.machine === null) return;
    const uids = this.#podsOn.get(pod.machine) ?? new Set();
    this.#podsOn.set(pod.machine, uids.add(pod.uid));
  }

  #losePod(uid: string): void {
    const known = this.#pods.get(uid);
    if (known === undefined) return;
    this.#pods.delete(uid);
    this.#marked.delete(uid);
    if (known.machine === null) return;
    const uids = this.#podsOn.get(known.machine);
    uids?.delete(uid);
    if (uids?.size === 0) this.#podsOn.delete(known.machine);
  }
}
