/** What an order needs to know of a job. Times are milliseconds on the clock of the host. */
export interface JobFacts {
  /** Cards of all its pods together, 1 or more. */
  readonly cards: number;
  /** How long it has run so far, all its runs together. */
  readonly attainedMs: number;
  /** How long it runs in all, as told or estimated; Infinity: nothing is known. */
  readonly runTimeMs: number;
  /** Since when it waits; null: it runs. */
  readonly waitingSinceMs: number | null;
  /** When it was (re)started last; null: it waits. */
  readonly startedAtMs: number | null;
  /** How often it was displaced. */
  readonly evictions: number;
}

/**
 * An order of jobs, those that wait and those that run. Equal ranks go by time of submission, then by id, which is
 * left to the host, since only it knows that order to be total. All three functions are O(1).
 */
export interface QueueOrder {
  /** The job with the lower rank goes first, and may displace one with a higher rank that is not protected. */
  readonly rank: (job: JobFacts, nowMs: number) => number;
  /** When the rank may next change by itself if the job goes on as it does; Infinity: it stays. */
  readonly changesAtMs: (job: JobFacts, nowMs: number) => number;
  /** Until when a running job may not be displaced; -Infinity: it may be already; Infinity: it never may. */
  readonly protectedUntilMs: (job: JobFacts) => number;
}
