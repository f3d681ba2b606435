import type { QueueMember, QueueSnapshot, Rehearsal } from '@springtide/core/estimate';
import type { RunTimeTraits } from '@springtide/core/forecast';
import type { QueueJob, Queued, Run, WaitingLine } from '../queues/index.ts';

/** What the trace tells of each job, once for jobs alike. */
export class TraceTraits {
  readonly #known = new Map<string, RunTimeTraits>();

  of({ tenant, cards }: QueueJob): RunTimeTraits {
    const key = `${cards} ${tenant}`;
    const traits = this.#known.get(key) ?? { tenant, cards, user: '', name: '', image: '' };
    this.#known.set(key, traits);
    return traits;
  }
}

export function idOf(job: QueueJob): string {
  return String(job.index);
}

/** A line at one moment. Kinds of jobs are their cards. */
export function snapshotOf(line: WaitingLine, nowMs: number, traits: TraceTraits): QueueSnapshot<number> {
  const memberOf = ({ job, startedAtMs }: Queued & Partial<Run>): QueueMember => ({
    id: idOf(job),
    traits: traits.of(job),
    submittedAtMs: job.submittedAtMs,
    startedAtMs: startedAtMs ?? null,
  });
  return {
    nowMs,
    running: line.running.map(memberOf),
    waiting: line.waiting.map(memberOf),
    rehearse: (runTimeMs) => {
      const assumedMs = ({ job }: Queued): number => runTimeMs.get(idOf(job)) as number;
      const remainingMs = (run: Run): number => assumedMs(run) - (nowMs - run.startedAtMs);
      return new LineRehearsal(line.copy(nowMs, { remainingMs, runTimeMs: assumedMs }), nowMs);
    },
  };
}

/** Whether a job that comes last starts at once: tried on a copy. */
export function startsNow(line: WaitingLine, nowMs: number, cards: number): boolean {
  const dryRun = new LineRehearsal(line.copy(nowMs, { remainingMs: () => 1, runTimeMs: () => 1 }), nowMs);
  dryRun.advance();
  return dryRun.wouldStart(cards);
}

class LineRehearsal implements Rehearsal<number> {
  effort = 0;
  readonly #line: WaitingLine;
  #nextAtMs: number;

  constructor(line: WaitingLine, nowMs: number) {
    this.#line = line;
    this.#nextAtMs = nowMs;
  }

  get nextAtMs(): number {
    return this.#nextAtMs;
  }

  advance(): string[] {
    this.effort += 1;
    this.#line.end(this.#nextAtMs);
    const started = this.#line.start(this.#nextAtMs);
    this.#nextAtMs = this.#line.nextEndMs;
    return started.map(({ job }) => idOf(job));
  }

  wouldStart(cards: number): boolean {
    return this.#line.wouldStart(cards);
  }
}
