import type { JobFacts, QueueOrder } from './job-facts.ts';

const stays = (): number => Infinity;
const unprotected = (): number => -Infinity;

/** As submitted. */
export const bySubmission: QueueOrder = { rank: () => 0, changesAtMs: stays, protectedUntilMs: unprotected };

/** Shortest run time first (SJF). */
export const byRunTime: QueueOrder = {
  rank: (job) => job.runTimeMs,
  changesAtMs: stays,
  protectedUntilMs: unprotected,
};

/** Shortest remaining time first (SRTF). A running job only gains, so that no rank needs to be looked at again. */
export const byRemainingTime: QueueOrder = {
  rank: remainingMs,
  changesAtMs: stays,
  protectedUntilMs: unprotected,
};

/** Shortest remaining service first: remaining time x cards (SRSF of Tiresias, NSDI 2019). */
export const byRemainingService: QueueOrder = {
  rank: (job) => remainingMs(job) * job.cards,
  changesAtMs: stays,
  protectedUntilMs: unprotected,
};

function remainingMs(job: JobFacts): number {
  return job.runTimeMs - job.attainedMs;
}
