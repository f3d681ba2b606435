import { message } from '@springtide/wire/messages';
import { grouped } from '@springtide/wire/reasons';
import { fixed } from '../../report/index.ts';
import { percentOf } from './rows.ts';
import { numberColumn, section, textColumn, type Section, type Telling } from './section.ts';
import type { SharedCard } from './shared.ts';
import { told } from './told.ts';

const COLUMNS = ['memoryHeld', 'memoryShared', 'memoryBound', 'computeHeld', 'computeShared', 'computeBound'] as const;

/** Cards with shared pods: what is promised of each, and its bound. */
export function sharedSection({ found, language, limits }: Telling): Section | null {
  const all = [...found.sharedCards].flatMap(([machine, cards]) =>
    [...cards].map(([id, card]) => ({ name: nameOf(machine, id), card })),
  );
  if (all.length === 0) return null;
  const held = all.filter(({ card }) => card.pods.length > 0);
  const bounded = all.filter(({ card }) => isBounded(card));
  const count = grouped(bounded.length);
  const more = told(
    language,
    held.map(({ name }) => name),
    limits.rows,
  ).slice(limits.rows);
  const lines = [message(language, 'inspect.shared.line', { count, held: grouped(held.length) }), ...more];
  const note = message(language, 'inspect.shared.note');
  const heading = message(language, 'inspect.shared.heading');
  if (held.length === 0) return section('shared', heading, { lines });
  const unit = message(language, 'inspect.shared.unit');
  const columns = [
    textColumn(message(language, 'inspect.shared.card')),
    numberColumn(message(language, 'inspect.shared.pods')),
    ...COLUMNS.map((key) => numberColumn(message(language, `inspect.shared.${key}`), unit)),
  ];
  const rows = held.slice(0, limits.rows).map(({ name, card }) => rowOf(name, card, language));
  return section('shared', heading, { lines, table: { columns, rows, hasTotal: false }, note });
}

/** Ids that the book made are `machine/index` already. */
function nameOf(machine: string, id: string): string {
  return id.startsWith(`${machine}/`) ? id : `${machine}/${id}`;
}

function isBounded({ memoryMiB, memoryBoundMiB, computeBoundMilli }: SharedCard): boolean {
  return computeBoundMilli !== null || memoryBoundMiB > memoryMiB;
}

/** In percent of the card, so that cards of all sizes can be compared. */
function rowOf(name: string, card: SharedCard, language: Telling['language']): string[] {
  const { guaranteed, shared, computeBoundMilli } = card;
  const ofMemory = (amount: number): string => fixed(percentOf(amount, card.memoryMiB), 1);
  const ofCompute = (amount: number): string => fixed(percentOf(amount, card.computeMilli), 1);
  return [
    name,
    grouped(card.pods.length),
    ofMemory(guaranteed.memoryMiB),
    ofMemory(shared.memoryMiB),
    ofMemory(card.memoryBoundMiB),
    ofCompute(guaranteed.computeMilli),
    ofCompute(shared.computeMilli),
    computeBoundMilli === null ? message(language, 'inspect.shared.sameBound') : ofCompute(computeBoundMilli),
  ];
}
