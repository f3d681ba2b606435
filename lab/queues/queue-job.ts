import type { TraceJob } from '@springtide/adapters/traces';

/** A job in the order of submission. */
export interface QueueJob extends TraceJob {
  /** Its place in that order; ties end here. */
  readonly index: number;
}

/** What became of a job. */
export interface JobOutcome {
  readonly job: QueueJob;
  readonly endedAtMs: number;
  /** How often it was displaced after it had started. */
  readonly preemptions: number;
  /** Card-time it held up to the last submission of the trace. */
  readonly heldCardMs: number;
}
