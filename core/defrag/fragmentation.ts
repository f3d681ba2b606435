import type { Book } from '../state/index.ts';
import type { CommonRequest } from './common-requests.ts';
import { lossOn, machineNoun, nearerReason, type LossReason } from './loss.ts';
import { EVERY_CARD, idleCards, isMachineUsable, type CardFilter } from './usable.ts';

/** A machine with idle cards, and how many of them no common request can use. */
export interface MachineLoss {
  readonly machine: number;
  readonly idle: number;
  readonly unusable: number;
  /** Why; null when all of them can be used. */
  readonly reason: LossReason | null;
}

/** A common request, and what becomes of all idle cards if only it came. */
export interface RequestLoss {
  readonly common: CommonRequest;
  readonly usable: number;
  readonly lost: ReadonlyMap<LossReason, number>;
}

/**
 * How far idle cards are from the work that comes. A card is idle when it is healthy, nobody holds any part of it
 * and its machine is usable. It is unusable when none of the common requests, each repeated alone until the
 * machine is full, would take it.
 */
export interface Fragmentation {
  readonly idle: number;
  readonly unusable: number;
  /** Idle cards that a request drawn from the mix cannot use, expected: the measure of FGD. */
  readonly expectedLost: number;
  readonly machines: readonly MachineLoss[];
  readonly requests: readonly RequestLoss[];
}

/** O(machines with idle cards x common requests x their cards). */
export function fragmentationOf(
  book: Book,
  common: readonly CommonRequest[],
  isCounted: CardFilter = EVERY_CARD,
): Fragmentation {
  const machines: MachineLoss[] = [];
  const tallies = common.map((request) => ({ common: request, usable: 0, lost: new Map<LossReason, number>() }));
  for (let machine = 0; machine < book.machines.length; machine += 1) {
    if (!isMachineUsable(machineNoun(book, machine))) continue;
    const idle = idleCards(book, machine, isCounted);
    if (idle.length === 0) continue;
    let used = 0;
    let reason: LossReason | null = 'model';
    for (const tally of tallies) {
      const loss = lossOn(book, tally.common.requestClass, machine, idle);
      tally.usable += loss.used;
      if (loss.reason !== null) add(tally.lost, loss.reason, idle.length - loss.used);
      if (loss.used > used) reason = loss.reason;
      else if (loss.used === used) reason = nearerReason(reason, loss.reason);
      used = Math.max(used, loss.used);
    }
    machines.push({ machine, idle: idle.length, unusable: idle.length - used, reason });
  }
  const idle = sumOf(machines.map((each) => each.idle));
  const expectedLost = sumOf(tallies.map((tally) => tally.common.share * (idle - tally.usable)));
  return { idle, unusable: sumOf(machines.map((each) => each.unusable)), expectedLost, machines, requests: tallies };
}

function add(counts: Map<LossReason, number>, reason: LossReason, by: number): void {
  counts.set(reason, (counts.get(reason) ?? 0) + by);
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

/** Idle and unusable cards of some machines together. */
export interface LossSum {
  readonly idle: number;
  readonly unusable: number;
  readonly byReason: ReadonlyMap<LossReason, number>;
}

/** Sums by model, rack or anything else that a machine tells, in order of first appearance by rank. */
export function lossBy(machines: readonly MachineLoss[], keyOf: (machine: number) => string): Map<string, LossSum> {
  const sums = new Map<string, { idle: number; unusable: number; byReason: Map<LossReason, number> }>();
  for (const { machine, idle, unusable, reason } of machines) {
    const key = keyOf(machine);
    const sum = sums.get(key) ?? { idle: 0, unusable: 0, byReason: new Map<LossReason, number>() };
    sum.idle += idle;
    sum.unusable += unusable;
    if (reason !== null && unusable > 0) add(sum.byReason, reason, unusable);
    sums.set(key, sum);
  }
  return sums;
}
