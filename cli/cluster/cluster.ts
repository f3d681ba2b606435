import type { CardGroup, Dump } from '@springtide/adapters/kubernetes';
import { mulberry32 } from '@springtide/core/base';
import { classesOf, commonRequests, type CardFilter, type CommonRequest } from '@springtide/core/defrag';
import { shortModels, type NamedModel } from '@springtide/core/model';
import { Placer, POLICIES, Tide, typicalRequests, type Policy, type PolicyName } from '@springtide/core/placement';
import { Book, fillBook, type RequestClass } from '@springtide/core/state';
import { withSharedRequests } from './shared-requests.ts';

/** A dump as the scheduler would see it: the book filled, and a policy that knows the mix. */
export interface Cluster {
  readonly dump: Dump;
  readonly book: Book;
  readonly placer: Placer;
  readonly common: readonly CommonRequest[];
  /** Short name of a card model for pictures and sentences. */
  readonly modelName: (model: string) => string;
  readonly namedModel: (model: NamedModel) => string;
  /** True for cards, false for lines of the book that are shares or instances of cards. */
  readonly isCard: CardFilter;
}

/** Ties of the random policy: the same dump gives the same answer. */
const SEED = 1;

/**
 * Replicas are not capped here: the answers have to be those of the cluster's own scheduler. `isolates`: what is
 * asked about it must not share a card or machine with other tenants.
 */
export function clusterOf(asRead: Dump, policyName: PolicyName, isolates = false): Cluster {
  const dump = withSharedRequests(asRead, isolates);
  const book = new Book(dump.machines);
  fillBook(book, dump.pods);
  const classes = classesOf(
    book,
    dump.pods.map(({ pod }) => pod),
  );
  const common = commonRequests(classes);
  const policy = policyOf(policyName, book, classes);
  const placer = new Placer({ book, policy, random: mulberry32(SEED) });
  learn(policy, common);
  const namedModel = shortModels(book.kinds);
  return {
    dump,
    book,
    placer,
    common,
    namedModel,
    modelName: modelNameOf(book, namedModel),
    isCard: cardFilter(dump, book),
  };
}

function policyOf(name: PolicyName, book: Book, classes: readonly RequestClass[]): Policy {
  const policy = POLICIES[name]({ book, chance: mulberry32(SEED), typical: typicalRequests(classes) });
  for (const requestClass of classes) policy.observe(requestClass);
  return policy;
}

/** A policy that learns from arrivals has seen too few in a small dump to have made its first estimate. */
function learn(policy: Policy, common: readonly CommonRequest[]): void {
  if (policy instanceof Tide && common.length > 0) policy.learn(common);
}

/** Model names come without their resource in refusals: the first kind of that name speaks. */
function modelNameOf(book: Book, namedModel: (model: NamedModel) => string): (model: string) => string {
  const names = new Map(book.kinds.toReversed().map((kind) => [kind.model, namedModel(kind)]));
  return (model) => names.get(model) ?? model;
}

const CARD_GROUPS: ReadonlySet<CardGroup['kind']> = new Set(['whole', 'mig', 'hami']);

function cardFilter(dump: Dump, book: Book): CardFilter {
  const isCard = new Uint8Array(book.cardIds.length);
  for (const group of [...dump.cardGroups.values()].flat()) {
    if (!CARD_GROUPS.has(group.kind)) continue;
    for (const id of group.cardIds) isCard[book.cardOf(id)] = 1;
  }
  return (card) => isCard[card] === 1;
}
