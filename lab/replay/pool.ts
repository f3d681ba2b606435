import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { TraceError } from '@springtide/adapters/traces';
import type { ReplayJob, ReplayOutcome } from './jobs.ts';
import type { JobAnswer, JobSent } from './worker.ts';

export interface PoolOptions {
  /** Threads at once; default: one for each core. */
  readonly workers?: number;
  /** Told of each outcome as it comes, with the number of its job and how many are done. */
  readonly onDone?: (outcome: ReplayOutcome, index: number, done: number) => void;
}

/**
 * Runs replays in parallel, each on a thread of its own core, and returns the outcomes in the order of the jobs.
 * The first one that fails ends them all: with TraceError for a trace that cannot be read.
 */
export async function replayMany(jobs: readonly ReplayJob[], options: PoolOptions = {}): Promise<ReplayOutcome[]> {
  const outcomes: ReplayOutcome[] = [];
  const count = Math.min(jobs.length, options.workers ?? availableParallelism());
  const queue = jobs.map((job, index): JobSent => ({ index, job }));
  let done = 0;
  const onOutcome = (index: number, outcome: ReplayOutcome): void => {
    outcomes[index] = outcome;
    done += 1;
    options.onDone?.(outcome, index, done);
  };
  const workers = Array.from({ length: count }, () => new Worker(new URL('./worker.ts', import.meta.url)));
  try {
    await Promise.all(workers.map((worker) => serve(worker, queue, onOutcome)));
  } finally {
    await Promise.all(workers.map((worker) => worker.terminate()));
  }
  return outcomes;
}

/** Feeds one worker from the common queue until it is empty. */
function serve(
  worker: Worker,
  queue: JobSent[],
  onOutcome: (index: number, outcome: ReplayOutcome) => void,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const next = (): void => {
    const sent = queue.shift();
    if (sent === undefined) return resolve();
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin, only windows have
    worker.postMessage(sent);
  };
  worker.on('message', (answer: JobAnswer) => {
    if (answer.ok) {
      onOutcome(answer.index, answer.outcome);
      next();
    } else reject(new TraceError(answer.file, answer.line, answer.problem));
  });
  worker.on('error', reject);
  worker.on('exit', (code) => reject(new Error(`a replay thread ended with code ${code}`)));
  next();
  return promise;
}
