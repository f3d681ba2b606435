import { mulberry32 } from '@springtide/core/base';
import { FILTERS, type FilterName, type Pod } from '@springtide/core/model';
import { POLICIES, type PolicyName, typicalRequests } from '@springtide/core/placement';
import { Book, NOT_FIT, SCORE_MIN } from '@springtide/core/state';
import { refusalTwin } from './fit.ts';
import { type Caps, neighbourTwin } from './neighbours.ts';
import { statesOf, type World } from './world.ts';

/** The machine-by-machine refusals of a pod, neighbours last. `states` saves summing up a world again. */
export function refusalsTwin(world: World, pod: Pod, caps?: Caps, states = statesOf(world)): FilterName[] {
  return states.map((state, machine) => {
    const own = refusalTwin(pod, state, world.reserved.has(state.machine.id));
    return own === 'none' ? neighbourTwin(world, pod, machine, caps) : own;
  });
}

/** How many machines each filter refuses, in the order of the filters; `none` counts those that fit. */
export function countsTwin(refusals: readonly FilterName[]): number[] {
  return FILTERS.map((name) => refusals.filter((refusal) => refusal === name).length);
}

/** A book that has never seen anything but this world, in the order of its holdings. */
export function freshBook(world: World): Book {
  const book = new Book(world.machines, { order: world.machines.map(({ id }) => id) });
  for (const holding of world.holdings) book.hold(holding);
  return book;
}

export interface Scoring {
  readonly policy: PolicyName;
  /** The pods whose requests are typical, for policies that want to know. */
  readonly pods: readonly Pod[];
  /** Of the pod that is scored, by machine. */
  readonly refusals: readonly FilterName[];
}

/** Every machine scored by a policy that has never scored before; NOT_FIT where it is refused. */
export function scoresTwin(book: Book, { policy: name, pods, refusals }: Scoring, pod: Pod): number[] {
  const typical = typicalRequests(pods.map((each) => book.classOf(each.request, each.tenant)));
  const policy = POLICIES[name]({ book, chance: mulberry32(1), typical });
  const requestClass = book.classOf(pod.request, pod.tenant);
  return refusals.map((refusal, machine) => (refusal === 'none' ? policy.score(requestClass, machine) : NOT_FIT));
}

/** All machines with the highest score, in rank order. */
export function bestOf(scores: readonly number[]): number[] {
  const best = Math.max(...scores);
  return best < SCORE_MIN ? [] : scores.flatMap((score, machine) => (score === best ? [machine] : []));
}
