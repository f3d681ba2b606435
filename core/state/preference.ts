import type { Machine, Request } from '../model/index.ts';
import { matchesTerm, untoleratedSoftly } from './eligible.ts';

/** Grades of a machine for a request's preferences: 0 best, the last worst. */
export const PREFERENCE_GRADES = 8;

/** Parts of the worst grade: models weigh as much as node terms, a soft taint a little. */
const MODEL_PART = 3;
const TERM_PART = 3;
const TAINT_PART = 1;

/** Whether a request prefers some machines, or some of the fleet's machines would rather not be used. */
export function hasPreferences({ cards, constraints }: Request, machines: readonly Machine[]): boolean {
  const hasModels = cards.kind !== 'none' && (cards.preferredModels?.length ?? 0) > 0;
  const isSoftlyTainted = machines.some((machine) => untoleratedSoftly(constraints.tolerations, machine.taints));
  return hasModels || constraints.nodePreferred.length > 0 || isSoftlyTainted;
}

/**
 * How well a machine suits what a request prefers, as a grade: the order of its card model among the preferred
 * ones, the weight of the preferred node terms that it misses, and soft taints (PreferNoSchedule).
 */
export function preferenceGrade({ cards, constraints }: Request, machine: Machine): number {
  let grade = 0;
  const preferred = cards.kind === 'none' ? [] : (cards.preferredModels ?? []);
  if (preferred.length > 0) {
    const ranks = machine.cards.map(({ model }) => preferred.indexOf(model)).filter((rank) => rank >= 0);
    grade += (MODEL_PART * Math.min(preferred.length, ...ranks)) / preferred.length;
  }
  const all = constraints.nodePreferred.reduce((sum, { weight }) => sum + weight, 0);
  if (all > 0) {
    const missed = constraints.nodePreferred.filter((term) => !matchesTerm(term, machine));
    grade += (TERM_PART * missed.reduce((sum, { weight }) => sum + weight, 0)) / all;
  }
  if (untoleratedSoftly(constraints.tolerations, machine.taints)) grade += TAINT_PART;
  return Math.min(PREFERENCE_GRADES - 1, Math.round(grade));
}
