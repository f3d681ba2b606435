import type { Machine, Pod } from '@springtide/core/model';
import { isNetworkResource, isVendorResource } from '@springtide/core/vendors';
import { NO_CARDS } from '@springtide/core/model';
import type { CardGroup } from './card-group.ts';
import type { Dump, ObservedPod, TimeSlicedMachine } from './dump.ts';
import type { Fields } from './fields.ts';
import { hamiHoldings, type NamedCards } from './hami/holdings.ts';
import { makeMachine } from './make-machine.ts';
import { MachineUse } from './machine-use.ts';
import { type MigMachine, migMachine } from './mig.ts';
import { type NodeDraft, type NodeOptions, readNode } from './node.ts';
import { isFinished, type PodDraft, type PodOptions, podName, readPod } from './observed-pod.ts';
import type { Problem } from './problem.ts';
import { isExtended } from './resources.ts';

export interface GatheringOptions extends NodeOptions, PodOptions {
  /** Whole cards may be cut into fractions even if no pod of the dump shows it. */
  readonly hasFractions: boolean;
}

/** A machine with what belongs to it while the dump is put together. */
interface Site {
  readonly machine: Machine;
  readonly cards: NamedCards;
  readonly use: MachineUse;
}

/** Collects nodes and pods in any order, then makes a `Dump` of them. Used once. */
export class Gathering {
  readonly #options: GatheringOptions;
  readonly #nodes = new Map<string, NodeDraft>();
  readonly #pods = new Map<string, PodDraft>();
  readonly #finished = new Set<string>();
  readonly #otherKinds = new Map<string, number>();
  readonly #problems: Problem[] = [];
  readonly #cardIds = new Set<string>();

  constructor(options: GatheringOptions) {
    this.#options = options;
  }

  get nodeCount(): number {
    return this.#nodes.size;
  }

  addNode(item: Fields): void {
    const draft = readNode(item, this.#options);
    if (this.#nodes.has(draft.name)) this.#problems.push({ problem: 'duplicate', node: draft.name });
    else this.#nodes.set(draft.name, draft);
  }

  addPod(item: Fields): void {
    const name = podName(item);
    if (this.#pods.has(name) || this.#finished.has(name)) this.#problems.push({ problem: 'duplicate', pod: name });
    else if (isFinished(item)) this.#finished.add(name);
    else this.#pods.set(name, readPod(item, this.#options));
  }

  addOther(kind: string): void {
    this.#otherKinds.set(kind, (this.#otherKinds.get(kind) ?? 0) + 1);
  }

  finish(): Dump {
    const drafts = [...this.#pods.values()];
    if (drafts.length + this.#finished.size === 0) this.#problems.push({ problem: 'no-pods' });
    const hasFractions = this.#options.hasFractions || drafts.some((draft) => draft.isFraction);
    const sites = new Map([...this.#nodes].map(([name, node]) => [name, this.#site(node, hasFractions)] as const));
    const pods = this.#observe(drafts, sites);
    const mig = new Map<string, MigMachine>();
    const timeSliced = new Map<string, TimeSlicedMachine>();
    const fractions = new Map<string, ReadonlyMap<string, number>>();
    const cardGroups = new Map<string, readonly CardGroup[]>();
    for (const [name, node] of this.#nodes) {
      const site = sites.get(name);
      if (site === undefined) continue;
      const { cards, use } = site;
      if (cards.groups.length > 0) cardGroups.set(name, cards.groups);
      const section = migMachine(node, cards.groups, (resource) => use.held(resource));
      if (section !== null) mig.set(name, section);
      const shared = cards.groups.find((group) => group.kind === 'time-sliced');
      if (shared !== undefined) timeSliced.set(name, timeSlicedMachine(shared, use));
      if (use.fractions.size > 0) fractions.set(name, use.fractions);
      this.#problems.push(...use.overbooked());
    }
    return {
      machines: [...sites.values()].map((site) => site.machine),
      cardGroups,
      pods,
      finishedPods: this.#finished.size,
      problems: this.#problems,
      overcommitted: [...sites.values()].flatMap((site) => site.use.overcommitted()),
      unknownResources: unknownResources(this.#nodes.values()),
      mig,
      timeSliced,
      fractions,
      otherKinds: this.#otherKinds,
    };
  }

  #site(node: NodeDraft, hasFractions: boolean): Site {
    const made = makeMachine(node, hasFractions, (id) => this.#uniqueId(id, node.name));
    this.#problems.push(...made.problems);
    return { machine: made.machine, cards: made.cards, use: new MachineUse(made.machine, made.cards.groups) };
  }

  /** Some plug-ins number their cards on each node anew: then the machine's name goes before the id. */
  #uniqueId(id: string, machine: string): string {
    const unique = this.#cardIds.has(id) ? `${machine}/${id}` : id;
    this.#cardIds.add(unique);
    return unique;
  }

  #observe(drafts: readonly PodDraft[], sites: ReadonlyMap<string, Site>): ObservedPod[] {
    const replicas = countReplicas(drafts);
    const shared = sharedGroups(drafts);
    const pods: ObservedPod[] = [];
    for (const draft of drafts) {
      const { machine } = draft;
      for (const annotation of draft.malformed) {
        this.#problems.push({ problem: 'malformed', pod: draft.pod.id, annotation });
      }
      const site = machine === null ? undefined : sites.get(machine);
      if (machine !== null && site === undefined) {
        this.#problems.push({ problem: 'unknown-node', pod: draft.pod.id, node: machine });
        continue;
      }
      const holdings = site === undefined ? null : hamiHoldings(draft, site.cards);
      this.#problems.push(...(holdings?.problems ?? []));
      const observed = observedPod(draft, replicas, shared, holdings?.held ?? null);
      site?.use.add(observed);
      pods.push(observed);
    }
    return pods;
  }
}

function observedPod(
  draft: PodDraft,
  replicas: ReadonlyMap<string, number>,
  shared: ReadonlySet<string>,
  held: ObservedPod['held'],
): ObservedPod {
  // The pod that KAI keeps on a shared card holds what the group holds, and nothing more.
  const isDouble = draft.isReservation && draft.fractionGroups.some((group) => shared.has(`${draft.machine} ${group}`));
  const request = isDouble ? { ...draft.pod.request, cards: NO_CARDS } : draft.pod.request;
  const pod: Pod = { ...draft.pod, serviceReplicas: replicas.get(draft.pod.service) ?? 0, request };
  const { machine, phase, isDeleting, isGated, hasClaims, ownerKind, replica } = draft;
  const fractionGroups = machine === null || draft.isReservation ? [] : draft.fractionGroups;
  return { pod, machine, phase, isDeleting, isGated, hasClaims, ownerKind, replica, held, fractionGroups };
}

function countReplicas(drafts: readonly PodDraft[]): Map<string, number> {
  const replicas = new Map<string, number>();
  for (const { pod } of drafts) {
    if (pod.service !== '') replicas.set(pod.service, (replicas.get(pod.service) ?? 0) + 1);
  }
  return replicas;
}

/** `machine group` of every card that pods share by fractions. */
function sharedGroups(drafts: readonly PodDraft[]): Set<string> {
  const holders = drafts.filter((draft) => draft.machine !== null && !draft.isReservation);
  return new Set(holders.flatMap((draft) => draft.fractionGroups.map((group) => `${draft.machine} ${group}`)));
}

function timeSlicedMachine(group: CardGroup, use: MachineUse): TimeSlicedMachine {
  const { sharesPerCard } = group;
  const physicalCards = Math.ceil(group.cardIds.length / sharesPerCard);
  return { physicalCards, sharesPerCard, sharesUsed: use.held(group.resource) };
}

function unknownResources(nodes: Iterable<NodeDraft>): Map<string, string[]> {
  const unknown = new Map<string, string[]>();
  for (const node of nodes) {
    const names = [...node.capacity]
      .filter(([name, amount]) => amount > 0 && isUnknownCard(name))
      .map(([name]) => name);
    if (names.length > 0) unknown.set(node.name, names.toSorted());
  }
  return unknown;
}

function isUnknownCard(name: string): boolean {
  return isExtended(name) && !isVendorResource(name) && !isNetworkResource(name);
}
