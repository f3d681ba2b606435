import type { Candidate, Explanation, Machine, Obstacle, Pod } from '../model/index.ts';
import { MODE, SCORE_MIN, type Book, type RequestClass } from '../state/index.ts';
import { cardView } from './card-shortage.ts';
import { obstacleFinder } from './obstacles.ts';
import type { Placer } from './placer.ts';
import { Remedies } from './remedies.ts';

/** How many of the best machines are told with the terms of their scores. */
export const BEST_TOLD = 5;

/** The machines that could take a pod now, by rank. O(machines). */
export function feasibleMachines(placer: Placer, pod: Pod): number[] {
  const requestClass = placer.book.classOf(pod.request, pod.tenant);
  const scores = placer.scoresOf(requestClass);
  const neighbours = placer.neighboursOf(pod, requestClass);
  const found: number[] = [];
  for (let machine = 0; machine < scores.tree.leafCount; machine += 1) {
    if (scores.tree.scoreOf(machine) < SCORE_MIN) continue;
    if (neighbours === null || neighbours.refusalOf(machine) === 0) found.push(machine);
  }
  return found;
}

/**
 * The whole detail of one pod: what the decision would be, which filters refuse how many machines, the best few
 * with their scores, and, when no machine takes it, what would change that. Changes nothing but caches.
 * O(machines x filters).
 */
export function explain(placer: Placer, pod: Pod): Explanation {
  const { book, policy } = placer;
  const requestClass = book.classOf(pod.request, pod.tenant);
  const decision = placer.decide(pod, requestClass);
  const feasible = feasibleMachines(placer, pod);
  const remedies = new Remedies(book, requestClass);
  if (feasible.length === 0) {
    const find = obstacleFinder(placer, pod);
    for (let machine = 0; machine < book.machines.length; machine += 1) remedies.add(machine, find(machine));
  }
  return {
    pod: pod.id,
    policy: policy.name,
    machine: decision.ok ? idOf(book, decision.holding.machine) : null,
    cards: decision.ok ? decision.holding.cards.map((card) => book.cardIds[card] as string) : [],
    feasibleMachines: feasible.length,
    refusals: placer.refusalsOf(pod, requestClass),
    best: bestOf(placer, requestClass, feasible),
    remedies: remedies.list(),
    nearMiss: remedies.nearMiss(),
    beyond: beyondEvery(book, requestClass),
  };
}

function idOf(book: Book, machine: number): string {
  return (book.machines[machine] as Machine).id;
}

/** Best score first, then by rank. */
export function bestOf(placer: Placer, requestClass: RequestClass, feasible: readonly number[]): Candidate[] {
  const { tree } = placer.scoresOf(requestClass);
  return feasible
    .toSorted((left, right) => tree.scoreOf(right) - tree.scoreOf(left) || left - right)
    .slice(0, BEST_TOLD)
    .map((machine) => ({
      machine: idOf(placer.book, machine),
      score: tree.scoreOf(machine),
      terms: placer.policy.terms(requestClass, machine),
    }));
}

/** How a policy ranks one machine for a pod. */
export interface Standing {
  /** 1 is best; machines with equal scores share a rank. Null: the machine refuses the pod. */
  readonly rank: number | null;
  readonly feasibleMachines: number;
  /** All that keeps the pod off the machine. */
  readonly obstacles: readonly Obstacle[];
}

/** Where a machine stands among those that could take a pod now. The caller releases the pod first if it holds it. */
export function standingOf(placer: Placer, pod: Pod, machine: number): Standing {
  const feasible = feasibleMachines(placer, pod);
  const { tree } = placer.scoresOf(placer.book.classOf(pod.request, pod.tenant));
  if (!feasible.includes(machine)) {
    return { rank: null, feasibleMachines: feasible.length, obstacles: obstacleFinder(placer, pod)(machine) };
  }
  const better = feasible.filter((other) => tree.scoreOf(other) > tree.scoreOf(machine)).length;
  return { rank: better + 1, feasibleMachines: feasible.length, obstacles: [] };
}

/** What the largest machine with cards of the right kind could not give even when it is empty. */
function beyondEvery(book: Book, requestClass: RequestClass): Obstacle[] {
  const { request, mode, count } = requestClass;
  const largest = { cpuMilli: 0, memoryBytes: 0, cards: 0 };
  const resources = new Map<string, number>();
  let isAny = false;
  book.machines.forEach((machine, rank) => {
    const { allowed } = cardView(book, requestClass, rank);
    if (mode !== MODE.none && allowed === 0) return;
    isAny = true;
    largest.cpuMilli = Math.max(largest.cpuMilli, machine.cpuMilli);
    largest.memoryBytes = Math.max(largest.memoryBytes, machine.memoryBytes);
    largest.cards = Math.max(largest.cards, allowed);
    for (const name of request.resources.keys()) {
      resources.set(name, Math.max(resources.get(name) ?? 0, machine.resources.get(name) ?? 0));
    }
  });
  if (!isAny) return [];
  const found: Obstacle[] = [];
  const compare = (filter: Obstacle['filter'], resource: string, asked: number, most: number): void => {
    if (asked > most) found.push({ filter, resource, missing: asked - most, isBeyond: true });
  };
  compare('cpu', 'cpuMilli', request.cpuMilli, largest.cpuMilli);
  compare('memory', 'memoryBytes', request.memoryBytes, largest.memoryBytes);
  compare(mode === MODE.whole ? 'cards' : 'slice', 'cards', count, largest.cards);
  for (const [name, asked] of request.resources) compare('resource', name, asked, resources.get(name) ?? 0);
  return found;
}
