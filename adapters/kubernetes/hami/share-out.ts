import type { Card } from '@springtide/core/model';
import { cardResource, type SliceResources } from '@springtide/core/vendors';
import type { CardKind } from '../card-group.ts';
import type { ContainerUse, Containers } from '../effective.ts';
import type { CardPart, ContainerCards, MigPart } from './allocation.ts';
import { type ContainerAsk, containerAsk } from './container-ask.ts';
import { hamiKeys } from './keys.ts';

/** A card that was chosen for a pod, with what the pod holds of it. */
export interface ChosenCard {
  readonly card: Card;
  /** As `cardName` gives it. */
  readonly uuid: string;
  /** The card's number among those of its kind on the machine, from 0. */
  readonly index: number;
  /** What the book charges: the size of the template or instance where there is one. */
  readonly memoryMiB: number;
  readonly computeMilli: number;
  readonly mig?: MigPart & { readonly cores: number };
}

/**
 * Shares the chosen cards out to the containers, in their order: containers and sidecars get cards of their own,
 * each init container those that come first, since it has ended before the others begin.
 */
export function shareOut(containers: Containers, resource: string, chosen: readonly ChosenCard[]): ContainerCards[] {
  const known = cardResource(resource)?.resource;
  if (known === undefined) return [];
  let next = 0;
  const cardsOf = (use: ContainerUse, isInit: boolean): ContainerCards => {
    const ask = containerAsk(use.requests, known);
    const isPassing = isInit && !use.isSidecar;
    const start = isPassing ? 0 : next;
    const cards = ask === null ? [] : chosen.slice(start, start + ask.count);
    if (!isPassing) next += cards.length;
    const parts = ask === null ? [] : cards.map((card) => partOf(card, ask, resource, known.slices));
    return { name: use.name, cards: parts };
  };
  return [...containers.init.map((use) => cardsOf(use, true)), ...containers.app.map((use) => cardsOf(use, false))];
}

/** What a container's plug-in is to give it of a card. */
function partOf(chosen: ChosenCard, ask: ContainerAsk, resource: string, slices: SliceResources | null): CardPart {
  const { card, uuid, index, mig } = chosen;
  if (mig !== undefined) {
    const { cores, ...place } = mig;
    return { uuid, index, memoryMiB: chosen.memoryMiB, cores, mig: place };
  }
  const memoryMiB = memoryOf(chosen, ask);
  return { uuid, index, memoryMiB, cores: coresOf(chosen, ask, { memoryMiB, resource, slices, card }) };
}

/** A container never gets more than the book charges for its pod; where cards are cut in fixed sizes, just that. */
function memoryOf({ card, memoryMiB }: ChosenCard, ask: ContainerAsk): number {
  if (card.slicing !== 'memory') return memoryMiB;
  const percent = ask.percent === 0 ? 100 : ask.percent;
  const asked = ask.memoryMiB > 0 ? ask.memoryMiB : Math.floor((card.memoryMiB * percent) / 100);
  return Math.min(memoryMiB, asked);
}

interface PartSize {
  readonly memoryMiB: number;
  readonly resource: string;
  readonly slices: SliceResources | null;
  readonly card: Card;
}

/** Kinds whose plug-ins are told no cores: a template has its own, and whole cards need none. */
const WITHOUT_CORES = new Set(['Biren', 'Vastai']);

function coresOf(chosen: ChosenCard, ask: ContainerAsk, { memoryMiB, resource, slices, card }: PartSize): number {
  const word = hamiKeys(resource)?.word ?? '';
  if (WITHOUT_CORES.has(word) || card.slicing === 'template') return 0;
  if (word === 'AWSNeuron') return 3;
  // A share of the memory is the same share of the chip.
  if (word === 'XPU' || word === 'Enflame') return Math.floor((memoryMiB * 100) / Math.max(1, card.memoryMiB));
  const units = slices?.computeUnits ?? 100;
  const milli = Math.min(chosen.computeMilli, ask.computeMilli ?? chosen.computeMilli);
  return Math.round((milli * units) / 1000);
}

const CAPACITY_NAMES: ReadonlyMap<string, string> = new Map([
  ['Metax-GPU', 'metax'],
  ['Mthreads', 'mthreads'],
  ['MLU', 'cambricon-mlu'],
  ['kunlun', 'kunlun'],
  ['GCU', 'GCU'],
  ['AWSNeuron', 'AWSNeuron'],
]);

/** Whether pods on such cards are told by HAMi's annotations: its plug-in registers them, or HAMi counts them itself. */
export function isTold(resource: string, kind: CardKind): boolean {
  const keys = hamiKeys(resource);
  return keys !== null && (kind === 'hami' || (keys.register === '' && kind === 'whole'));
}

/**
 * A card's name in the annotations of its kind: the plug-in's own where it registers cards, else HAMi's
 * `node-kind-3`. A name that the book made unique (`machine/id`) loses what was added.
 */
export function cardName(resource: string, machine: string, cardId: string, index: number): string {
  const kind = CAPACITY_NAMES.get(hamiKeys(resource)?.word ?? '');
  if (kind !== undefined) return `${machine}-${kind}-${index}`;
  return cardId.startsWith(`${machine}/`) ? cardId.slice(machine.length + 1) : cardId;
}
