export interface AdmissionOptions {
  /** False: quota alone is decided, and whoever schedules the pods places them (gate-only mode). */
  readonly placesPods: boolean;
  /** Whom jobs behind a blocked one may not delay: nobody is looked after, the first blocked one, or each. */
  readonly backfill: 'none' | 'easy' | 'conservative';
  /** How long pods of a job may take to be ready before its cards are given back (Q1). */
  readonly readyMs: number;
  /** How long a job that has to leave may take for its last checkpoint. */
  readonly graceMs: number;
  /** How long stopping it may take after that before it is ordered again. */
  readonly stopMs: number;
  /** A job is not evicted for others within this time of its start. */
  readonly quantumMs: number;
  /** A job that was evicted so often is evicted no more, and starts within its queue's own quota only. */
  readonly evictionsMax: number;
  /** How long a job rests after a start that came to nothing; twice as long each time, up to the cap. */
  readonly backOffMs: number;
  readonly backOffMaxMs: number;
  /** How long a job is taken to run of which nobody knows. */
  readonly unknownRunMs: number;
}

export const ADMISSION_DEFAULTS: AdmissionOptions = {
  placesPods: true,
  backfill: 'easy',
  readyMs: 600_000,
  graceMs: 60_000,
  stopMs: 30_000,
  quantumMs: 600_000,
  evictionsMax: 8,
  backOffMs: 10_000,
  backOffMaxMs: 600_000,
  unknownRunMs: 3_600_000,
};
