import { mulberry32 } from '@springtide/core/base';

/** A gang that is to arrive. */
export interface GangPlan {
  readonly name: string;
  readonly members: number;
  readonly cardsPerMember: number;
  readonly runsForSeconds: number;
}

export interface PlanOptions {
  readonly seed: number;
  readonly count: number;
  readonly membersMin: number;
  readonly membersMax: number;
  readonly runsForSecondsMin: number;
  readonly runsForSecondsMax: number;
}

export const CARDS_PER_MACHINE = 8;
/** Of all the cards that the gangs ask for together. */
const SHARE_HELD = 0.6;

/** Gangs of a seed: seven of ten with one card a member, two with two, one with four. */
export function planOf(options: PlanOptions): GangPlan[] {
  const { seed, count, membersMin, membersMax, runsForSecondsMin, runsForSecondsMax } = options;
  const random = mulberry32(seed);
  const between = (min: number, max: number): number => min + random.below(max - min + 1);
  return Array.from({ length: count }, (_, i) => ({
    name: `gang-${String(i).padStart(3, '0')}`,
    members: between(membersMin, membersMax),
    cardsPerMember: [1, 1, 1, 1, 1, 1, 1, 2, 2, 4][random.below(10)] as number,
    runsForSeconds: between(runsForSecondsMin, runsForSecondsMax),
  }));
}

export function cardsOf(plan: readonly GangPlan[]): number {
  return plan.reduce((sum, { members, cardsPerMember }) => sum + members * cardsPerMember, 0);
}

/** Machines that hold 60 % of what all gangs ask for at once. */
export function machinesFor(plan: readonly GangPlan[]): number {
  return Math.ceil((SHARE_HELD * cardsOf(plan)) / CARDS_PER_MACHINE);
}
