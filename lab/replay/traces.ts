import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readGoRand, readOpenbNodes, readOpenbPods, TraceError, type TracePod } from '@springtide/adapters/traces';
import { compareText } from '@springtide/core/base';
import type { Machine } from '@springtide/core/model';
import { arrivalOrder, DEMAND_MILLI, ownRand } from './arrivals.ts';

/** Where a trace stands on disk. */
export interface TraceFiles {
  /** As the user names it, such as `openb:default`. */
  readonly name: string;
  readonly nodesFile: string;
  readonly podsFile: string;
  /** Go's random numbers of the published runs; null: arrivals come in an order of our own. */
  readonly goRandFile: string | null;
}

export interface Trace {
  readonly files: TraceFiles;
  readonly machines: readonly Machine[];
  /** Sorted by name. */
  readonly pods: readonly TracePod[];
  readonly cardCount: number;
}

const OPENB = join('traces', 'openb-2023');
const OPENB_PODS = /^openb_pod_list_(\w+)\.csv$/;
/** A replay of more arrivals is not what anybody meant. */
const ARRIVALS_MAX = 5_000_000;

/** The traces in a data folder, by name. Empty when it holds none. */
export function traceNames(data: string): string[] {
  const folder = join(data, OPENB);
  if (!existsSync(folder)) return [];
  const variants = readdirSync(folder).flatMap((file) => OPENB_PODS.exec(file)?.[1] ?? []);
  return variants.map((variant) => `openb:${variant}`).toSorted(compareText);
}

/** The files of a trace, or null when the data folder has none of that name. */
export function findTrace(data: string, name: string): TraceFiles | null {
  if (!traceNames(data).includes(name)) return null;
  const variant = name.slice('openb:'.length);
  return {
    name,
    nodesFile: join(data, OPENB, 'openb_node_list_gpu_node.csv'),
    podsFile: join(data, OPENB, `openb_pod_list_${variant}.csv`),
    goRandFile: goRandFileIn(data),
  };
}

export function goRandFileIn(data: string): string | null {
  const file = join(data, 'cases', 'packing', 'go-rand.json');
  return existsSync(file) ? file : null;
}

/** Reads a trace. Throws TraceError for files that cannot be replayed. */
export function loadTrace(files: TraceFiles): Trace {
  const machines = readOpenbNodes(files.nodesFile);
  const pods = readOpenbPods(files.podsFile).toSorted((left, right) => compareText(left.name, right.name));
  const cardCount = machines.reduce((sum, machine) => sum + machine.cards.length, 0);
  if (cardCount === 0) throw new TraceError(files.nodesFile, 0, 'lists no card: there is nothing to allocate');
  if (pods.length === 0) throw new TraceError(files.podsFile, 0, 'lists no pod');
  const demandMilli = pods.reduce((sum, pod) => sum + pod.cardMilli * pod.cardCount, 0);
  if (demandMilli === 0) throw new TraceError(files.podsFile, 0, 'lists no pod that asks for cards');
  const arrivals = (cardCount * DEMAND_MILLI * pods.length) / demandMilli;
  if (arrivals > ARRIVALS_MAX) {
    const problem = `its pods ask for too little: it would take ${Math.round(arrivals)} of them to fill the machines`;
    throw new TraceError(files.podsFile, 0, `${problem}, and ${ARRIVALS_MAX} are the most`);
  }
  return { files, machines, pods, cardCount };
}

/** `go`: the published order; `own`: ours, for seeds without Go's numbers. */
export type OrderKind = 'go' | 'own';

export function orderOf(trace: Trace, seed: number): { readonly kind: OrderKind; readonly order: readonly number[] } {
  const { goRandFile } = trace.files;
  const rand = goRandFile === null ? null : readGoRand(goRandFile, seed);
  const order = arrivalOrder(trace.pods, trace.cardCount * 1000, rand ?? ownRand(seed));
  return { kind: rand === null ? 'own' : 'go', order };
}
