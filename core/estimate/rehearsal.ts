import type { RunTimeTraits } from '../forecast/index.ts';

/** A job that runs or waits, as far as a forecast needs to know it. */
export interface QueueMember {
  readonly id: string;
  readonly traits: RunTimeTraits;
  readonly submittedAtMs: number;
  /** Null: it waits. */
  readonly startedAtMs: number | null;
}

/**
 * A copy of a queue and its cluster, which goes on by itself while nobody else submits anything. It decides as the
 * real one does: it is the real one, on a copy.
 */
export interface Rehearsal<Kind> {
  /** When something happens next: at first at once, since whoever may start now does; Infinity: never. */
  readonly nextAtMs: number;
  /** What was spent on it so far: a unit is one step, or one turn of one job. */
  readonly effort: number;
  /** Goes on to that time. The ids of jobs that start then. */
  readonly advance: () => readonly string[];
  /** Whether a job of this kind would start now if it had been submitted last, behind all others. */
  readonly wouldStart: (kind: Kind) => boolean;
}

/** A queue at one moment: what it forecasts from. */
export interface QueueSnapshot<Kind> {
  readonly nowMs: number;
  readonly running: readonly QueueMember[];
  readonly waiting: readonly QueueMember[];
  /** A copy in which jobs run so long in all, by id; those that run already longer than they have so far. */
  readonly rehearse: (runTimeMs: ReadonlyMap<string, number>) => Rehearsal<Kind>;
}
