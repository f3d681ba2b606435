import { runTimesFrom, type RunTimeSource } from './run-times.ts';
import type { JobOutcome, QueueJob } from './queue-job.ts';
import type { QueueTrace } from './slices.ts';
import { WaitingLine, type Passing, type Run } from './waiting-line.ts';

export interface EventPolicy {
  readonly passing: Passing;
  readonly runTimes: RunTimeSource;
  /** Shortest expected run time first, else as submitted. */
  readonly isShortestFirst: boolean;
}

/** What may be looked at while a replay runs. */
export interface ReplayWatch {
  /** A job is about to join the line. What came or ended at the same time has not been acted on yet. */
  readonly arrives?: (job: QueueJob, line: WaitingLine, nowMs: number) => void;
  readonly started?: (run: Run) => void;
  readonly ended?: (run: Run) => void;
}

/** Replays jobs without preemption, acting at each arrival and each end. Outcomes in the order in which jobs end. */
export function replayEvents(trace: QueueTrace, policy: EventPolicy, watch: ReplayWatch = {}): JobOutcome[] {
  const line = new WaitingLine(policy.passing, trace.machines);
  const runTimes = runTimesFrom(policy.runTimes);
  const outcomes: JobOutcome[] = [];
  const lastMs = trace.jobs.at(-1)?.submittedAtMs ?? 0;
  let arrived = 0;
  for (;;) {
    const nowMs = Math.min(line.nextEndMs, trace.jobs[arrived]?.submittedAtMs ?? Infinity);
    if (nowMs === Infinity) return outcomes;
    for (const run of line.end(nowMs)) {
      const { job, startedAtMs, endsAtMs } = run;
      runTimes.ended(job);
      watch.ended?.(run);
      const heldCardMs = job.cards * Math.max(0, Math.min(endsAtMs, lastMs) - startedAtMs);
      outcomes.push({ job, endedAtMs: endsAtMs, preemptions: 0, heldCardMs });
    }
    for (let job = trace.jobs[arrived]; job !== undefined && job.submittedAtMs <= nowMs; job = trace.jobs[arrived]) {
      watch.arrives?.(job, line, nowMs);
      const expectedMs = runTimes.expectedMs(job);
      line.submit({ job, rank: policy.isShortestFirst ? expectedMs : 0, expectedMs, runTimeMs: job.runTimeMs });
      arrived += 1;
    }
    for (const run of line.start(nowMs)) watch.started?.(run);
  }
}
