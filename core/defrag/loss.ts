import type { Machine } from '../model/index.ts';
import { copiesOn, labelObstacles } from '../placement/index.ts';
import { MODE, NOBODY, type Book, type RequestClass } from '../state/index.ts';

/**
 * Why idle cards of a machine are of no use to a request, nearest to a fit first:
 *
 * - `cpu`, `memory`, `resource`, `pods`: the machine has run out of it;
 * - `reserved`: kept for a gang that waits;
 * - `split`: fewer idle cards on the machine than the request asks for;
 * - `taint`: the request does not tolerate the machine;
 * - `model`: the request may not use this kind of card, or this machine, by its labels or its pool.
 */
export const LOSS_REASONS = ['cpu', 'memory', 'resource', 'pods', 'reserved', 'split', 'taint', 'model'] as const;
export type LossReason = (typeof LOSS_REASONS)[number];

export interface Loss {
  /** Idle cards that copies of the request would take if nothing else came. */
  readonly used: number;
  /** Why the others stay idle; null when none does. */
  readonly reason: LossReason | null;
}

/** What one request, repeated until the machine is full, would leave of its idle cards. O(cards of the machine). */
export function lossOn(book: Book, requestClass: RequestClass, machine: number, idle: readonly number[]): Loss {
  const fitting = idle.filter((card) => requestClass.kindRefusal[book.cardKind[card] as number] === 0).length;
  const fixed = fixedReason(book, requestClass, machine, fitting);
  if (fixed !== null) return { used: 0, reason: fixed };
  const copies = copiesOn(book, requestClass, machine);
  const used = Math.min(fitting, copies * requestClass.count);
  if (used === idle.length) return { used, reason: null };
  if (used === fitting) return { used, reason: 'model' };
  return { used, reason: shortReason(book, requestClass, machine, { copies, left: fitting - used }) };
}

/** What will not change however empty the machine is, and reservations. */
function fixedReason(book: Book, requestClass: RequestClass, machine: number, fitting: number): LossReason | null {
  if (fitting === 0) return 'model';
  const labels = labelObstacles(book, requestClass.request.constraints, machine);
  if (labels.some(({ filter }) => filter !== 'unschedulable' && filter !== 'taint')) return 'model';
  if (labels.length > 0) return 'taint';
  return book.reservedBy[machine] === NOBODY ? null : 'reserved';
}

interface Rest {
  /** Copies that fit. */
  readonly copies: number;
  /** Idle cards of the right kind that they leave. */
  readonly left: number;
}

/** What stops the copy after the last: too few cards, before anything else that is short. */
function shortReason(book: Book, requestClass: RequestClass, machine: number, { copies, left }: Rest): LossReason {
  if (requestClass.mode === MODE.whole && left < requestClass.count) return 'split';
  const next = copies + 1;
  const { cpuMilli, memoryBytes, resourceColumns, resourceAmounts } = requestClass;
  if ((book.podsFree[machine] as number) < next) return 'pods';
  if (cpuMilli > 0 && (book.cpuFreeMilli[machine] as number) < next * cpuMilli) return 'cpu';
  if (memoryBytes > 0 && (book.memoryFreeBytes[machine] as number) < next * memoryBytes) return 'memory';
  const isShort = resourceColumns.some(
    (column, i) => (book.columnFree(column)[machine] as number) < next * (resourceAmounts[i] as number),
  );
  return isShort ? 'resource' : 'split';
}

/** The reason nearer to a fit. */
export function nearerReason(left: LossReason | null, right: LossReason | null): LossReason | null {
  if (left === null || right === null) return null;
  return LOSS_REASONS.indexOf(left) <= LOSS_REASONS.indexOf(right) ? left : right;
}

export function machineNoun(book: Book, machine: number): Machine {
  return book.machines[machine] as Machine;
}
