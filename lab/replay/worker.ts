import { parentPort } from 'node:worker_threads';
import { TraceError } from '@springtide/adapters/traces';
import { JobRunner, type ReplayJob, type ReplayOutcome } from './jobs.ts';

/** A job handed to a worker, and the place of its outcome. */
export interface JobSent {
  readonly index: number;
  readonly job: ReplayJob;
}

export type JobAnswer =
  | { readonly index: number; readonly ok: true; readonly outcome: ReplayOutcome }
  | {
      readonly index: number;
      readonly ok: false;
      readonly file: string;
      readonly line: number;
      readonly problem: string;
    };

// The thread of one worker: it answers jobs until it is ended. Bugs are not caught here; they end the thread.
const runner = new JobRunner();

parentPort?.on('message', ({ index, job }: JobSent) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin, only windows have
  parentPort?.postMessage(answer(index, job));
});

function answer(index: number, job: ReplayJob): JobAnswer {
  try {
    return { index, ok: true, outcome: runner.run(job) };
  } catch (error) {
    if (!(error instanceof TraceError)) throw error;
    return { index, ok: false, file: error.file, line: error.line, problem: error.problem };
  }
}
