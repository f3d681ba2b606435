import type {
  Flavor,
  PodSet,
  PodSetAssignment,
  QuotaAmount,
  QueueSpec,
  Request,
  Taint,
  Toleration,
} from '../model/index.ts';
import type { Quota, QuotaDemand } from '../quota/index.ts';
import { amountsOf } from './amounts.ts';
import type { Shape } from './shapes.ts';

/** A pod set in a flavor: its request names the flavor's machines and cards. */
export interface FlavoredSet {
  readonly set: PodSet;
  /** Empty: no flavor of its queue. */
  readonly flavor: string;
  /** The flavor that each resource is charged to, where quota limits it. */
  readonly charged: ReadonlyMap<string, string>;
}

/** One way for a job to start: a flavor for each of its pod sets. */
export interface StartOption {
  readonly sets: readonly FlavoredSet[];
  readonly demand: QuotaDemand;
}

/** The most ways that are tried; they come in the order of preference. */
const OPTIONS_MAX = 16;

/** What a queue offers. */
interface Offer {
  readonly queue: QueueSpec;
  readonly flavors: ReadonlyMap<string, Flavor>;
  readonly quota: Quota;
}

/**
 * The ways in which a shape can start from a queue, best first: the job's own order of flavors, else the queue's, pod
 * set by pod set. Each pod set goes to one flavor; what that has no quota cell for is charged to the first that has
 * one. `counts` says how many pods start of each set. Empty: none of the flavors suits some pod set.
 */
export function startOptions(shape: Shape, counts: readonly number[], offer: Offer): StartOption[] {
  const { queue, flavors, quota } = offer;
  const listed = shape.flavors.length === 0 ? queue.flavors : shape.flavors.filter((id) => queue.flavors.includes(id));
  const known = listed.flatMap((id) => flavors.get(id) ?? []);
  let ways: FlavoredSet[][] = [[]];
  shape.podSets.forEach((podSet, index) => {
    const suited = known.filter((flavor) => suits(podSet.request, flavor));
    const sets = suited.map((flavor) => flavored({ ...podSet, count: counts[index] as number }, flavor, suited, offer));
    ways = ways.flatMap((way) => sets.map((set) => way.concat(set))).slice(0, OPTIONS_MAX);
  });
  return ways.flatMap((sets) => {
    const demand = quota.demand(
      queue.id,
      sets.flatMap(({ set, charged }) => chargesOf(set, charged, flavors)),
    );
    return demand.ok ? [{ sets, demand: demand.value }] : [];
  });
}

function flavored(set: PodSet, flavor: Flavor, suited: readonly Flavor[], { queue, quota }: Offer): FlavoredSet {
  const charged = new Map<string, string>();
  for (const [resource, amount] of amountsOf(set.request, flavor)) {
    if (amount === 0) continue;
    const limited = [flavor, ...suited].find(({ id }) => quota.tree.slotOf(queue.id, id, resource) >= 0);
    if (limited !== undefined) charged.set(resource, limited.id);
  }
  return { set: { ...set, request: withFlavor(set.request, flavor) }, flavor: flavor.id, charged };
}

function chargesOf(
  { request, count }: PodSet,
  charged: ReadonlyMap<string, string>,
  flavors: ReadonlyMap<string, Flavor>,
): QuotaAmount[] {
  return [...charged].map(([resource, id]) => {
    const flavor = flavors.get(id);
    const amount = flavor === undefined ? 0 : (amountsOf(request, flavor).get(resource) ?? 0);
    return { flavor: id, resource, amount: amount * count };
  });
}

/** The way in which a job was started, from its record; null: the queue has no quota for it any more. */
export function recordedOption(shape: Shape, podSets: readonly PodSetAssignment[], offer: Offer): StartOption | null {
  const { flavors, quota, queue } = offer;
  const sets = podSets.flatMap(({ podSet, count, flavor: id, charged }): FlavoredSet[] => {
    const set = shape.podSets.find(({ name }) => name === podSet);
    const flavor = flavors.get(id);
    if (set === undefined) return [];
    const request = flavor === undefined ? set.request : withFlavor(set.request, flavor);
    return [{ set: { ...set, count, request }, flavor: id, charged }];
  });
  const charges = sets.flatMap(({ set, charged }) => chargesOf(set, charged, flavors));
  const demand = quota.demand(queue.id, charges);
  return demand.ok ? { sets, demand: demand.value } : null;
}

/** Its taints are tolerated, its labels are not contradicted, and it has cards of a model that is asked for. */
function suits({ cards, constraints }: Request, flavor: Flavor): boolean {
  for (const [key, value] of flavor.nodeSelector) {
    if ((constraints.nodeSelector.get(key) ?? value) !== value) return false;
  }
  const tolerations = [...constraints.tolerations, ...flavor.tolerations];
  if (!flavor.taints.every((taint) => isTolerated(taint, tolerations))) return false;
  if (cards.kind === 'none' || cards.models === null || flavor.cardModels === null) return true;
  return cards.models.some((model) => flavor.cardModels?.includes(model));
}

function isTolerated(taint: Taint, tolerations: readonly Toleration[]): boolean {
  if (taint.effect === 'PreferNoSchedule') return true;
  return tolerations.some(({ key, operator, value, effect }) => {
    if (effect !== '' && effect !== taint.effect) return false;
    if (key === '') return operator === 'Exists';
    return key === taint.key && (operator === 'Exists' || value === taint.value);
  });
}

/** One object for each request and flavor, as long as both live: request classes are found by object. */
const FLAVORED = new WeakMap<Request, WeakMap<Flavor, Request>>();

function withFlavor(request: Request, flavor: Flavor): Request {
  const known = FLAVORED.get(request) ?? new WeakMap<Flavor, Request>();
  FLAVORED.set(request, known);
  const made = known.get(flavor) ?? flavoredRequest(request, flavor);
  known.set(flavor, made);
  return made;
}

function flavoredRequest(request: Request, { nodeSelector, tolerations, cardModels }: Flavor): Request {
  const { cards, constraints } = request;
  const models = (asked: readonly string[] | null): readonly string[] | null => {
    if (cardModels === null || asked === null) return asked ?? cardModels;
    return asked.filter((model) => cardModels.includes(model));
  };
  return {
    ...request,
    cards: cards.kind === 'none' ? cards : { ...cards, models: models(cards.models) },
    constraints: {
      ...constraints,
      nodeSelector: new Map([...constraints.nodeSelector, ...nodeSelector]),
      tolerations: [...constraints.tolerations, ...tolerations],
    },
  };
}
