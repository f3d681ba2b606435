import type { QueueOrder } from '@springtide/core/queue-order';
import type { JobOutcome } from './queue-job.ts';
import { RoundJob } from './round-job.ts';
import { RoundWalk } from './round-walk.ts';
import type { QueueTrace } from './slices.ts';

const ROUND_MS = 60_000;

/**
 * Replays jobs with preemption, deciding once a minute from the first submission on. Rounds in which nothing could change are left out: the next one
 * is that after an arrival, an end or, while something waits, a change of rank or the end of a protection.
 */
export function replayRounds(trace: QueueTrace, order: QueueOrder, takesFromLast = false): JobOutcome[] {
  const outcomes: JobOutcome[] = [];
  const lastMs = trace.jobs.at(-1)?.submittedAtMs ?? 0;
  const walk = new RoundWalk(trace.machines, { lastMs, takesFromLast });
  let active: RoundJob[] = [];
  let arrived = 0;
  const firstMs = trace.jobs[0]?.submittedAtMs ?? 0;
  let nowMs = firstMs - ROUND_MS;
  for (;;) {
    const nextMs = Math.min(trace.jobs[arrived]?.submittedAtMs ?? Infinity, nextOf(active, order, nowMs));
    if (nextMs === Infinity) return outcomes;
    nowMs = Math.max(nowMs + ROUND_MS, firstMs + Math.ceil((nextMs - firstMs) / ROUND_MS) * ROUND_MS);
    active = active.filter((each) => {
      const hasEnded = each.endsAtMs <= nowMs;
      if (hasEnded) outcomes.push(outcomeOf(each, lastMs));
      return !hasEnded;
    });
    for (let job = trace.jobs[arrived]; job !== undefined && job.submittedAtMs <= nowMs; job = trace.jobs[arrived]) {
      active.push(new RoundJob(job));
      arrived += 1;
    }
    for (const each of active) look(each, order, nowMs);
    active.sort((left, right) => left.rank - right.rank || left.job.index - right.job.index);
    walk.walk(active, nowMs);
  }
}

function outcomeOf(each: RoundJob, lastMs: number): JobOutcome {
  const { job, endsAtMs, evictions } = each;
  return { job, endedAtMs: endsAtMs, preemptions: evictions, heldCardMs: each.heldCardMs(lastMs) };
}

function look(each: RoundJob, order: QueueOrder, nowMs: number): void {
  each.tick(nowMs);
  each.rank = order.rank(each, nowMs);
  each.isProtected = each.startedAtMs !== null && order.protectedUntilMs(each) > nowMs;
}

/** When the next round is due for what is active; Infinity: nothing is. */
function nextOf(active: readonly RoundJob[], order: QueueOrder, nowMs: number): number {
  const isAnyWaiting = active.some(({ shares }) => shares === null);
  let nextMs = Infinity;
  for (const each of active) {
    nextMs = Math.min(nextMs, each.endsAtMs);
    if (!isAnyWaiting) continue;
    each.tick(nowMs);
    nextMs = Math.min(nextMs, order.changesAtMs(each, nowMs));
    const untilMs = each.startedAtMs === null ? -Infinity : order.protectedUntilMs(each);
    if (untilMs > nowMs) nextMs = Math.min(nextMs, untilMs);
  }
  return nextMs;
}
