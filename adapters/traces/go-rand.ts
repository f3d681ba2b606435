import { readFileSync } from 'node:fs';
import { TraceError } from './csv.ts';

const LAG = 607;
const TAP = 273;
const WORD = 0xffffffffffffffffn;

/** The draws of Go's `math/rand` that arrival orders are made of. */
export interface GoRand {
  /** One raw value, thrown away by the published runs before they shuffle. */
  readonly skip: () => void;
  /** Uniform in [0, bound), bound below 2^31. */
  readonly intn: (bound: number) => number;
  readonly shuffle: (length: number, swap: (left: number, right: number) => void) => void;
}

/**
 * Go's additive lagged Fibonacci source, from its first 607 outputs (Go's seeding tables are not ours to ship):
 * x[n] = x[n - 607] + x[n - 273] modulo 2^64.
 */
export function goRand(firstOutputs: readonly bigint[]): GoRand {
  const window = [...firstOutputs];
  let at = 0;
  const next = (): bigint => {
    const slot = at % LAG;
    if (at >= LAG) window[slot] = ((window[slot] as bigint) + (window[(at - TAP) % LAG] as bigint)) & WORD;
    at += 1;
    return window[slot] as bigint;
  };
  const int63 = (): bigint => next() & 0x7fffffffffffffffn;
  const intn = (bound: number): number => {
    const draw = (): number => Number(int63() >> 32n);
    if ((bound & (bound - 1)) === 0) return draw() & (bound - 1);
    const max = 2147483647 - (2147483648 % bound);
    let value = draw();
    while (value > max) value = draw();
    return value % bound;
  };
  /** Lemire's multiply and shift, as Go's shuffle draws. */
  const below = (bound: number): number => {
    const width = BigInt(bound);
    const draw = (): bigint => (int63() >> 31n) * width;
    let product = draw();
    const threshold = 4294967296n % width;
    while ((product & 0xffffffffn) < threshold) product = draw();
    return Number(product >> 32n);
  };
  const shuffle = (length: number, swap: (left: number, right: number) => void): void => {
    for (let i = length - 1; i > 0; i -= 1) swap(i, below(i + 1));
  };
  return { skip: () => void next(), intn, shuffle };
}

/** Reads `go-rand.json`: seed to 607 outputs as 16 hex digits each. Null when the seed is not there. */
export function readGoRand(file: string, seed: number): GoRand | null {
  let table: unknown;
  try {
    table = JSON.parse(readFileSync(file, 'utf8'));
  } catch (cause) {
    throw new TraceError(file, 0, `cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`);
  }
  if (typeof table !== 'object' || table === null) throw new TraceError(file, 0, 'expected an object of seeds');
  const digits = (table as Readonly<Record<string, unknown>>)[String(seed)];
  if (digits === undefined) return null;
  if (typeof digits !== 'string' || !/^[0-9a-f]*$/.test(digits) || digits.length !== LAG * 16) {
    throw new TraceError(file, 0, `seed ${seed}: expected ${LAG} outputs of 16 hex digits`);
  }
  return goRand(Array.from({ length: LAG }, (_, i) => BigInt(`0x${digits.slice(16 * i, 16 * (i + 1))}`)));
}
