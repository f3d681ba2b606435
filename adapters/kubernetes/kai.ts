import type { CardRequest } from '@springtide/core/model';

/** Fractions of cards as KAI and Run:ai write them: annotations on the pod, a group label for the shared card. */
const FRACTION = 'gpu-fraction';
const FRACTION_MEMORY = 'gpu-memory';
const DEVICES = 'gpu-fraction-num-devices';
const GROUP = 'runai-gpu-group';
const RESOURCE = 'nvidia.com/gpu';

type Texts = ReadonlyMap<string, string>;

export type FractionRead =
  | { readonly kind: 'none' }
  | { readonly kind: 'slice'; readonly cards: CardRequest }
  | { readonly kind: 'malformed'; readonly annotation: string; readonly expected: string };

/** Whether the cards asked for are a share that the annotations size. */
export function isFraction(cards: CardRequest, annotations: Texts): boolean {
  return cards.kind === 'slice' && (annotations.has(FRACTION) || annotations.has(FRACTION_MEMORY));
}

/** The share of a card that the annotations ask for. `gpu-fraction: 1` is a whole card. */
export function fractionOf(annotations: Texts): FractionRead {
  const fraction = annotations.get(FRACTION);
  const memory = annotations.get(FRACTION_MEMORY);
  if (fraction === undefined && memory === undefined) return { kind: 'none' };
  const count = wholeNumber(annotations.get(DEVICES) ?? '1');
  if (count === null) return { kind: 'malformed', annotation: DEVICES, expected: 'a number of cards' };
  const common = { resource: RESOURCE, count, models: null };
  if (fraction !== undefined) {
    const milli = fractionMilli(fraction);
    if (milli === null) return { kind: 'malformed', annotation: FRACTION, expected: 'a number above 0 and up to 1' };
    if (milli === 1000) return { kind: 'slice', cards: { ...common, kind: 'whole' } };
    const size = { memory: { unit: 'milli', amount: milli }, computeMilli: milli } as const;
    return { kind: 'slice', cards: { ...common, kind: 'slice', ...size, isFraction: true } };
  }
  const amount = wholeNumber(memory ?? '');
  if (amount === null) return { kind: 'malformed', annotation: FRACTION_MEMORY, expected: 'a number of MiB' };
  const size = { memory: { unit: 'mib', amount }, computeMilli: 0 } as const;
  return { kind: 'slice', cards: { ...common, kind: 'slice', ...size, isFraction: true } };
}

/** Thousandths, rounded down so that three pods of 0.3334 still share a card as they do under KAI. */
function fractionMilli(text: string): number | null {
  if (!/^\d*\.?\d+$/.test(text)) return null;
  const milli = Math.floor(Number(text) * 1000 + 1e-6);
  return milli >= 1 && milli <= 1000 ? milli : null;
}

function wholeNumber(text: string): number | null {
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : null;
}

/** The groups whose cards the pod shares: one label, or one label a card when it shares several. */
export function fractionGroupsOf(labels: Texts): string[] {
  const groups = [...labels].filter(([key]) => key.startsWith(`${GROUP}/`)).map(([, group]) => group);
  const single = labels.get(GROUP);
  return single === undefined || groups.length > 0 ? groups : [single];
}

const RESERVATION_NAMESPACES = new Set(['kai-resource-reservation', 'runai-reservation']);

/**
 * KAI keeps a pod of its own on each shared card, which asks Kubernetes for the whole of it. It is the same card
 * that the group shares, so it must not be counted beside the group.
 */
export function isReservation(namespace: string, labels: Texts): boolean {
  return RESERVATION_NAMESPACES.has(namespace) && labels.has(GROUP);
}
