import type { RefusalCount } from './refusal.ts';

/** Why jobs wait, leave or are refused: values that are told, each with what would change it. */

/** Quota that one resource of one flavor lacks. Amounts are in the unit of the resource. */
export interface QuotaLack {
  readonly flavor: string;
  readonly resource: string;
  /** The queue, or the cohort above it, that has too little. */
  readonly node: string;
  readonly asked: number;
  readonly available: number;
  /** Other queues of the cohort that hold more than their own, most first. */
  readonly borrowers: readonly { readonly queue: string; readonly amount: number }[];
}

/** Why a job waits. */
export type JobWait =
  | { readonly kind: 'quota'; readonly lacks: readonly QuotaLack[] }
  /** There is quota, and no place: too few cards free, or enough but not as one (topology, shapes of machines). */
  | {
      readonly kind: 'place';
      readonly flavor: string;
      readonly cardsAsked: number;
      readonly cardsFree: number;
      /** Pods that found a place in the best attempt. */
      readonly podsPlaced: number;
      readonly pods: number;
      /** The part of the fleet that came nearest; empty: none. */
      readonly nearest: string;
      readonly refusals: readonly RefusalCount[];
    }
  /** Its queue is strict, and this job is before it. */
  | { readonly kind: 'behind'; readonly job: string }
  /** It would start now, but move the start of this blocked job later. */
  | { readonly kind: 'would-delay'; readonly job: string; readonly startMs: number }
  /** Its place is kept until these jobs have left it. */
  | { readonly kind: 'eviction'; readonly jobs: readonly string[]; readonly untilMs: number }
  /** Its last start failed: it rests. */
  | { readonly kind: 'back-off'; readonly untilMs: number; readonly cause: JobLeave }
  /** Its queue has no flavor that suits it. */
  | { readonly kind: 'flavor'; readonly there: readonly string[] }
  /** Its queue does not exist (any more), or starts nothing. */
  | { readonly kind: 'no-queue'; readonly queue: string }
  /** It has not had its turn. */
  | { readonly kind: 'turn' };

/** Why a job can never start, told at once. */
export type JobRefusal =
  /** More than the whole cohort could ever lend: what would fit, for the flavor that comes nearest. */
  | {
      readonly kind: 'larger-than-cohort';
      readonly flavor: string;
      readonly resource: string;
      readonly asked: number;
      readonly most: number;
    }
  /** Its queue has none of the flavors that it accepts. */
  | { readonly kind: 'no-flavor'; readonly asked: readonly string[]; readonly there: readonly string[] }
  /** No flavor has quota for this resource. */
  | { readonly kind: 'no-quota'; readonly resource: string }
  /** A field that cannot be: where, what was given, what was expected. */
  | { readonly kind: 'field'; readonly path: string; readonly given: string; readonly expected: string }
  /** The same submission is queued already as this job. */
  | { readonly kind: 'duplicate'; readonly job: string };

export const JOB_LEAVES = [
  /** Its queue borrowed what the owner now asks for. */
  'reclaimed',
  /** A job of higher priority takes its place. */
  'preempted',
  /** Its queue may hold less than it did: quota was lowered. */
  'quota-lowered',
  /** Its pods were not all ready in time (Q1). */
  'not-ready',
  /** It failed, and may succeed when tried again. */
  'failed',
  /** A machine of it is gone, and the rest cannot go on without. */
  'machine-lost',
  /** Its start could not be ordered. */
  'not-ordered',
] as const;
/** Why a job that was started goes back to its queue. */
export type JobLeave = (typeof JOB_LEAVES)[number];

/** What is told of a job that waits, when it changes. */
export interface JobReport {
  readonly job: string;
  readonly queue: string;
  readonly wait: JobWait;
  /** When it is to start by what is known of run times; null: nothing is kept for it. */
  readonly promisedStartMs: number | null;
}

/** Where a job stands, when somebody asks. */
export interface JobStanding extends JobReport {
  /** 1: the head of its queue. */
  readonly position: number;
  readonly waiting: number;
}
