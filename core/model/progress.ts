import type { Checkpoint } from './job.ts';

/** What a running job tells of itself (R1), and what follows from it. */

/** Steps are expected of a job only while it trains. */
export const JOB_PHASES = ['start', 'train', 'evaluate', 'save', 'done'] as const;
export type JobPhase = (typeof JOB_PHASES)[number];

/** A checkpoint with what is needed to tell whether it is whole. `atMs`: when it was told of, on the wall. */
export interface SavedCheckpoint extends Checkpoint {
  /** As its writer told when it was complete; whoever loads it compares. */
  readonly bytes: number;
  /** In hex; empty: its writer told none. */
  readonly sha256: string;
  /** Which incarnation wrote it. */
  readonly incarnation: number;
}

/** News of a checkpoint: that it is whole, or that whoever wanted to load it found it otherwise. */
export type CheckpointNews =
  | { readonly state: 'complete'; readonly uri: string; readonly bytes: number; readonly sha256: string }
  | { readonly state: 'torn' | 'missing'; readonly uri: string };

/** One heartbeat. An incarnation is one start of a job, counted from 1. */
export interface ProgressReport {
  readonly incarnation: number;
  /** The last step that is done; 0 before the first. */
  readonly step: number;
  readonly loss: number | null;
  readonly phase: JobPhase;
  readonly checkpoint: CheckpointNews | null;
}

/** Why a heartbeat is not taken. Nothing was changed by it. */
export type ProgressRefusal =
  /** A later incarnation lives: who reports is to stop, and to write no checkpoint any more (I6). */
  | { readonly why: 'stale'; readonly incarnation: number; readonly live: number }
  /** The pod was started as another incarnation than it says. */
  | { readonly why: 'not-its-own'; readonly incarnation: number; readonly started: number }
  | { readonly why: 'too-often'; readonly retryAfterMs: number }
  /** As many jobs, or pods of one job, are followed as can be. */
  | { readonly why: 'full'; readonly what: 'jobs' | 'pods'; readonly most: number };

/** Why a container, or its pod, ended or does not begin. */
export interface PodFailure {
  /** Kubernetes' word, such as `OOMKilled`, `Error`, `ImagePullBackOff`, `Evicted`; empty where it has none. */
  readonly reason: string;
  /** Null where no container ran. */
  readonly exitCode: number | null;
  readonly message: string;
}

/** What is wrong with a job. */
export type JobTrouble =
  /** Hearts beat, and no step is done. */
  | { readonly kind: 'stalled'; readonly phase: JobPhase; readonly step: number; readonly allowedMs: number }
  /** The hearts of the pods on these machines stand still, and no step is done. */
  | { readonly kind: 'silent'; readonly phase: JobPhase; readonly step: number; readonly allowedMs: number }
  | { readonly kind: 'failed'; readonly failure: PodFailure };

/** How far a retry can mend a failure. */
export type Mend =
  /** The same would happen again on any machine. */
  | 'never'
  /** Only if this incarnation came further than it began, as where memory leaks. */
  | 'if-fruitful'
  /** On another machine, once: the machine or the program is at fault. */
  | 'once'
  | 'elsewhere';

/** What was decided of an incarnation in trouble, kept with its job until whoever admits it has carried it out. */
export interface TroubleVerdict {
  readonly incarnation: number;
  /** It has failed for good; else it starts anew, off the machines `avoids`, by the clock on the wall. */
  readonly isGivenUp: boolean;
  readonly avoids: readonly string[];
  readonly retryAtMs: number;
}

/** What becomes of a job that is in trouble. */
export type RestartDecision =
  /** As the next incarnation, once this one is gone. */
  | {
      readonly kind: 'restart';
      readonly afterMs: number;
      /** Null: from the beginning. */
      readonly from: SavedCheckpoint | null;
      /** Machines to keep off while others will do. */
      readonly avoid: readonly string[];
      readonly trouble: JobTrouble;
    }
  | {
      readonly kind: 'give-up';
      readonly why: 'cannot-mend' | 'no-progress' | 'too-many-restarts';
      /** Starts in vain, one after the other, this one included. */
      readonly fruitless: number;
      readonly trouble: JobTrouble;
    };
