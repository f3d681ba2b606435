import type { CardRequest, Pod } from '@springtide/core/model';
import type { Holding } from '@springtide/core/state';
import { admitsCard, askedOf } from './asked.ts';
import { hasRoom, migStarts, refusalTwin } from './fit.ts';
import { type CardState, type MachineState, statesOf, type World } from './world.ts';

export interface Room {
  readonly machine: number;
  /** Only cards of this island; null: all of the machine. */
  readonly island: number | null;
  /** Enough copies; more are not looked for. */
  readonly copiesMax: number;
}

/**
 * How many copies of a pod fit on a machine together, neighbours aside: tries every choice of cards, and of MIG
 * slices, for every copy. Exponential: for machines of a few cards and a few copies.
 */
export function copiesTwin(world: World, pod: Pod, room: Room): number {
  if (room.copiesMax === 0) return 0;
  const state = statesOf(world)[room.machine] as MachineState;
  if (refusalTwin(pod, state, world.reserved.has(state.machine.id)) !== 'none') return 0;
  let most = 0;
  for (const choice of choices(world, pod, room)) {
    const holding = holdingOn(pod, room, choice);
    const copy = { ...pod, id: `${pod.id}+` };
    const next = { ...world, holdings: [...world.holdings, holding] };
    most = Math.max(most, 1 + copiesTwin(next, copy, { ...room, copiesMax: room.copiesMax - 1 }));
    if (most >= room.copiesMax) break;
  }
  return most;
}

interface Place {
  readonly card: number;
  readonly state: CardState;
  readonly migBits: number;
}

/** Every way to choose as many different cards as are asked for. */
function choices(world: World, pod: Pod, { machine, island }: Room): readonly (readonly Place[])[] {
  const { cards } = pod.request;
  if (cards.kind === 'none') return [[]];
  const first = world.machines.slice(0, machine).reduce((total, each) => total + each.cards.length, 0);
  const states = (statesOf(world)[machine] as MachineState).cards;
  const places = states.map((state, index) => {
    const isOpen =
      (island === null || state.card.island === island) && admits(pod, state) && admitsCard(cards, state.card);
    return isOpen ? placesOn(cards, state, first + index) : [];
  });
  return combinations(places, cards.count);
}

function admits(pod: Pod, state: CardState): boolean {
  const hasOthers = state.tenants.some((tenant) => tenant !== pod.tenant);
  return !hasOthers || (state.isolated === 0 && pod.request.isolation === 'none');
}

function placesOn(cards: Exclude<CardRequest, { kind: 'none' }>, state: CardState, card: number): Place[] {
  const asked = askedOf(cards, state.card);
  if (asked.refusal !== 'none' || !hasRoom(asked, state)) return [];
  const { mig } = asked;
  if (mig === null) return [{ card, state, migBits: 0 }];
  return migStarts(mig, state.slicesTaken).map((start) => ({ card, state, migBits: (2 ** mig.size - 1) * 2 ** start }));
}

/** Picks one place on each of `count` cards, in every way. */
function combinations(places: readonly (readonly Place[])[], count: number): Place[][] {
  if (count === 0) return [[]];
  const [here, ...rest] = places;
  if (here === undefined) return [];
  const found = combinations(rest, count);
  for (const others of combinations(rest, count - 1)) for (const place of here) found.push([place, ...others]);
  return found;
}

function holdingOn(pod: Pod, { machine }: Room, choice: readonly Place[]): Holding {
  const { cards } = pod.request;
  const asked = choice.map(({ state }) => {
    const found = cards.kind === 'none' ? null : askedOf(cards, state.card);
    return found?.refusal === 'none' ? found : { memoryMiB: 0, computeMilli: 0, cpus: 0 };
  });
  return {
    pod,
    machine,
    cards: choice.map(({ card }) => card),
    memoryMiB: asked.map(({ memoryMiB }) => memoryMiB),
    computeMilli: asked.map(({ computeMilli }) => computeMilli),
    cpus: asked.map(({ cpus }) => cpus),
    migBits: choice.map(({ migBits }) => migBits),
    cardsMissing: 0,
    guessed: true,
    deleting: false,
  };
}
