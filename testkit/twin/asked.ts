import type { Card, CardRequest, FilterName } from '@springtide/core/model';
import { MIG_PLACES, type MigPlaces, TEMPLATES } from './slice-tables.ts';

/** What a request asks of one card, or the filter that refuses the card whatever it holds. */
export type Asked =
  | { readonly refusal: Exclude<FilterName, 'none'> }
  | {
      readonly refusal: 'none';
      /** All of the card, alone. */
      readonly isWhole: boolean;
      readonly memoryMiB: number;
      readonly computeMilli: number;
      readonly cpus: number;
      readonly mig: MigPlaces | null;
      /** Nobody else may hold a part of the card. */
      readonly isAlone: boolean;
      /** Some compute must be left, even if none is asked for. */
      readonly needsCompute: boolean;
      /** MiB that may be promised beyond the card. */
      readonly beyondMiB: number;
      /** Its compute is counted apart, and takes nothing from guaranteed pods. */
      readonly isYielding: boolean;
    };

type OfCards = Exclude<CardRequest, { readonly kind: 'none' }>;

const CANNOT_BE_CUT: Asked = { refusal: 'card-slicing' };

/** What a request may take of a card. */
export type Taken = Extract<Asked, { readonly refusal: 'none' }>;

function part(taken: Partial<Taken>): Asked {
  const plain = {
    isWhole: false,
    memoryMiB: 0,
    computeMilli: 0,
    cpus: 0,
    mig: null,
    isAlone: false,
    needsCompute: false,
    beyondMiB: 0,
    isYielding: false,
  };
  return { refusal: 'none', ...plain, ...taken };
}

function allOf({ memoryMiB, computeMilli, model }: Card): Asked {
  return part({ isWhole: true, memoryMiB, computeMilli, cpus: TEMPLATES[model]?.card.cpus ?? 0 });
}

/** The reading of the specification: resource, then model, then whether the card can be cut so. */
export function askedOf(request: OfCards, card: Card): Asked {
  if (request.resource !== card.resource) return { refusal: 'card-resource' };
  if (request.models?.includes(card.model) === false) return { refusal: 'card-model' };
  const { words, wordsDenied = [], slicings, isAlone = false } = request.choice ?? {};
  const contains = (word: string): boolean => word !== '' && card.model.toLowerCase().includes(word.toLowerCase());
  if (words?.some(contains) === false || wordsDenied.some(contains)) return { refusal: 'card-model' };
  if (slicings?.includes(card.slicing) === false) return CANNOT_BE_CUT;
  const asked = sizedOf(request, card);
  return asked.refusal === 'none' && isAlone ? { ...asked, isAlone } : asked;
}

/** Whether a request that names cards names this one, or leaves it open. */
export function admitsCard({ choice = {} }: OfCards, { id }: Card): boolean {
  return choice.ids?.includes(id) !== false && choice.idsDenied?.includes(id) !== true;
}

function sizedOf(request: OfCards, card: Card): Asked {
  if (request.kind === 'whole') return card.slicing === 'mig' ? CANNOT_BE_CUT : allOf(card);
  if (request.kind === 'mig') {
    const mig = card.slicing === 'mig' ? MIG_PLACES[card.model]?.[request.profile] : undefined;
    return mig === undefined ? CANNOT_BE_CUT : part({ mig });
  }
  if (request.kind === 'template')
    return card.slicing === 'template' ? ofTemplate(card, request.template) : CANNOT_BE_CUT;
  return ofSlice(request, card);
}

/** Only shared pods, and only where they may be promised more compute than the card has. */
export function yields(request: CardRequest, card: Card): boolean {
  const boundMilli = card.slicing === 'memory' ? (card.shared?.computeMilli ?? 0) : 0;
  return request.kind === 'shared' && boundMilli > card.computeMilli;
}

function ofTemplate(card: Card, name: string): Asked {
  const table = TEMPLATES[card.model];
  const found = table?.templates[name];
  if (table === undefined || found === undefined) return CANNOT_BE_CUT;
  const { memoryMiB, cpus } = found;
  return part({ memoryMiB, cpus, computeMilli: Math.floor((card.computeMilli * found.cores) / table.card.cores) });
}

function ofSlice(request: Extract<OfCards, { kind: 'slice' | 'shared' }>, card: Card): Asked {
  const { memory, computeMilli } = request;
  const isBlind = card.memoryMiB === 0 && (memory.unit === 'mib' || (memory.unit === 'milli' && computeMilli === 0));
  if (isBlind) return CANNOT_BE_CUT;
  const share = memory.unit === 'milli' ? Math.floor((card.memoryMiB * memory.amount) / 1000) : 0;
  const memoryMiB = memory.unit === 'mib' ? memory.amount : share;
  const isFraction = request.kind === 'slice' && request.isFraction === true;
  if (card.slicing === (isFraction ? 'fraction' : 'memory')) {
    // Whoever has all the compute of a card that is cut by memory has the card.
    const needsCompute = card.slicing === 'memory';
    const isShared = request.kind === 'shared' && computeMilli <= card.computeMilli && memoryMiB <= card.memoryMiB;
    const beyondMiB = isShared ? Math.max(0, (card.shared?.memoryMiB ?? 0) - card.memoryMiB) : 0;
    const isYielding = yields(request, card);
    return part({
      memoryMiB,
      computeMilli,
      needsCompute,
      isAlone: needsCompute && !isYielding && computeMilli === 1000,
      beyondMiB,
      isYielding,
    });
  }
  return card.slicing === 'template' ? roundedUp(card, memoryMiB, computeMilli) : CANNOT_BE_CUT;
}

/** The smallest template that has both, else the whole card. */
function roundedUp(card: Card, memoryMiB: number, computeMilli: number): Asked {
  const names = Object.keys(TEMPLATES[card.model]?.templates ?? {});
  const sizes = [...names.map((name) => ofTemplate(card, name)), allOf(card)].filter(
    (asked) => asked.refusal === 'none',
  );
  const rising = sizes.toSorted((left, right) => left.memoryMiB - right.memoryMiB);
  return rising.find((asked) => asked.memoryMiB >= memoryMiB && asked.computeMilli >= computeMilli) ?? CANNOT_BE_CUT;
}
