import { MODE, migMask, type CardKind, type RequestClass } from '../state/index.ts';
import type { MixEntry } from './mix.ts';

/**
 * What the free part of a card is worth: how much of it later pods of the mix are expected to fill. Pods come
 * one by one and may be taken or declined; declining costs the factor `patience`:
 *
 *     V(s) = sum over c of p(c) max(patience V(s), value(c) + V(s - c))
 *
 * so the best set to accept is a prefix of the classes sorted by value(c) + V(s - c), and V follows in closed
 * form for each prefix. Method: optimal stopping; the measure is ours (shared/design/packing.md 3).
 */
export interface CardValue {
  /** The state of a card, as an index into the tables below. */
  readonly stateOf: (memoryFreeMiB: number, computeFreeMilli: number, bits: number) => number;
  /** Expected fill of each state, in thousandths of a card. */
  readonly filled: Float64Array;
  /** Expected remainder of each state, in thousandths of a card. */
  readonly wasted: Float64Array;
}

const COMPUTE_UNITS = 100;
const MEMORY_UNITS = 128;

interface Part {
  readonly share: number;
  readonly value: number;
  /** The state after taking it, or -1. */
  readonly next: (state: number) => number;
}

/** One class as seen by one card: multi-card pods come to a card as often as they take one. */
function sharesOn(mix: readonly MixEntry[], kind: CardKind): { requestClass: RequestClass; share: number }[] {
  const on = mix.filter(
    ({ requestClass }) => requestClass.mode !== MODE.none && requestClass.kindRefusal[kind.index] === 0,
  );
  const total = on.reduce((sum, entry) => sum + entry.share, 0);
  return on.map(({ requestClass, share }) => ({ requestClass, share: share / total }));
}

/** V of one state from the parts that fit it, given V of every state they lead to. */
function valueOf(parts: readonly Part[], state: number, filled: Float64Array, patience: number): number {
  const gains: { gain: number; share: number }[] = [];
  for (const part of parts) {
    const next = part.next(state);
    if (next >= 0) gains.push({ gain: part.value + (filled[next] as number), share: part.share });
  }
  gains.sort((left, right) => right.gain - left.gain || left.share - right.share);
  let best = 0;
  let accepted = 0;
  let sum = 0;
  for (const { gain, share } of gains) {
    accepted += share;
    sum += share * gain;
    best = Math.max(best, sum / (1 - patience * (1 - accepted)));
  }
  return best;
}

function merged(parts: readonly Part[], keys: readonly string[]): Part[] {
  const byKey = new Map<string, Part>();
  parts.forEach((part, i) => {
    const key = keys[i] as string;
    const known = byKey.get(key);
    byKey.set(key, known === undefined ? part : { ...part, share: known.share + part.share });
  });
  return [...byKey.values()];
}

/** Tables for cards cut by memory and compute, or taken whole. */
function gridValue(mix: readonly MixEntry[], kind: CardKind, patience: number): CardValue {
  const on = sharesOn(mix, kind);
  const sliced = on.filter(({ requestClass }) => requestClass.mode === MODE.slice);
  const usesMemory =
    kind.memoryMiB > 0 && sliced.some(({ requestClass }) => (requestClass.kindMemory[kind.index] as number) > 0);
  const memoryUnits = usesMemory ? MEMORY_UNITS : 0;
  const memoryUnit = usesMemory ? kind.memoryMiB / MEMORY_UNITS : 1;
  const computeUnit = kind.computeMilli / COMPUTE_UNITS;
  const columns = COMPUTE_UNITS + 1;
  const states = (memoryUnits + 1) * columns;
  const sizes = on.map(({ requestClass }) => {
    const isWhole = requestClass.mode === MODE.whole;
    const memoryMiB = requestClass.kindMemory[kind.index] as number;
    const computeMilli = requestClass.kindCompute[kind.index] as number;
    return {
      memory: usesMemory ? (isWhole ? memoryUnits : Math.ceil(memoryMiB / memoryUnit - 1e-9)) : 0,
      compute: isWhole ? COMPUTE_UNITS : Math.ceil(computeMilli / computeUnit - 1e-9),
      value: isWhole ? 1000 : usesMemory && memoryMiB > 0 ? (1000 * memoryMiB) / kind.memoryMiB : computeMilli,
    };
  });
  const parts = on.map(({ share }, i): Part => {
    const { memory, compute, value } = sizes[i] as (typeof sizes)[number];
    const step = memory * columns + compute;
    if (step === 0) return { share, value, next: () => -1 };
    return {
      share,
      value,
      next: (state) => (Math.floor(state / columns) >= memory && state % columns >= compute ? state - step : -1),
    };
  });
  const distinct = merged(
    parts,
    sizes.map(({ memory, compute, value }) => `${memory} ${compute} ${Math.round(value)}`),
  );
  const filled = new Float64Array(states);
  const wasted = new Float64Array(states);
  for (let state = 0; state < states; state += 1) {
    filled[state] = valueOf(distinct, state, filled, patience);
    const free = usesMemory
      ? (1000 * Math.floor(state / columns)) / memoryUnits
      : (1000 * (state % columns)) / COMPUTE_UNITS;
    wasted[state] = free - (filled[state] as number);
  }
  return {
    stateOf: (memoryFreeMiB, computeFreeMilli) =>
      (usesMemory ? Math.trunc(memoryFreeMiB / memoryUnit) : 0) * columns + Math.trunc(computeFreeMilli / computeUnit),
    filled,
    wasted,
  };
}

const MIG_STATES = 256;

/** Tables for MIG cards: a state is the set of memory slices taken. */
function migValue(mix: readonly MixEntry[], kind: CardKind, patience: number): CardValue {
  const slices = kind.model.includes('A30') ? 4 : 8;
  const parts = sharesOn(mix, kind).map(({ requestClass, share }): Part => {
    const demand = requestClass.demands[kind.index] as RequestClass['demands'][number];
    return {
      share,
      value: (1000 * demand.migSize) / slices,
      next: (bits) => {
        const start = demand.migStarts.find((at) => (bits & migMask(at, demand.migSize)) === 0);
        return start === undefined ? -1 : bits | migMask(start, demand.migSize);
      },
    };
  });
  const filled = new Float64Array(MIG_STATES);
  const wasted = new Float64Array(MIG_STATES);
  for (let bits = MIG_STATES - 1; bits >= 0; bits -= 1) {
    filled[bits] = valueOf(parts, bits, filled, patience);
    let free = slices;
    for (let slice = 0; slice < slices; slice += 1) free -= (bits >> slice) & 1;
    wasted[bits] = (1000 * free) / slices - (filled[bits] as number);
  }
  return { stateOf: (_memory, _compute, bits) => bits, filled, wasted };
}

/** The value tables of one kind of card for a mix. O(states x distinct sizes x log of them). */
export function cardValue(mix: readonly MixEntry[], kind: CardKind, patience: number): CardValue {
  return kind.slicing === 'mig' ? migValue(mix, kind, patience) : gridValue(mix, kind, patience);
}
