import { compareText } from '../base/index.ts';
import type { Placer } from '../placement/index.ts';
import type { Pod, Request } from '../model/index.ts';
import { NOBODY, type Book, type Holding } from '../state/index.ts';
import { machineNoun } from './loss.ts';
import { isMachineUsable } from './usable.ts';

export interface Emptiable {
  /** Machines each of which could be emptied if it were the only one, by rank. */
  readonly alone: readonly number[];
  /** Machines that could all be emptied in one go: a greedy choice, fewest cards first. */
  readonly together: readonly number[];
  /** Pods that would move in that one go. */
  readonly moves: number;
}

export interface EmptiableOptions {
  /** Whether a pod may move at all; one of a DaemonSet may not. */
  readonly canMove: (podId: string) => boolean;
}

/** Requests that name no model, each with the model that its pod is on. */
type SameModel = (holding: Holding) => Pod;

/** A number that no gang's reservation has: the machines this dry run keeps closed. */
const CLOSED = 2 ** 30;

/**
 * Dry run: which machines could be freed of pods with cards by moving them to other machines that have work
 * already (an empty machine is never opened, or nothing would be won) and have the same model of card, even where
 * a pod would take another. Pods without cards stay; pods that are being deleted need no place. The book is as
 * before afterwards. O(pods with cards) decisions, twice.
 */
export function emptiableMachines(placer: Placer, options: EmptiableOptions): Emptiable {
  const { book } = placer;
  const machines = candidates(placer, options);
  const sameModel = modelKeeper(book);
  const outer = book.savepoint();
  closeEmptyMachines(placer);
  const alone = machines.filter((machine) => {
    if (hasRoomAround(placer, machine, sameModel)) return true;
    const savepoint = book.savepoint();
    const targets = moveAway(placer, machine, sameModel);
    book.rollBack(savepoint);
    return targets !== null;
  });
  const inOneGo = emptyTogether(placer, alone, sameModel);
  book.rollBack(outer);
  return { alone, ...inOneGo };
}

function hasCards({ cards, cardsMissing }: Holding): boolean {
  return cards.length > 0 || cardsMissing > 0;
}

/** Usable machines with pods on cards, all of which may move. */
function candidates({ book }: Placer, { canMove }: EmptiableOptions): number[] {
  return [...book.machines.keys()].filter((machine) => {
    if (!isMachineUsable(machineNoun(book, machine)) || book.reservedBy[machine] !== NOBODY) return false;
    const holdings = book.podsOn(machine).filter(hasCards);
    return holdings.length > 0 && holdings.every(({ pod, deleting }) => deleting || canMove(pod.id));
  });
}

function closeEmptyMachines({ book }: Placer): void {
  const empty = [...book.machines.keys()].filter(
    (machine) => book.cardsIdle(machine) && book.reservedBy[machine] === NOBODY,
  );
  for (const machine of empty) book.reserve(machine, CLOSED);
}

/** Requests are changed once each, so that their classes are found by identity. */
function modelKeeper({ kinds, cardKind }: Book): SameModel {
  const changed = new Map<Request, Map<string, Request>>();
  return ({ pod, cards: held }) => {
    const { request } = pod;
    const { cards } = request;
    const models = [...new Set(held.map((card) => kinds[cardKind[card] as number]?.model ?? ''))];
    if (cards.kind === 'none' || cards.models !== null || models.length === 0) return pod;
    const byModels = changed.get(request) ?? new Map<string, Request>();
    const key = models.join(' ');
    const same = byModels.get(key) ?? { ...request, cards: { ...cards, models } };
    changed.set(request, byModels.set(key, same));
    return { ...pod, request: same };
  };
}

function cardsHeld({ cards, cardsMissing }: Holding): number {
  return cards.length + cardsMissing;
}

/**
 * Whether each pod of a machine could have another machine to itself: then nothing needs to be tried. Only for
 * pods that do not look at their neighbours. O(pods of the machine).
 */
function hasRoomAround(placer: Placer, machine: number, sameModel: SameModel): boolean {
  const leaving = placer.book.podsOn(machine).filter((holding) => hasCards(holding) && !holding.deleting);
  return leaving.every((holding) => {
    const pod = sameModel(holding);
    const requestClass = placer.book.classOf(pod.request, pod.tenant);
    if (placer.neighboursOf(pod, requestClass) !== null) return false;
    const scores = placer.scoresOf(requestClass);
    const others = (scores.counts[0] as number) - (scores.refusalOf(machine) === 0 ? 1 : 0);
    return others >= leaving.length;
  });
}

/**
 * Moves every pod with cards off a machine, the largest first, inside the caller's savepoint, and closes the
 * machine. The targets, one a pod that moved; null when a pod finds no place.
 */
function moveAway(placer: Placer, machine: number, sameModel: SameModel): number[] | null {
  const { book } = placer;
  const leaving = book
    .podsOn(machine)
    .filter(hasCards)
    .toSorted((left, right) => cardsHeld(right) - cardsHeld(left) || compareText(left.pod.id, right.pod.id));
  book.reserve(machine, CLOSED);
  for (const { pod } of leaving) book.release(pod.id);
  const targets: number[] = [];
  for (const holding of leaving) {
    if (holding.deleting) continue;
    const decision = placer.decide(sameModel(holding));
    if (!decision.ok) return null;
    book.hold(decision.holding);
    targets.push(decision.holding.machine);
  }
  return targets;
}

/** Empties machine after machine and keeps what works, until the caller rolls back; one that took in a pod is left. */
function emptyTogether(
  placer: Placer,
  alone: readonly number[],
  sameModel: SameModel,
): Pick<Emptiable, 'together' | 'moves'> {
  const { book } = placer;
  const held = new Map(alone.map((machine) => [machine, sumHeld(book.podsOn(machine))]));
  const order = alone.toSorted(
    (left, right) => (held.get(left) as number) - (held.get(right) as number) || left - right,
  );
  const received = new Set<number>();
  const together: number[] = [];
  let moves = 0;
  for (const machine of order) {
    if (received.has(machine)) continue;
    const inner = book.savepoint();
    const targets = moveAway(placer, machine, sameModel);
    if (targets === null) {
      book.rollBack(inner);
      continue;
    }
    book.keep(inner);
    together.push(machine);
    moves += targets.length;
    for (const target of targets) received.add(target);
  }
  return { together: together.toSorted((left, right) => left - right), moves };
}

function sumHeld(holdings: readonly Holding[]): number {
  return holdings.reduce((sum, holding) => sum + cardsHeld(holding), 0);
}
