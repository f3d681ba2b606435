import { compareText } from '../base/index.ts';

/**
 * A machine as one line of text:
 *
 *     gpu-a-17 A100x8 [a a b b . . c .]
 *     gpu-h-05 H100x8 [. . . . . . . x]        x  unhealthy, held by nobody
 *     hami-01  L20x4  [(a:100) (bc:83) . .]    (bc:83)  a card in parts, 83 % of it given out
 *     gpu-a-06 A100x8 [a a b b b b c c] +1!    cards held beyond those that are there
 *     mig-00   A100x5 [a . . . .] 1g.10gb 5/14 instances of MIG profiles, used and all
 *
 * A letter stands for one workload all over the picture.
 */
export interface PictureMachine {
  readonly id: string;
  readonly cards: readonly PictureCard[];
  /** Cards that pods hold and the machine has not. */
  readonly cardsMissing: number;
  /** Parts of other cards that are counted without being drawn. */
  readonly instances: readonly PictureInstances[];
}

/** Instances of one MIG profile on a machine. */
export interface PictureInstances {
  readonly name: string;
  readonly total: number;
  readonly used: number;
}

export interface PictureCard {
  /** As in the short name of its model: `A100`. */
  readonly model: string;
  readonly isUsable: boolean;
  /** The workloads that hold a part of it, in order; empty: nobody. */
  readonly holders: readonly string[];
  /** Held as a whole by its one holder. */
  readonly isWhole: boolean;
  /** How much of it is given out, in percent: the larger of memory and compute. */
  readonly filledPercent: number;
}

/** One line of the key to the letters. */
export interface LegendEntry {
  readonly letter: string;
  readonly workload: string;
  /** Cards it holds a part of. */
  readonly cards: number;
}

/** Stands for every workload that got no letter of its own. */
export const OTHER_LETTER = '#';
const LETTERS = 'abcdefghijklmnopqrstuvwyzABCDEFGHIJKLMNOPQRSTUVWXYZ';
/** Letters told inside one shared card; more end in `+`. */
const SHARERS_TOLD = 3;

/** Letters by workload, most cards first, then by name. `x` is no letter: it marks unhealthy cards. */
export function legendOf(machines: readonly PictureMachine[]): LegendEntry[] {
  const cards = new Map<string, number>();
  for (const machine of machines) {
    for (const card of machine.cards) {
      for (const holder of new Set(card.holders)) cards.set(holder, (cards.get(holder) ?? 0) + 1);
    }
  }
  return [...cards]
    .toSorted(([left, many], [right, more]) => more - many || compareText(left, right))
    .slice(0, LETTERS.length)
    .map(([workload, count], index) => ({ letter: LETTERS[index] as string, workload, cards: count }));
}

export function lettersOf(legend: readonly LegendEntry[]): Map<string, string> {
  return new Map(legend.map(({ workload, letter }) => [workload, letter]));
}

/** One card: `.`, `x`, `a`, `(ab:75)`, each with `!` behind when a pod holds an unhealthy card. */
export function pictureOfCard(card: PictureCard, letters: ReadonlyMap<string, string>): string {
  const { holders, isUsable, isWhole, filledPercent } = card;
  if (holders.length === 0) return isUsable ? '.' : 'x';
  const named = holders.slice(0, SHARERS_TOLD).map((holder) => letters.get(holder) ?? OTHER_LETTER);
  const more = holders.length > SHARERS_TOLD ? '+' : '';
  const text = isWhole ? named.join('') : `(${named.join('')}${more}:${filledPercent})`;
  return isUsable ? text : `${text}!`;
}

/** `A100x8`, or `A100x4+H100x4`. */
export function modelsText(cards: readonly PictureCard[]): string {
  const counts = new Map<string, number>();
  for (const { model } of cards) counts.set(model, (counts.get(model) ?? 0) + 1);
  return [...counts].map(([model, count]) => `${model}x${count}`).join('+');
}

export function pictureOf(machine: PictureMachine, letters: ReadonlyMap<string, string>): string {
  const cards = machine.cards.map((card) => pictureOfCard(card, letters)).join(' ');
  const models = machine.cards.length === 0 ? '' : ` ${modelsText(machine.cards)}`;
  const over = machine.cardsMissing > 0 ? ` +${machine.cardsMissing}!` : '';
  const instances = machine.instances.map(({ name, used, total }) => ` ${name} ${used}/${total}`).join('');
  return `${machine.id}${models} [${cards}]${over}${instances}`;
}
