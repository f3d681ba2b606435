import type { Card, Machine } from '@springtide/core/model';
import { cardResource, sliceOwner } from '@springtide/core/vendors';
import type { CardGroup } from './card-group.ts';
import type { NamedCards } from './hami/holdings.ts';
import { machineCards } from './machine-cards.ts';
import type { NodeDraft } from './node.ts';
import type { Problem } from './problem.ts';
import { withSharedBound } from './shared-bound.ts';

export interface MadeMachine {
  readonly machine: Machine;
  /** Its cards, as the annotations of its pods name them. */
  readonly cards: NamedCards;
  readonly problems: readonly Problem[];
}

/** Makes the machine of a node. `uniqueId` gives a card another id where the fleet has its own already. */
export function makeMachine(node: NodeDraft, hasFractions: boolean, uniqueId: (id: string) => string): MadeMachine {
  const read = machineCards(node, hasFractions);
  const renamed = new Map<string, string>();
  for (const { id } of read.cards) {
    const unique = uniqueId(id);
    if (unique !== id) renamed.set(id, unique);
  }
  const own = renamed.size === 0 ? read.cards : read.cards.map((card) => renamedCard(card, renamed));
  const { cards, problems } = withSharedBound(node, own);
  const groups = renamed.size === 0 ? read.groups : read.groups.map((group) => renamedGroup(group, renamed));
  const named = { machine: node.name, groups, ...namesOf(cards, renamed) };
  return { machine: machineOf(node, cards), cards: named, problems: [...read.problems, ...problems] };
}

type Renamed = ReadonlyMap<string, string>;

function renamedCard(card: Card, renamed: Renamed): Card {
  const id = renamed.get(card.id) ?? card.id;
  return id === card.id ? card : { ...card, id };
}

/** Cards by the book's id, and by the id that the plug-in gave. */
function namesOf(cards: readonly Card[], renamed: Renamed): Pick<NamedCards, 'byId' | 'byName'> {
  const byId = new Map(cards.map((card) => [card.id, card] as const));
  const byName = new Map(byId);
  for (const [name, id] of renamed) {
    const card = byId.get(id);
    if (card !== undefined) byName.set(name, card);
  }
  return { byId, byName };
}

function renamedGroup(group: CardGroup, renamed: Renamed): CardGroup {
  return { ...group, cardIds: group.cardIds.map((id) => renamed.get(id) ?? id) };
}

function machineOf(node: NodeDraft, cards: readonly Card[]): Machine {
  const { allocatable } = node;
  const others = [...allocatable].filter(([name]) => !['cpu', 'memory', 'pods'].includes(name) && !isOfCards(name));
  return {
    id: node.name,
    location: node.location,
    cpuMilli: allocatable.get('cpu') ?? 0,
    memoryBytes: allocatable.get('memory') ?? 0,
    // A node that does not tell takes none, as kube-scheduler has it: its kubelet has never spoken.
    podsMax: allocatable.get('pods') ?? 0,
    resources: new Map(others),
    labels: node.labels,
    taints: node.taints,
    cordoned: node.isCordoned,
    cards,
  };
}

/** Cards are lines of the book, and their parts belong to them: neither is a resource of the machine beside. */
function isOfCards(name: string): boolean {
  return cardResource(name) !== null || sliceOwner(name) !== null;
}
