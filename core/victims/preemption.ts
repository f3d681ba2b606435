import { compareText } from '../base/index.ts';
import type { Pod } from '../model/index.ts';
import { MODE, type Book, type Holding, type RequestClass } from '../state/index.ts';
import { MachineTrial } from './machine-trial.ts';

/** Who must leave a machine so that a pod fits there. */
export interface VictimPlan {
  readonly machine: number;
  /** Lowest priority first. */
  readonly victims: readonly Holding[];
  /** Victims whose going would break a disruption budget. */
  readonly budgetsBroken: number;
}

export interface PreemptionRules {
  /** Whether a pod may be made to leave for the preemptor at all. */
  readonly mayEvict: (holding: Holding) => boolean;
  /** Whether its going would break a disruption budget: then it leaves only if nothing else helps. */
  readonly breaksBudget: (holding: Holding) => boolean;
}

/** The most machines tried in full; they come in order of promise. */
export const MACHINES_TRIED_MAX = 128;

interface Candidate {
  readonly machine: number;
  readonly evictable: readonly Holding[];
}

/**
 * The plan with least harm: fewest broken budgets, then the lowest top priority among the victims, then fewest
 * victims, then the lowest sum of priorities, then rank. On a machine, pods are spared from the highest priority
 * down as long as the preemptor still fits, so that nobody leaves in vain. Null: no machine helps.
 * Method: kube-scheduler's preemption (DefaultPreemption), with cards.
 */
export function planPreemption(book: Book, pod: Pod, rules: PreemptionRules): VictimPlan | null {
  const requestClass = book.classOf(pod.request, pod.tenant);
  const candidates = promising(book, requestClass, rules).slice(0, MACHINES_TRIED_MAX);
  let best: VictimPlan | null = null;
  for (const candidate of candidates) {
    const plan = victimsOn(book, pod, candidate, rules);
    if (plan !== null && (best === null || compareHarm(plan, best) < 0)) best = plan;
  }
  return best;
}

/** Machines that could hold the pod once all evictable pods left, by cheap sums; fewest evictable pods first. */
function promising(book: Book, requestClass: RequestClass, rules: PreemptionRules): Candidate[] {
  const found: Candidate[] = [];
  for (let machine = 0; machine < book.machines.length; machine += 1) {
    if (requestClass.staticRefusal[machine] !== 0) continue;
    const evictable = book.podsOn(machine).filter((holding) => rules.mayEvict(holding));
    if (evictable.length === 0 || !couldFit(book, requestClass, machine, evictable)) continue;
    found.push({ machine, evictable });
  }
  return found.toSorted(
    (left, right) => left.evictable.length - right.evictable.length || left.machine - right.machine,
  );
}

function couldFit(book: Book, requestClass: RequestClass, machine: number, evictable: readonly Holding[]): boolean {
  let cpu = book.cpuFreeMilli[machine] as number;
  let memory = book.memoryFreeBytes[machine] as number;
  let cards = book.cardsFree[machine] as number;
  for (const { pod, cards: held, cardsMissing } of evictable) {
    cpu += pod.request.cpuMilli;
    memory += pod.request.memoryBytes;
    cards += held.length + cardsMissing;
  }
  if (requestClass.cpuMilli > cpu || requestClass.memoryBytes > memory) return false;
  return requestClass.mode !== MODE.whole || requestClass.count <= cards;
}

function victimsOn(book: Book, pod: Pod, candidate: Candidate, rules: PreemptionRules): VictimPlan | null {
  const { machine, evictable } = candidate;
  const trial = new MachineTrial(book, machine, pod);
  const leaving = new Set(evictable);
  for (const holding of book.podsOn(machine)) if (!leaving.has(holding)) trial.hold(holding);
  if (!trial.fits) return null;
  const victims: Holding[] = [];
  let budgetsBroken = 0;
  for (const holding of sparedFirst(evictable, rules)) {
    trial.hold(holding);
    if (trial.fits) continue;
    trial.release(holding);
    victims.push(holding);
    if (rules.breaksBudget(holding)) budgetsBroken += 1;
  }
  return { machine, victims: victims.toReversed(), budgetsBroken };
}

/** Those whose budget would break, then the highest priorities, then those with most cards; id last. */
function sparedFirst(evictable: readonly Holding[], rules: PreemptionRules): Holding[] {
  const broken = new Map(evictable.map((holding) => [holding, rules.breaksBudget(holding) ? 1 : 0]));
  return evictable.toSorted(
    (left, right) =>
      (broken.get(right) ?? 0) - (broken.get(left) ?? 0) ||
      right.pod.priority - left.pod.priority ||
      right.cards.length - left.cards.length ||
      compareText(left.pod.id, right.pod.id),
  );
}

function compareHarm(left: VictimPlan, right: VictimPlan): number {
  return (
    left.budgetsBroken - right.budgetsBroken ||
    topPriority(left) - topPriority(right) ||
    left.victims.length - right.victims.length ||
    sumOfPriorities(left) - sumOfPriorities(right) ||
    left.machine - right.machine
  );
}

function topPriority({ victims }: VictimPlan): number {
  return victims.reduce((top, { pod }) => Math.max(top, pod.priority), -Infinity);
}

function sumOfPriorities({ victims }: VictimPlan): number {
  return victims.reduce((sum, { pod }) => sum + pod.priority, 0);
}
