import { isAlike } from '@springtide/core/base';
import { type AdmissionEvent, isEviction } from '@springtide/core/admission';
import type { JobRecord, QueuedJob } from '@springtide/core/model';
import type { SeenJob, SeenWorkload, WaitNote } from '@springtide/ports/queueing';

/** What is ordered for a job. */
export type Order = 'create' | 'keep' | 'start' | 'stop' | 'remove';

/** All that is known of one job: its object, its Workload, and what was decided. */
export interface Desk {
  readonly id: string;
  /** Null: it has no object of its own, or none any more. */
  seen: SeenJob | null;
  workload: SeenWorkload | null;
  /** The queue that admits it; null: none of ours. */
  queue: string | null;
  /** As it was last told to admission; null: it does not know of it. */
  told: QueuedJob | null;
  /** As admission decided last; null: it has not. */
  record: JobRecord | null;
  /** As the cluster has it, as far as is known. */
  kept: JobRecord | null;
  note: WaitNote | null;
  /** Orders that are under way. */
  readonly busy: Set<Order>;
  /** Orders that are not given again before the cluster shows something new, or some time has passed. */
  readonly resting: Set<Order>;
}

export function newDesk(id: string): Desk {
  return {
    id,
    seen: null,
    workload: null,
    queue: null,
    told: null,
    record: null,
    kept: null,
    note: null,
    busy: new Set(),
    resting: new Set(),
  };
}

/** Whether its pods may be there, by what was decided. */
export function runs({ record }: Desk): boolean {
  return record?.state === 'admitted' || record?.state === 'running';
}

export function isOver(record: JobRecord | null): boolean {
  return record?.state === 'done' || record?.state === 'failed' || record?.state === 'cancelled';
}

/** Whether admission may know of it: it belongs to us, is kept, and all its pods can be asked for. */
export function isQueueable({ seen, workload, queue }: Desk): boolean {
  if (workload === null || workload.isDeleting || queue === null) return false;
  return workload.hasSource ? seen !== null && !seen.isDeleting && seen.podsMissing === 0 : true;
}

/** What has happened to a job, as admission hears it; telling it again does no harm. */
export function newsOf(desk: Desk): AdmissionEvent[] {
  const { id, record, seen, workload } = desk;
  if (record === null || workload === null || isOver(record)) return [];
  const { incarnation } = record;
  const of = { job: id, incarnation };
  // Whoever has made a Workload by himself says when it has ended.
  if (!workload.hasSource) return newsOfLone(workload, record, of);
  if (seen === null || incarnation === 0) return [];
  // A checkpoint of the last moment is heard before that it has stopped.
  return [...newsOfProgress(record, seen, of), ...newsOfPods(desk, record, seen, of)];
}

interface OfRun {
  readonly job: string;
  readonly incarnation: number;
}

function newsOfPods(desk: Desk, { state }: JobRecord, seen: SeenJob, of: OfRun): AdmissionEvent[] {
  if (seen.ended !== 'no') return [{ kind: 'job-ended', ...of, isFailed: seen.ended === 'failed' }];
  if (state === 'suspending' && seen.isSuspended && seen.isIdle && seen.isRestored)
    return [{ kind: 'job-stopped', ...of }];
  // What runs was ordered to, and its object shows it: not what ran before.
  const isReady = state === 'admitted' && !seen.isSuspended && seen.isReady && isAlike(desk.kept, desk.record);
  return isReady ? [{ kind: 'job-ready', ...of }] : [];
}

/** What its heartbeats came to: what it goes on from, and what was decided of it when it was in trouble. */
function newsOfProgress({ state, checkpoint }: JobRecord, { progress }: SeenJob, of: OfRun): AdmissionEvent[] {
  if (progress === null || (state !== 'admitted' && state !== 'running' && state !== 'suspending')) return [];
  const { verdict } = progress;
  const isNewer = progress.checkpoint?.uri !== checkpoint?.uri || progress.checkpoint?.step !== checkpoint?.step;
  const events: AdmissionEvent[] = [];
  if (isNewer) events.push({ kind: 'job-checkpointed', ...of, checkpoint: progress.checkpoint });
  if (verdict?.incarnation !== of.incarnation || state === 'suspending') return events;
  const { isGivenUp, avoids, retryAtMs } = verdict;
  if (isGivenUp) return [...events, { kind: 'job-ended', ...of, isFailed: true }];
  return [...events, { kind: 'job-failed', ...of, avoids, retryAtMs }];
}

/**
 * Whether it is left running for a checkpoint that it was asked for: it leaves for others, this start of it sends
 * heartbeats, and it has made none since it was told. Admission sees to it that this ends with its grace.
 */
export function isSaving({ record, seen }: Desk, wallMs: number, graceMs: number): boolean {
  const progress = seen?.progress ?? null;
  if (record?.state !== 'suspending' || record.leaves === null || !isEviction(record.leaves)) return false;
  if (progress?.incarnation !== record.incarnation || wallMs >= record.sinceMs + graceMs) return false;
  return progress.checkpoint === null || progress.checkpoint.atMs < record.sinceMs;
}

function newsOfLone(workload: SeenWorkload, { state }: JobRecord, of: OfRun): AdmissionEvent[] {
  const told = workload.record?.state;
  if (of.incarnation > 0 && (told === 'done' || told === 'failed'))
    return [{ kind: 'job-ended', ...of, isFailed: told === 'failed' }];
  if (state === 'admitted') return [{ kind: 'job-ready', ...of }];
  return state === 'suspending' ? [{ kind: 'job-stopped', ...of }] : [];
}
