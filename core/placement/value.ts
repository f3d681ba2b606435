import { MODE, migMask, migSlices, type CardKind, type RequestClass } from '../state/index.ts';
import type { MixEntry } from './mix.ts';
import { Stopping } from './stopping.ts';

/**
 * What the free part of a card is worth: how much of it later pods of the mix are expected to fill
 * (stopping.ts). Cards cut by memory and compute have a grid of states, MIG cards one state for each set of
 * memory slices taken.
 */
export interface CardValue {
  /** Steps of memory and compute from empty to full; memory 0 where the mix does not ask for it. */
  readonly memorySteps: number;
  readonly computeSteps: number;
  readonly memoryMiB: number;
  readonly computeMilli: number;
  readonly isMig: boolean;
  /** Expected fill of each state, in thousandths of a card. */
  readonly filled: Float64Array;
  /** Expected remainder of each state, in thousandths of a card. */
  readonly wasted: Float64Array;
}

const COMPUTE_STEPS = 100;
const MEMORY_STEPS = 128;
const MIG_STATES = 256;

/** The state of a card, an index into its tables. What is overdrawn counts as nothing left. */
export function stateOf(value: CardValue, memoryFreeMiB: number, computeFreeMilli: number, bits: number): number {
  if (value.isMig) return bits;
  const compute = computeFreeMilli > 0 ? Math.trunc((computeFreeMilli * value.computeSteps) / value.computeMilli) : 0;
  if (value.memorySteps === 0) return compute;
  const memory = memoryFreeMiB > 0 ? Math.trunc((memoryFreeMiB * value.memorySteps) / value.memoryMiB) : 0;
  return memory * (value.computeSteps + 1) + compute;
}

/** How far down a grid a demand leads, never below its floor: whole steps only. */
export function stepOf(value: CardValue, memoryMiB: number, computeMilli: number): number {
  return value.isMig ? 0 : stateOf(value, memoryMiB, computeMilli, 0);
}

interface OnKind {
  readonly requestClass: RequestClass;
  readonly share: number;
}

/** The classes of a mix that a kind of card can take, their shares summing to 1. */
function entriesOn(mix: readonly MixEntry[], kind: CardKind): OnKind[] {
  const on = mix.filter(({ requestClass }) => {
    return requestClass.mode !== MODE.none && requestClass.kindRefusal[kind.index] === 0;
  });
  const total = on.reduce((sum, entry) => sum + entry.share, 0);
  return on.map(({ requestClass, share }) => ({ requestClass, share: share / total }));
}

/** How one class is taken from a grid. `value` is in thousandths of a card. */
interface Size {
  readonly memory: number;
  readonly compute: number;
  readonly value: number;
  share: number;
}

interface Grid {
  readonly memorySteps: number;
  /** How much of a card's worth is its memory; the rest is its compute. */
  readonly memoryWeight: number;
  readonly sizes: readonly Size[];
}

/** A card is worth its memory where all slices ask for memory, its compute where none does, else half of each. */
function memoryWeight(on: readonly OnKind[], kind: CardKind): number {
  const slices = on.filter(({ requestClass }) => requestClass.mode === MODE.slice);
  const withMemory = slices.filter(({ requestClass }) => (requestClass.kindMemory[kind.index] as number) > 0);
  if (kind.memoryMiB === 0 || withMemory.length === 0) return 0;
  return withMemory.length === slices.length ? 1 : 0.5;
}

function gridOf(on: readonly OnKind[], kind: CardKind): Grid {
  const weight = memoryWeight(on, kind);
  const memorySteps = weight > 0 ? MEMORY_STEPS : 0;
  const sizes = new Map<string, Size>();
  for (const { requestClass, share } of on) {
    const isWhole = requestClass.mode === MODE.whole;
    const memoryPart = isWhole ? 1 : weight > 0 ? (requestClass.kindMemory[kind.index] as number) / kind.memoryMiB : 0;
    const computePart = isWhole ? 1 : (requestClass.kindCompute[kind.index] as number) / kind.computeMilli;
    const memory = Math.ceil(memoryPart * memorySteps - 1e-9);
    const compute = Math.ceil(computePart * COMPUTE_STEPS - 1e-9);
    const value = 1000 * (weight * memoryPart + (1 - weight) * computePart);
    const key = `${memory} ${compute} ${value.toFixed(3)}`;
    const known = sizes.get(key);
    if (known !== undefined) known.share += share;
    else if (memory + compute > 0) sizes.set(key, { memory, compute, value, share });
  }
  return { memorySteps, memoryWeight: weight, sizes: [...sizes.values()] };
}

type Tables = Pick<CardValue, 'filled' | 'wasted'>;

/** O(states x distinct sizes). */
function gridTables({ memorySteps, memoryWeight: weight, sizes }: Grid, patience: number): Tables {
  const columns = COMPUTE_STEPS + 1;
  const filled = new Float64Array((memorySteps + 1) * columns);
  const wasted = new Float64Array(filled.length);
  const stopping = new Stopping(sizes.length, patience);
  for (let state = 0; state < filled.length; state += 1) {
    const memory = Math.floor(state / columns);
    const compute = state - memory * columns;
    stopping.clear();
    for (let i = 0; i < sizes.length; i += 1) {
      const size = sizes[i] as Size;
      if (size.memory > memory || size.compute > compute) continue;
      const next = state - size.memory * columns - size.compute;
      stopping.offer(size.value + (filled[next] as number), size.share);
    }
    const fill = stopping.value();
    const memoryFree = memorySteps === 0 ? 0 : memory / memorySteps;
    filled[state] = fill;
    wasted[state] = 1000 * (weight * memoryFree + (1 - weight) * (compute / COMPUTE_STEPS)) - fill;
  }
  return { filled, wasted };
}

function migValue(on: readonly OnKind[], kind: CardKind, patience: number): CardValue {
  const slices = migSlices(kind);
  const filled = new Float64Array(MIG_STATES);
  const wasted = new Float64Array(MIG_STATES);
  const stopping = new Stopping(on.length, patience);
  for (let bits = MIG_STATES - 1; bits >= 0; bits -= 1) {
    stopping.clear();
    for (const { requestClass, share } of on) {
      const demand = requestClass.demands[kind.index] as RequestClass['demands'][number];
      const start = demand.migStarts.find((at) => (bits & migMask(at, demand.migSize)) === 0);
      if (start === undefined) continue;
      const next = bits | migMask(start, demand.migSize);
      stopping.offer((1000 * demand.migSize) / slices + (filled[next] as number), share);
    }
    let free = slices;
    for (let slice = 0; slice < slices; slice += 1) free -= (bits >> slice) & 1;
    filled[bits] = stopping.value();
    wasted[bits] = (1000 * free) / slices - (filled[bits] as number);
  }
  const { memoryMiB, computeMilli } = kind;
  return { memorySteps: 0, computeSteps: 0, memoryMiB, computeMilli, isMig: true, filled, wasted };
}

/** What declining a pod costs a card (stopping.ts), by how the card is cut. */
export interface Patience {
  readonly patience: number;
  /** For cards cut by memory and compute. */
  readonly slicePatience: number;
}

/** The value tables of every kind of card for a mix. Kinds that the mix cannot tell apart share their tables. */
export function cardValues(mix: readonly MixEntry[], kinds: readonly CardKind[], patience: Patience): CardValue[] {
  const known = new Map<string, Tables>();
  return kinds.map((kind) => {
    const on = entriesOn(mix, kind);
    if (kind.slicing === 'mig') return migValue(on, kind, patience.patience);
    const { memoryMiB, computeMilli } = kind;
    const grid = gridOf(on, kind);
    const { memorySteps } = grid;
    const key = JSON.stringify(grid);
    const tables = known.get(key) ?? gridTables(grid, memorySteps > 0 ? patience.slicePatience : patience.patience);
    known.set(key, tables);
    return { memorySteps, computeSteps: COMPUTE_STEPS, memoryMiB, computeMilli, isMig: false, ...tables };
  });
}
