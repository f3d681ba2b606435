import { ok, type Result } from '@springtide/core/base';
import type { PodFailure, ProgressReport, TroubleVerdict } from '@springtide/core/model';
import { FIRST_RECORD, type ProgressNews, type ProgressRecord, ProgressTracker } from '@springtide/core/progress';
import type { Cancel, Clock } from '@springtide/ports/clock';
import type { PodRef } from '@springtide/ports/cluster';
import type { JobObject, JobsInProgress, MessageFault, ProgressMessage, TokenPod } from '@springtide/ports/progress';
import * as answers from './answers.ts';
import type { Reply } from './answers.ts';

/** Between two looks at what stands still, at most; and before what could not be kept is tried again. */
const LOOK_MS_MAX = 5000;

const RUNS = ok(true);

export interface ProgressServiceOptions {
  readonly jobs: JobsInProgress;
  readonly clock: Clock;
  /** Hears what follows from heartbeats, once it is kept. */
  readonly tell: (news: ProgressNews) => void;
}

/** Where a job is kept, and the pod that was heard last. */
interface Known {
  readonly object: JobObject;
  pod: PodRef;
  /** Its last write, which the next one waits for. */
  saving: Promise<unknown>;
  /** Whose record is kept. */
  keptIncarnation: number;
  /** A write has failed since. */
  isUnsaved: boolean;
  /** Of heartbeats whose record could not be kept yet; a job has few news at once. */
  untold: ProgressNews[];
}

/**
 * Takes heartbeats of pods that show their own token, keeps checkpoints with the job's object before it says that they
 * are taken, and tells what stands still. Trouble is told only of pods that the cluster says are running.
 */
export class ProgressService {
  readonly #jobs: JobsInProgress;
  readonly #clock: Clock;
  readonly #tell: (news: ProgressNews) => void;
  readonly #tracker = new ProgressTracker();
  readonly #known = new Map<string, Known>();
  /** Decisions that could not be kept yet: one a job at most. */
  readonly #pending: ProgressNews[] = [];
  /** Jobs that have to leave: which incarnation, and when, by our clock. */
  readonly #leaving = new Map<string, { readonly incarnation: number; readonly untilMs: number }>();
  #cancel: Cancel | null = null;
  #isStopped = false;

  constructor({ jobs, clock, tell }: ProgressServiceOptions) {
    this.#jobs = jobs;
    this.#clock = clock;
    this.#tell = tell;
  }

  start(): void {
    this.#cancel = this.#clock.after(LOOK_MS_MAX, () => void this.#passOn());
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel?.();
  }

  /** Jobs that are followed. */
  get count(): number {
    return this.#known.size;
  }

  /** Answers one heartbeat. Nothing in it is believed that the token does not bear out. */
  async answer(token: string, message: Result<ProgressMessage, MessageFault>): Promise<Reply> {
    if (token === '') return answers.unauthenticated(this.#jobs.audience);
    if (!message.ok) return answers.malformed(message.error);
    const asked = await this.#jobs.podOf(token);
    switch (asked.answer) {
      case 'unauthenticated':
        return answers.unauthenticated(this.#jobs.audience);
      case 'no-pod':
        return answers.noPod(asked.who);
      case 'gone':
        return answers.podGone(asked.pod);
      case 'busy':
        return answers.busy();
      case 'failed':
        return answers.unavailable(asked.failure);
      case 'pod':
        return this.#ofPod(asked.owner, message.value);
    }
  }

  async #ofPod(owner: TokenPod, { job, report }: ProgressMessage): Promise<Reply> {
    const object = owner.job;
    const { id } = object;
    if (job !== object.name) return answers.otherJob(job, object.name);
    if (!this.#tracker.knows(id)) {
      const kept = await this.#jobs.load(object);
      if (!kept.ok) return answers.unavailable(kept.error);
      const followed = this.#tracker.follow(this.#clock.nowMs(), id, kept.value ?? FIRST_RECORD);
      if (!followed.ok) return answers.notTaken(followed.error);
    }
    return this.#take(owner, report);
  }

  async #take(owner: TokenPod, report: ProgressReport): Promise<Reply> {
    const { job: object, pod, machine, incarnation } = owner;
    const at = { nowMs: this.#clock.nowMs(), wallMs: this.#clock.wallMs() };
    this.#ask(object.id);
    const heard = this.#tracker.hear(at, object.id, { uid: pod.uid, machine, incarnation }, report);
    if (!heard.ok) return answers.notTaken(heard.error);
    const { record, answer, news } = heard.value;
    const known = this.#knownOf(object, pod);
    if (!this.#tracker.knows(object.id)) this.#known.delete(object.id);
    known.untold.push(...news);
    const isKept = !known.isUnsaved && report.checkpoint === null && record.incarnation === known.keptIncarnation;
    const refusal = isKept ? null : await this.#save(known, record, null);
    if (refusal !== null) return refusal;
    for (const each of known.untold.splice(0)) this.#tell(each);
    return answers.taken(report.incarnation, answer);
  }

  #knownOf(object: JobObject, pod: PodRef): Known {
    const known = this.#known.get(object.id);
    if (known !== undefined) {
      known.pod = pod;
      return known;
    }
    const saving = Promise.resolve();
    const fresh: Known = { object, pod, saving, keptIncarnation: 0, isUnsaved: false, untold: [] };
    this.#known.set(object.id, fresh);
    return fresh;
  }

  /** One write of a job after the other. Null: it is kept. */
  async #save(known: Known, record: ProgressRecord, verdict: TroubleVerdict | null): Promise<Reply | null> {
    const { object } = known;
    const saving = known.saving.then(() => this.#jobs.save(object, record, verdict));
    known.saving = saving;
    const saved = await saving;
    known.isUnsaved = saved.answer !== 'saved';
    if (saved.answer === 'saved') {
      known.keptIncarnation = record.incarnation;
      return null;
    }
    if (saved.answer === 'failed') return answers.unavailable(saved.failure);
    this.forget(object.id);
    if (saved.answer === 'gone') return answers.podGone(`${object.namespace}/${object.name}`);
    return answers.notTaken({ why: 'stale', incarnation: record.incarnation, live: saved.live });
  }

  /** It runs no more: done, suspended, cancelled. */
  forget(job: string): void {
    this.#tracker.forget(job);
    this.#known.delete(job);
  }

  /** The next heartbeats of an incarnation are answered with the wish for a checkpoint within so long. */
  askForCheckpoint(job: string, incarnation: number, withinMs: number): void {
    this.#leaving.set(job, { incarnation, untilMs: this.#clock.nowMs() + withinMs });
    this.#ask(job);
  }

  /** It need not leave any more, or has left. */
  callOff(job: string): void {
    const asked = this.#leaving.get(job);
    if (asked === undefined) return;
    this.#leaving.delete(job);
    this.#tracker.askForCheckpoint(job, asked.incarnation, null);
  }

  /** Also what was not followed yet when it was told to leave. */
  #ask(job: string): void {
    const asked = this.#leaving.get(job);
    if (asked !== undefined) this.#tracker.askForCheckpoint(job, asked.incarnation, asked.untilMs);
  }

  /** A pod of an incarnation failed, on a machine (empty: none yet). What follows is told when it is kept. */
  fail(job: string, incarnation: number, failure: PodFailure, machine: string): Promise<void> {
    const nowMs = this.#clock.nowMs();
    if (!this.#tracker.knows(job)) return Promise.resolve();
    return this.#handle(this.#tracker.fail(nowMs, job, incarnation, failure, machine), false);
  }

  async #passOn(): Promise<void> {
    await this.#pass();
    if (this.#isStopped) return;
    const waitMs = Math.min(LOOK_MS_MAX, Math.max(1, this.#tracker.wakeAtMs - this.#clock.nowMs()));
    this.#cancel = this.#clock.after(waitMs, () => void this.#passOn());
  }

  async #pass(): Promise<void> {
    await this.#handle([...this.#pending.splice(0), ...this.#tracker.due(this.#clock.nowMs())], true);
  }

  /** `isDoubted`: what stands still may have ended in the meantime, which is no trouble of ours. */
  async #handle(news: readonly ProgressNews[], isDoubted: boolean): Promise<void> {
    for (const each of news) {
      const known = this.#known.get(each.job);
      if (known === undefined) continue;
      const runs = isDoubted ? await this.#jobs.isRunning(known.pod) : RUNS;
      if (!runs.ok) this.#retry(each);
      else if (!runs.value) this.forget(each.job);
      else if (each.kind === 'decided') await this.#keep(known, each);
      else this.#tell(each);
    }
  }

  async #keep(known: Known, news: Extract<ProgressNews, { kind: 'decided' }>): Promise<void> {
    const refusal = await this.#save(known, news.record, verdictOf(news, this.#clock.wallMs()));
    if (refusal === null) this.#tell(news);
    else if (refusal.outcome === 'unavailable') this.#retry(news);
  }

  /** What can only be told late is told late; that it was in trouble for a while is not told at all. */
  #retry(news: ProgressNews): void {
    if (news.kind === 'decided') this.#pending.push(news);
  }
}

/** `wallMs`: now, by the clock on the wall. */
function verdictOf(
  { incarnation, decision }: Extract<ProgressNews, { kind: 'decided' }>,
  wallMs: number,
): TroubleVerdict {
  if (decision.kind === 'give-up') return { incarnation, isGivenUp: true, avoids: [], retryAtMs: 0 };
  return { incarnation, isGivenUp: false, avoids: decision.avoid, retryAtMs: wallMs + decision.afterMs };
}
