import { readCsv, TraceError } from './csv.ts';

/** More than these is a mistake in the file. */
const CARDS_MAX = 4096;
const RUN_TIME_S_MAX = 1e9;

/** A job of a trace of jobs, as it asked and as it ran. */
export interface TraceJob {
  readonly submittedAtMs: number;
  /** Whole seconds, at least one. */
  readonly runTimeMs: number;
  readonly cards: number;
  /** The virtual cluster whose queue it was in. */
  readonly tenant: string;
}

/**
 * Jobs of Microsoft's Philly clusters: `timestamp` (local time, taken as UTC), `duration` in seconds, `num_gpus`,
 * `cluster`. Sorted by submission, then run time, then cards. Throws TraceError with file and line.
 */
export function readPhillyJobs(file: string): TraceJob[] {
  const jobs = readCsv(file, ['timestamp', 'duration', 'num_gpus', 'cluster']).map((row): TraceJob => {
    const cards = row.integer('num_gpus', CARDS_MAX);
    if (cards === 0) throw new TraceError(file, row.line, 'num_gpus is 0: expected a job with cards');
    return {
      submittedAtMs: timeOf(row.text('timestamp'), file, row.line),
      runTimeMs: Math.max(1, Math.round(row.decimal('duration', RUN_TIME_S_MAX))) * 1000,
      cards,
      tenant: row.text('cluster'),
    };
  });
  return jobs.toSorted(
    (left, right) =>
      left.submittedAtMs - right.submittedAtMs || left.runTimeMs - right.runTimeMs || left.cards - right.cards,
  );
}

function timeOf(text: string, file: string, line: number): number {
  const [, day, time] = /^(\d{4}-\d{2}-\d{2}) (\d{2}:\d{2}:\d{2})$/.exec(text.trim()) ?? [];
  const ms = Date.parse(`${day}T${time}Z`);
  if (Number.isNaN(ms)) {
    throw new TraceError(file, line, `timestamp is ${JSON.stringify(text.slice(0, 40))}: expected 2017-10-09 07:01:55`);
  }
  return ms;
}
