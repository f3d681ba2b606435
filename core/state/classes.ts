import { assert, sortedKeys } from '../base/index.ts';
import {
  FILTER_CODE,
  type CardRequest,
  type Constraints,
  type Machine,
  type MigOffer,
  type NodeSelectorTerm,
  type Request,
} from '../model/index.ts';
import {
  migProfile,
  migTable,
  plainProfile,
  type Template,
  type TemplateTable,
  templateTable,
} from '../vendors/index.ts';
import { deniedCards, kindChoiceRefusal, namesCards, numaOfCards } from './choice.ts';
import type { CardKind } from './kinds.ts';
import { staticRefusal } from './eligible.ts';
import { computeRoom, isAlone, isStacked, memoryRoom, sharedCompute, yieldsCompute } from './room.ts';
import { NAME_LABEL } from './layout.ts';
import { hasPreferences, preferenceGrade } from './preference.ts';

/** What a request needs of each card of one kind; null parts do not apply. */
export interface CardDemand {
  /** Filter code that refuses the kind, 0 when allowed. */
  readonly refusal: number;
  readonly memoryMiB: number;
  readonly computeMilli: number;
  /** AI CPUs of a vendor template. */
  readonly cpus: number;
  /** Allowed first memory slices of the MIG profile, best first; empty when the request is no MIG profile. */
  readonly migStarts: readonly number[];
  readonly migSize: number;
}

const REFUSED = (refusal: number): CardDemand => ({
  refusal,
  memoryMiB: 0,
  computeMilli: 0,
  cpus: 0,
  migStarts: [],
  migSize: 0,
});

function allowed(memoryMiB: number, computeMilli: number, cpus = 0): CardDemand {
  return { refusal: 0, memoryMiB, computeMilli, cpus, migStarts: [], migSize: 0 };
}

/**
 * The demand of a card request on a kind. Percentages round down per card, as HAMi does; vendor templates
 * round a slice up and charge the template. Compute of a template is floored to thousandths, which is exact
 * in its effect as long as cores x slices stays below 1,000 (every published table does).
 */
export function demandOn(cards: CardRequest, kind: CardKind): CardDemand {
  if (cards.kind === 'none') return allowed(0, 0);
  if (cards.resource !== kind.resource) return REFUSED(FILTER_CODE['card-resource']);
  if (cards.models !== null && !cards.models.includes(kind.model)) return REFUSED(FILTER_CODE['card-model']);
  const unwanted = cards.choice === undefined ? 0 : kindChoiceRefusal(cards.choice, kind);
  if (unwanted !== 0) return REFUSED(unwanted);
  switch (cards.kind) {
    case 'whole':
      return kind.slicing === 'mig' ? REFUSED(FILTER_CODE['card-slicing']) : allowed(kind.memoryMiB, kind.computeMilli);
    case 'mig':
      return migDemand(cards.profile, kind);
    case 'template':
      return templateDemand(cards.template, kind);
    case 'slice':
    case 'shared':
      return sliceDemand(cards, kind);
  }
}

/** MIG is bounded by memory slices alone; MiB and compute are charged in proportion to the card's own size. */
function migDemand(profile: string, kind: CardKind): CardDemand {
  if (kind.migProfiles !== undefined)
    return offered(kind.migProfiles.find(({ name }) => name === plainProfile(profile)));
  const table = kind.slicing === 'mig' ? migTable(kind.model) : null;
  const found = table === null ? null : migProfile(kind.model, profile);
  if (table === null || found === null) return REFUSED(FILTER_CODE['card-slicing']);
  const { starts, size, computeMilli } = found;
  const memoryMiB = Math.floor((kind.memoryMiB * size) / table.slices);
  return { refusal: 0, memoryMiB, computeMilli, cpus: 0, migStarts: starts, migSize: size };
}

/** The sizes of a registered profile are those of the very card. */
function offered(offer: MigOffer | undefined): CardDemand {
  if (offer === undefined) return REFUSED(FILTER_CODE['card-slicing']);
  const { memoryMiB, computeMilli, starts, size } = offer;
  return { refusal: 0, memoryMiB, computeMilli, cpus: 0, migStarts: starts, migSize: size };
}

function coresMilli(template: Template, kind: CardKind, table: TemplateTable): number {
  return Math.floor((kind.computeMilli * template.cores) / table.cores);
}

function templateDemand(name: string, kind: CardKind): CardDemand {
  const table = kind.slicing === 'template' ? templateTable(kind.model) : null;
  const found = table?.templates.find((row) => row.name === name);
  if (table === null || found === undefined) return REFUSED(FILTER_CODE['card-slicing']);
  return allowed(found.memoryMiB, coresMilli(found, kind, table), found.cpus);
}

/** A slice rounded up to the smallest template that has its memory and its compute, else to the whole card. */
function roundedUp(memoryMiB: number, computeMilli: number, kind: CardKind): CardDemand {
  const table = templateTable(kind.model);
  const found = table?.templates.find(
    (row) => row.memoryMiB >= memoryMiB && coresMilli(row, kind, table) >= computeMilli,
  );
  if (table !== null && found !== undefined)
    return allowed(found.memoryMiB, coresMilli(found, kind, table), found.cpus);
  const fitsWhole = memoryMiB <= kind.memoryMiB && computeMilli <= kind.computeMilli;
  if (table === null || !fitsWhole) return REFUSED(FILTER_CODE['card-slicing']);
  return allowed(kind.memoryMiB, kind.computeMilli, table.cpus);
}

function sliceDemand(cards: CardRequest & { kind: 'slice' | 'shared' }, kind: CardKind): CardDemand {
  const { memory, computeMilli } = cards;
  const countsMemory = memory.unit !== 'none' && kind.memoryMiB > 0;
  if (memory.unit !== 'none' && !countsMemory && (memory.unit === 'mib' || computeMilli === 0)) {
    return REFUSED(FILTER_CODE['card-slicing']);
  }
  const asked = memory.unit === 'none' ? 0 : memory.amount;
  const memoryMiB = memory.unit === 'milli' ? Math.floor((kind.memoryMiB * asked) / 1000) : asked;
  if (kind.slicing === 'template') return roundedUp(memoryMiB, computeMilli, kind);
  // HAMi's MIG mode: the smallest profile with the memory, whose compute takes the place of what was asked.
  if (kind.migProfiles !== undefined) return offered(kind.migProfiles.find((offer) => offer.memoryMiB >= memoryMiB));
  const isFraction = cards.kind === 'slice' && cards.isFraction === true;
  if (kind.slicing !== (isFraction ? 'fraction' : 'memory')) return REFUSED(FILTER_CODE['card-slicing']);
  return allowed(memoryMiB, computeMilli);
}

/** How the cards of a request are taken, as a small integer for the inner loops. */
export const MODE = { none: 0, whole: 1, slice: 2, mig: 3 } as const;

const MODE_OF: Readonly<Record<CardRequest['kind'], number>> = {
  none: MODE.none,
  whole: MODE.whole,
  slice: MODE.slice,
  template: MODE.slice,
  shared: MODE.slice,
  mig: MODE.mig,
};

const ISOLATION = { none: 0, card: 1, machine: 2 } as const;

/**
 * Requests that no filter and no score can tell apart, compiled for this fleet. Everything that depends only on
 * labels, taints and card kinds is decided once a machine; the inner loops read flat arrays.
 */
export interface RequestClass {
  readonly index: number;
  readonly request: Request;
  /** The same for classes that differ in host memory alone. */
  readonly memorylessIndex: number;
  /** The same for classes that ask the same of cards, whatever else they ask. */
  readonly cardsIndex: number;
  readonly tenant: number;
  readonly isolation: number;
  readonly mode: number;
  readonly count: number;
  readonly cpuMilli: number;
  readonly memoryBytes: number;
  /** Columns of the book's other resources, and how much of each. */
  readonly resourceColumns: readonly number[];
  readonly resourceAmounts: readonly number[];
  /** By card kind. */
  readonly demands: readonly CardDemand[];
  readonly kindRefusal: Uint8Array;
  readonly kindMemory: Int32Array;
  /** What is taken of the compute that guaranteed pods share: 0 where it yields. */
  readonly kindCompute: Int32Array;
  /** The least memory that a card must have free, by kind: below 0 where it may be promised beyond its size. */
  readonly kindMemoryRoom: Int32Array;
  /** By kind, the compute taken of what shared pods may have together, -1 where it does not yield; null: nowhere. */
  readonly kindShared: Int32Array | null;
  /** The least compute that a card must have free, by kind: where pods share by memory, one that is used up takes none. */
  readonly kindComputeRoom: Int32Array;
  /** By kind, 1 where a card must have no other holder; null when no kind is so. */
  readonly kindAlone: Uint8Array | null;
  /** A MIG instance is taken on some kind of card. */
  readonly hasMig: boolean;
  /** By kind, 1 where several parts may lie on one card; null when no kind is so. */
  readonly kindStacks: Uint8Array | null;
  /** By card, 1 where the request does not want it; null when it names none. */
  readonly cardDenied: Uint8Array | null;
  /** By card, its NUMA node, where all cards must be at one; else null. */
  readonly cardNuma: Int16Array | null;
  /** One slice that any card of the kind may give: what most requests for slices are. */
  readonly isOneSlice: boolean;
  /** Whole cards, any of the kind wherever they lie: what most requests for whole cards are. */
  readonly isAnyWhole: boolean;
  /** AI CPUs by kind; null when the class takes none anywhere. */
  readonly kindCpus: Uint8Array | null;
  /** By kind: what each of `count` cards of it gives, as lists that holdings share. */
  readonly memoryLists: readonly (readonly number[])[];
  readonly computeLists: readonly (readonly number[])[];
  /** By machine: how well it suits what the request prefers, 0 best; null where nothing is preferred. */
  readonly preference: Uint8Array | null;
  /** By machine: the filter code that refuses it for good, 0 when none does. */
  readonly staticRefusal: Uint8Array;
  /** Names machines: alike machines may differ in `staticRefusal`. */
  readonly isPinned: boolean;
  /** Alike machines that nothing has touched score alike: neither a filter nor a preference reads their names. */
  readonly hasTwins: boolean;
  /** Has terms about other pods, or host ports: the class cannot be judged a machine at a time. */
  readonly hasNeighbours: boolean;
}

function canonical(value: unknown): unknown {
  if (value instanceof Map) return sortedKeys(value).map((key) => [key, canonical(value.get(key))]);
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).toSorted(([left], [right]) => (left < right ? -1 : 1));
  return entries.map(([key, part]) => [key, canonical(part)]);
}

function hasNeighbours(constraints: Constraints): boolean {
  const { podAffinity, podAntiAffinity, topologySpread, hostPorts, exclusiveClaims } = constraints;
  const { devices = [], cardLimits = [] } = constraints;
  const lists = [podAffinity, podAntiAffinity, topologySpread, hostPorts, exclusiveClaims, devices, cardLimits];
  return lists.some((list) => list.length > 0);
}

function readsName({ expressions, fields }: NodeSelectorTerm): boolean {
  return fields.length > 0 || expressions.some(({ key }) => key === NAME_LABEL);
}

/** Whether a request reads the names of machines, or of their cards, to tell where it may go. */
function isPinned({ constraints, cards }: Request): boolean {
  return namesMachines(constraints) || namesCards(cards);
}

function namesMachines({ machine, nodeSelector, nodeTerms, volumes }: Constraints): boolean {
  const places = volumes.flatMap((need) => [need.machines, ...need.volumes.map((choice) => choice.machines)]);
  const lists = [nodeTerms, ...places].map((terms) => terms ?? []);
  return machine !== '' || nodeSelector.has(NAME_LABEL) || lists.some((terms) => terms.some(readsName));
}

function hasTwins(request: Request): boolean {
  const { cards, constraints } = request;
  const readsNuma = cards.kind !== 'none' && cards.choice?.isOneNuma === true;
  return !isPinned(request) && !readsNuma && !constraints.nodePreferred.some(readsName);
}

function flags(kinds: readonly CardKind[], isSet: (kind: CardKind, index: number) => boolean): Uint8Array | null {
  const list = kinds.map((kind, index) => (isSet(kind, index) ? 1 : 0));
  return list.some((flag) => flag === 1) ? Uint8Array.from(list) : null;
}

interface Fleet {
  readonly machines: readonly Machine[];
  readonly groupOf: Int32Array;
  readonly groupFirst: readonly number[];
  readonly kinds: readonly CardKind[];
  readonly kindsOfMachine: readonly (readonly number[])[];
  readonly columnOf: (resource: string) => number;
}

/** More cards than any machine has: a request for more fits nowhere, and its lists are never read. */
const LIST_MAX = 1024;

function repeated(amount: number, cards: CardRequest): readonly number[] {
  return Array.from({ length: cards.kind === 'none' ? 0 : Math.min(cards.count, LIST_MAX) }, () => amount);
}

/** The number of a content among those seen, by first appearance. */
function interned(known: Map<string, number>, content: unknown): number {
  const key = JSON.stringify(canonical(content));
  const index = known.get(key) ?? known.size;
  known.set(key, index);
  return index;
}

/** Request objects remembered by identity; when full they are forgotten and found by content again. */
const OBJECTS_MAX = 4096;

/** Interns requests. One class per distinct request and tenant; equal content gives the same class. */
export class RequestClasses {
  readonly list: RequestClass[] = [];
  readonly #fleet: Fleet;
  readonly #byObject = new Map<Request, RequestClass[]>();
  readonly #byKey = new Map<string, RequestClass>();
  readonly #memoryless = new Map<string, number>();
  readonly #cards = new Map<string, number>();

  constructor(fleet: Fleet) {
    this.#fleet = fleet;
  }

  of(request: Request, tenant: number): RequestClass {
    const known = this.#byObject.get(request);
    if (known !== undefined) for (const candidate of known) if (candidate.tenant === tenant) return candidate;
    const key = `${tenant}:${JSON.stringify(canonical(request))}`;
    let found = this.#byKey.get(key);
    if (found === undefined) {
      found = this.#compile(request, tenant);
      this.#byKey.set(key, found);
      this.list.push(found);
    }
    if (known !== undefined) known.push(found);
    else {
      if (this.#byObject.size >= OBJECTS_MAX) this.#byObject.clear();
      this.#byObject.set(request, [found]);
    }
    return found;
  }

  /** Once for each group of machines; only a request that names machines is judged machine by machine. */
  #staticRefusals(request: Request, kindRefusal: Uint8Array): Uint8Array {
    const { machines, groupFirst, kindsOfMachine } = this.#fleet;
    const refusalOn = (index: number): number => {
      const kinds = kindsOfMachine[index] as readonly number[];
      return staticRefusal(request, machines[index] as Machine, kinds, kindRefusal);
    };
    if (isPinned(request)) return Uint8Array.from(machines.keys(), refusalOn);
    return this.#spread(groupFirst.map(refusalOn));
  }

  #preferences(request: Request): Uint8Array | null {
    const { machines, groupFirst } = this.#fleet;
    const first = groupFirst.map((index) => machines[index] as Machine);
    if (!hasPreferences(request, first)) return null;
    const grades = (list: readonly Machine[]): number[] => list.map((machine) => preferenceGrade(request, machine));
    const readsNames = request.constraints.nodePreferred.some(readsName);
    return readsNames ? Uint8Array.from(grades(machines)) : this.#spread(grades(first));
  }

  /** From a value for each group of machines to one for each machine. */
  #spread(byGroup: readonly number[]): Uint8Array {
    const { machines, groupOf } = this.#fleet;
    const values = new Uint8Array(machines.length);
    for (let index = 0; index < values.length; index += 1) values[index] = byGroup[groupOf[index] as number] as number;
    return values;
  }

  #compile(request: Request, tenant: number): RequestClass {
    const { kinds, columnOf } = this.#fleet;
    const { cards } = request;
    assert(cards.kind === 'none' || cards.count >= 1, 'a card request asks for at least one card');
    const demands = kinds.map((kind) => demandOn(cards, kind));
    const names = sortedKeys(request.resources).filter((name) => (request.resources.get(name) as number) > 0);
    const kindRefusal = Uint8Array.from(demands, (demand) => demand.refusal);
    const hasMig = demands.some(({ migSize }) => migSize > 0);
    const namesNone = !namesCards(cards);
    const mode = MODE_OF[cards.kind];
    const cardNuma = numaOfCards(cards, this.#fleet.machines);
    return {
      index: this.list.length,
      request,
      memorylessIndex: interned(this.#memoryless, [tenant, { ...request, memoryBytes: 0 }]),
      cardsIndex: interned(this.#cards, cards),
      tenant,
      isolation: ISOLATION[request.isolation],
      mode,
      count: cards.kind === 'none' ? 0 : cards.count,
      cpuMilli: request.cpuMilli,
      memoryBytes: request.memoryBytes,
      resourceColumns: names.map(columnOf),
      resourceAmounts: names.map((name) => request.resources.get(name) as number),
      demands,
      kindRefusal,
      kindMemory: Int32Array.from(demands, (demand) => demand.memoryMiB),
      kindCompute: Int32Array.from(demands, ({ computeMilli }, i) =>
        yieldsCompute(cards, kinds[i] as CardKind) ? 0 : computeMilli,
      ),
      kindMemoryRoom: Int32Array.from(kinds, (kind, i) => memoryRoom(cards, kind, demands[i] as CardDemand)),
      kindShared: sharedCompute(cards, kinds, demands),
      kindComputeRoom: Int32Array.from(kinds, (kind, i) => computeRoom(cards, kind, demands[i] as CardDemand)),
      kindAlone: flags(kinds, (kind, i) => isAlone(cards, kind, demands[i] as CardDemand)),
      hasMig,
      kindStacks: flags(kinds, (_, i) => isStacked(cards, demands[i] as CardDemand)),
      cardDenied: deniedCards(cards, this.#fleet.machines),
      cardNuma,
      isOneSlice: mode === MODE.slice && !hasMig && cards.kind !== 'none' && cards.count === 1 && namesNone,
      isAnyWhole: mode === MODE.whole && namesNone && cardNuma === null,
      kindCpus: demands.some(({ cpus }) => cpus > 0) ? Uint8Array.from(demands, ({ cpus }) => cpus) : null,
      memoryLists: demands.map(({ memoryMiB }) => repeated(memoryMiB, cards)),
      computeLists: demands.map(({ computeMilli }) => repeated(computeMilli, cards)),
      preference: this.#preferences(request),
      staticRefusal: this.#staticRefusals(request, kindRefusal),
      isPinned: isPinned(request),
      hasTwins: hasTwins(request),
      hasNeighbours: hasNeighbours(request.constraints),
    };
  }
}
