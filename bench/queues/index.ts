import { loadQueueTrace, QUEUE_POLICY_NAMES, replayQueue, scoreOf } from '@springtide/lab/queues';
import type { QueuePolicyName, QueueScore } from '@springtide/lab/queues';
import { type Bound, holds, writeResult } from '../report.ts';
import { LINES, REFERENCE_JCT, TOLERANCE } from './reference.ts';

/** A ratchet; the issue asks for 1.15 of the lines and 1.6 preemptions a job. */
const LINE_TIMES_MAX = 1.06;
const PREEMPTIONS_PER_JOB_MAX = 1.5;
const PREEMPTIONS_MAX = 8;

interface Row extends QueueScore {
  readonly trace: string;
  readonly queue: QueuePolicyName;
}

/** Every queue policy on three slices of Philly, against an independent replay and the lines for ours (issue 6, 1-2). */
export function queues(data: string): Promise<boolean> {
  const rows = Object.keys(LINES).flatMap((name) => rowsOf(data, name));
  writeResult('queues', { rows });
  return Promise.resolve(holds([...rows.flatMap(referenceBounds), ...rows.flatMap(ourBounds)]));
}

function rowsOf(data: string, name: string): Row[] {
  const trace = loadQueueTrace(data, name);
  if (trace === null) throw new Error(`${data} holds no trace ${name}`);
  console.log(`${name}: ${trace.jobs.length} jobs on ${trace.machines} machines`);
  return QUEUE_POLICY_NAMES.map((queue) => {
    const row: Row = Object.assign({ trace: name, queue }, scoreOf(trace, replayQueue(trace, queue)));
    console.log(lineOf(row));
    return row;
  });
}

function lineOf(row: Row): string {
  const seconds = [row.meanJctSeconds, row.p95JctSeconds, row.meanDelaySeconds, row.largeGangDelaySeconds ?? 0];
  const figures = seconds.map((value) => value.toFixed(0).padStart(10)).join('');
  const preemptions = `${row.preemptionsPerJob.toFixed(2).padStart(7)} ${String(row.maxPreemptions).padStart(4)}`;
  return `  ${row.queue.padEnd(18)}${figures}  ${row.utilisation.toFixed(3)}${preemptions}`;
}

function referenceBounds({ trace, queue, meanJctSeconds }: Row): Bound[] {
  const reference = REFERENCE_JCT[trace]?.[queue];
  if (reference === undefined) return [];
  const value = meanJctSeconds / reference;
  return [{ figure: `${trace} ${queue}: mean JCT by the reference's`, value, min: 1 - TOLERANCE, max: 1 + TOLERANCE }];
}

function ourBounds(row: Row): Bound[] {
  const line = LINES[row.trace];
  if (row.queue !== 'tide' || line === undefined) return [];
  const name = `${row.trace} tide`;
  const [jct, delay] = [row.meanJctSeconds, row.largeGangDelaySeconds ?? Infinity];
  return [
    { figure: `${name}: mean JCT by LAS's`, value: jct / line.meanJctSeconds, max: LINE_TIMES_MAX },
    { figure: `${name}: gang delay by EASY's`, value: delay / line.largeGangDelaySeconds, max: LINE_TIMES_MAX },
    { figure: `${name}: preemptions a job`, value: row.preemptionsPerJob, max: PREEMPTIONS_PER_JOB_MAX },
    { figure: `${name}: preemptions of one job`, value: row.maxPreemptions, max: PREEMPTIONS_MAX },
  ];
}
