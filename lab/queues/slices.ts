import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readPhillyJobs } from '@springtide/adapters/traces';
import { CARDS_PER_MACHINE } from './machines.ts';
import type { QueueJob } from './queue-job.ts';

/** Jobs and the machines that they wait for. */
export interface QueueTrace {
  readonly name: string;
  readonly jobs: readonly QueueJob[];
  /** Of 8 cards each. */
  readonly machines: number;
}

interface Slice {
  readonly machines: number;
  readonly tenant?: string;
  readonly fromMs?: number;
  readonly untilMs?: number;
}

/** Slices of the Philly trace with the machines of the reference replay. */
const SLICES: Readonly<Record<string, Slice>> = {
  'philly:seven-weeks': {
    machines: 72,
    fromMs: Date.parse('2017-09-25T00:00:00Z'),
    untilMs: Date.parse('2017-11-13T00:00:00Z'),
  },
  'philly:ee9e8c': { machines: 16, tenant: 'ee9e8c' },
  'philly:6c71a0': { machines: 8, tenant: '6c71a0' },
};

/** Whether a name is that of a job trace, there or not. */
export function isQueueTraceName(name: string): boolean {
  return name.startsWith('philly:');
}

/** The job traces in a data folder, by name. Empty when it holds none. */
export function queueTraceNames(data: string): string[] {
  return existsSync(fileIn(data)) ? Object.keys(SLICES) : [];
}

/**
 * Reads a job trace; null: there is none of that name. Jobs larger than the cluster are left out. Throws TraceError
 * for a file that cannot be read.
 */
export function loadQueueTrace(data: string, name: string, machines?: number): QueueTrace | null {
  const slice = SLICES[name];
  if (slice === undefined || !existsSync(fileIn(data))) return null;
  const count = machines ?? slice.machines;
  const { tenant, fromMs = -Infinity, untilMs = Infinity } = slice;
  const jobs = readPhillyJobs(fileIn(data))
    .filter((job) => tenant === undefined || job.tenant === tenant)
    .filter(({ submittedAtMs }) => submittedAtMs >= fromMs && submittedAtMs < untilMs)
    .filter(({ cards }) => cards <= count * CARDS_PER_MACHINE)
    .map((job, index): QueueJob => Object.assign(job, { index }));
  return { name, jobs, machines: count };
}

function fileIn(data: string): string {
  return join(data, 'traces', 'philly', 'philly_jobs.csv');
}
