import { writeFileSync } from 'node:fs';
import { availableParallelism, cpus, totalmem } from 'node:os';

/** The machine a result was measured on. */
function machine(): Record<string, string | number> {
  const memoryGiB = Math.round(totalmem() / 2 ** 30);
  return { cpu: cpus()[0]?.model ?? '', cores: availableParallelism(), memoryGiB, node: process.version };
}

/** Writes `bench/results/<name>.json` with the day and the machine. */
export function writeResult(name: string, result: object): void {
  const measured = { day: new Date().toISOString().slice(0, 10), machine: machine() };
  const file = new URL(`results/${name}.json`, import.meta.url);
  writeFileSync(file, `${JSON.stringify({ ...measured, ...result }, null, 1)}\n`);
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

export function median(values: readonly number[]): number {
  return values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)] as number;
}

/** A bound that a figure must keep, for the ratchet. */
export interface Bound {
  readonly figure: string;
  readonly value: number;
  readonly min?: number;
  readonly max?: number;
}

/** Prints the bounds that do not hold; true when all do. */
export function holds(bounds: readonly Bound[]): boolean {
  const broken = bounds.filter(({ value, min = -Infinity, max = Infinity }) => !(value >= min && value <= max));
  for (const { figure, value, min, max } of broken) {
    const wanted = min === undefined ? `at most ${max}` : `at least ${min}`;
    console.log(`BROKEN ${figure}: ${value.toFixed(3)}, wanted ${wanted}`);
  }
  console.log(`${bounds.length - broken.length} of ${bounds.length} bounds hold`);
  return broken.length === 0;
}
