import { isAlike, ok, type Result } from '@springtide/core/base';
import type { BindOrder, ClusterEvent, ClusterPod, PodPhase } from '@springtide/ports/cluster';
import { type Machine, NO_CARDS } from '@springtide/core/model';
import { InputFault, readOr } from '../fault.ts';
import { type Fields, fieldsAt } from '../fields.ts';
import { hamiHoldings } from '../hami/holdings.ts';
import { type MadeMachine, makeMachine } from '../make-machine.ts';
import { type NodeDraft, type NodeOptions, readNode } from '../node.ts';
import { isFinished, type PodOptions } from '../observed-pod.ts';
import { headOf, type ObjectRef } from '../watch/known-objects.ts';
import type { HamiAllocation } from '../hami/allocation.ts';
import { allocationOf, type WaitingPod, waitingPod } from './allocations.ts';
import { CardNames } from './card-names.ts';
import { phaseOf, type ReadPod, readClusterPod } from './pod-facts.ts';
import { SharedCards } from './shared-cards.ts';
import { unreadableEvent } from './unreadable.ts';

export interface FleetOptions extends NodeOptions, PodOptions {
  /** Whole cards may be cut into fractions even before a pod shows it. */
  readonly hasFractions: boolean;
}

interface Site {
  readonly node: NodeDraft;
  readonly made: MadeMachine;
}

/**
 * Turns nodes and pods into machines and pods as they come, in any order. What a pod holds depends on its machine,
 * and how a machine's cards may be cut on pods: whoever is concerned is told anew. Of a pod nothing is kept, unless
 * annotations or fractions make what it holds depend on others.
 */
export class Fleet {
  readonly #options: FleetOptions;
  readonly #put: (event: ClusterEvent) => void;
  readonly #sites = new Map<string, Site>();
  readonly #cardNames = new CardNames();
  /** Pods whose holdings depend on others, by uid, and by machine. */
  readonly #kept = new Map<string, ReadPod>();
  readonly #keptOn = new Map<string, Set<string>>();
  readonly #shared = new SharedCards();
  /** Machines whose plug-in gives no cards: somebody has locked it for long. */
  readonly #shunned = new Set<string>();
  /** Pods that ask for cards and wait, by uid. */
  readonly #waiting = new Map<string, WaitingPod>();
  /** Pods that were told and not taken back, by uid. */
  readonly #live = new Set<string>();
  #hasFractions: boolean;

  constructor(options: FleetOptions, put: (event: ClusterEvent) => void) {
    this.#options = options;
    this.#put = put;
    this.#hasFractions = options.hasFractions;
  }

  seeNode(object: Fields): void {
    try {
      const node = readNode(object, this.#options);
      // Heartbeats and locks change nothing here, and what a machine holds would be told again each time.
      if (!isAlike(this.#sites.get(node.name)?.node, node)) this.#settle(node);
    } catch (error) {
      if (!(error instanceof InputFault)) throw error;
      this.#put(unreadableEvent('Node', object, error));
      this.loseNode(headOf(object));
    }
  }

  loseNode({ id }: ObjectRef): void {
    this.#sites.delete(id);
    this.#shunned.delete(id);
    this.#cardNames.release(id);
    this.#put({ kind: 'machine-gone', machine: id });
    this.#tellAgain(id);
  }

  seePod(object: Fields): void {
    let read: ReadPod;
    try {
      if (isFinished(object)) return this.losePod(headOf(object), object);
      read = readClusterPod(object, this.#options);
    } catch (error) {
      if (!(error instanceof InputFault)) throw error;
      this.#put(unreadableEvent('Pod', object, error));
      return this.losePod(headOf(object), null);
    }
    const { draft, facts } = read;
    this.#live.add(facts.uid);
    if (draft.isFraction && !this.#hasFractions) this.#allowFractions();
    this.#keep(read);
    if (draft.machine === null && draft.pod.request.cards.kind !== 'none') {
      this.#waiting.set(facts.uid, waitingPod(object));
    } else this.#waiting.delete(facts.uid);
    this.#put({ kind: 'pod-seen', pod: this.#podOf(read) });
    for (const uid of this.#shared.see(facts.uid, draft)) this.#tellPod(uid);
  }

  /** It is deleted, or has ended: either way it holds nothing any more, and that is told once. */
  losePod({ uid, id }: ObjectRef, last: Fields | null): void {
    if (!this.#live.delete(uid)) return;
    const [namespace = '', name = ''] = id.split('/');
    this.#forget(uid);
    this.#waiting.delete(uid);
    this.#put({ kind: 'pod-gone', pod: { uid, namespace, name }, phase: lastPhase(last) });
    for (const other of this.#shared.lose(uid)) this.#tellPod(other);
  }

  /** What a plug-in is told with the binding of a pod; null: nothing. `nowMs` is by the wall clock. */
  allocationOf(order: BindOrder, nowMs: number): Result<HamiAllocation | null, string> {
    const site = this.#sites.get(order.machine);
    const pod = this.#waiting.get(order.pod.uid);
    return site === undefined || pod === undefined ? ok(null) : allocationOf(order, pod, site, nowMs);
  }

  /** Whether cards that HAMi's plug-in would have to give are given out on a machine: held ones stay held. */
  shun(machine: string, isShunned: boolean): void {
    const site = this.#sites.get(machine);
    if (site === undefined || this.#shunned.has(machine) === isShunned) return;
    if (isShunned) this.#shunned.add(machine);
    else this.#shunned.delete(machine);
    this.#settle(site.node);
  }

  #settle(node: NodeDraft): void {
    const made = makeMachine(node, this.#hasFractions, (id) => this.#cardNames.unique(id, node.name));
    this.#cardNames.keepOnly(node.name, new Set(made.machine.cards.map((card) => card.id)));
    this.#sites.set(node.name, { node, made });
    const machine = this.#shunned.has(node.name) ? withoutSlices(made) : made.machine;
    this.#put({ kind: 'machine-seen', machine });
    this.#tellAgain(node.name);
  }

  /** The first fraction shows that whole cards may be cut here. */
  #allowFractions(): void {
    this.#hasFractions = true;
    for (const { node } of this.#sites.values()) this.#settle(node);
  }

  #keep(read: ReadPod): void {
    const { draft, facts } = read;
    this.#forget(facts.uid);
    if (draft.allocations === null && draft.fractionGroups.length === 0) return;
    this.#kept.set(facts.uid, read);
    if (draft.machine === null) return;
    const uids = this.#keptOn.get(draft.machine) ?? new Set();
    this.#keptOn.set(draft.machine, uids.add(facts.uid));
  }

  #forget(uid: string): void {
    const machine = this.#kept.get(uid)?.draft.machine ?? null;
    this.#kept.delete(uid);
    if (machine === null) return;
    const uids = this.#keptOn.get(machine);
    uids?.delete(uid);
    if (uids?.size === 0) this.#keptOn.delete(machine);
  }

  #tellAgain(machine: string): void {
    for (const uid of this.#keptOn.get(machine) ?? []) this.#tellPod(uid);
  }

  #tellPod(uid: string): void {
    const read = this.#kept.get(uid);
    if (read !== undefined) this.#put({ kind: 'pod-seen', pod: this.#podOf(read) });
  }

  #podOf({ draft, facts }: ReadPod): ClusterPod {
    const site = draft.machine === null ? undefined : this.#sites.get(draft.machine);
    const held = site === undefined ? null : hamiHoldings(draft, site.made.cards).held;
    // The pod that KAI keeps on a shared card holds what the group holds, and nothing more.
    const request = this.#shared.isDouble(draft) ? { ...draft.pod.request, cards: NO_CARDS } : draft.pod.request;
    const fractionGroups = draft.machine === null || draft.isReservation ? [] : draft.fractionGroups;
    return { ...facts, pod: { ...draft.pod, request }, held, fractionGroups };
  }
}

/** The cards of HAMi's plug-in take no new work. */
function withoutSlices({ machine, cards: { groups } }: MadeMachine): Machine {
  const sliced = new Set(groups.flatMap(({ kind, cardIds }) => (kind === 'hami' ? cardIds : [])));
  const cards = machine.cards.map((card) =>
    sliced.has(card.id) && card.health === 'ok' ? { ...card, health: 'unknown' as const } : card,
  );
  return { ...machine, cards };
}

function lastPhase(last: Fields | null): PodPhase | null {
  return last === null ? null : readOr(null, () => phaseOf(fieldsAt(last, 'status')));
}
