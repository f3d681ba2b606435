import type { Cancel, Clock } from '@springtide/ports/clock';
import type { EventRecord, RecordAnswer } from '@springtide/ports/cluster';
import type { ApiClient, ApiRequest } from '../client/api-client.ts';
import type { Gate } from '../client/gate.ts';
import { createRequest, type EventPlace, foldKey, placeOf, type Reporter, seriesRequest } from './event-object.ts';

export interface RecorderTimes {
  /** Subjects that are remembered; the one silent for longest is forgotten first. */
  readonly keysMax: number;
  /** A count, or a new text about the same thing, is written at most this often. */
  readonly spacingMs: number;
  /** Who was silent for longer is forgotten: the next one is a new event. */
  readonly forgetMs: number;
}

export const RECORDER_TIMES: RecorderTimes = { keysMax: 20_000, spacingMs: 30_000, forgetMs: 600_000 };

export interface RecorderOptions {
  readonly client: Pick<ApiClient, 'request'>;
  readonly gate: Gate;
  readonly clock: Clock;
  readonly reporter: Reporter;
  readonly times?: RecorderTimes;
}

interface Subject {
  /** The newest of them. */
  event: EventRecord;
  /** The note that the written object has. */
  writtenNote: string;
  place: EventPlace;
  count: number;
  writtenCount: number;
  writtenAtMs: number;
  heardAtMs: number;
  isWriting: boolean;
}

/**
 * Writes events about objects. Equal ones become one object with a count; another text about the same thing becomes
 * a new object, no more often than agreed, and only the newest text is kept till then.
 */
export class Recorder {
  readonly #options: RecorderOptions;
  readonly #times: RecorderTimes;
  /** In the order in which they were last heard. */
  readonly #subjects = new Map<string, Subject>();
  #sequence = 0;
  #dropped = 0;
  #cancelSweep: Cancel | null = null;
  #isStopped = false;

  constructor(options: RecorderOptions) {
    this.#options = options;
    this.#times = options.times ?? RECORDER_TIMES;
  }

  get counts(): { readonly subjects: number; readonly dropped: number } {
    return { subjects: this.#subjects.size, dropped: this.#dropped };
  }

  readonly record = (event: EventRecord): RecordAnswer => {
    if (this.#isStopped) return 'dropped';
    const key = foldKey(event);
    const nowMs = this.#options.clock.nowMs();
    const known = this.#subjects.get(key);
    const isOld = known === undefined || nowMs - known.heardAtMs > this.#times.forgetMs;
    const subject = isOld ? this.#newSubject(event) : known;
    subject.event = event;
    subject.count += 1;
    subject.heardAtMs = nowMs;
    this.#subjects.delete(key);
    if (isOld && this.#subjects.size >= this.#times.keysMax) this.#forgetOldest();
    this.#subjects.set(key, subject);
    this.#arm();
    if (isOld) return this.#create(subject) ? 'kept' : 'dropped';
    this.#writeIfDue(subject, nowMs);
    return 'folded';
  };

  stop(): void {
    this.#isStopped = true;
    this.#cancelSweep?.();
  }

  #newSubject(event: EventRecord): Subject {
    const place = { namespace: '', name: '' };
    const never = Number.NEGATIVE_INFINITY;
    const counts = { count: 0, writtenCount: 0, writtenAtMs: never, heardAtMs: never, isWriting: false };
    return { event, writtenNote: '', place, ...counts };
  }

  #forgetOldest(): void {
    const oldest = this.#subjects.keys().next();
    if (oldest.done !== true) this.#subjects.delete(oldest.value);
  }

  #writeIfDue(subject: Subject, nowMs: number): void {
    if (subject.isWriting || nowMs - subject.writtenAtMs < this.#times.spacingMs) return;
    if (subject.event.note !== subject.writtenNote || subject.writtenCount === 0) this.#create(subject);
    else if (subject.count > subject.writtenCount) this.#count(subject);
  }

  /** Whether it found a place in the queue. */
  #create(subject: Subject): boolean {
    const { clock, reporter } = this.#options;
    this.#sequence += 1;
    const unique = `${Math.trunc(clock.wallMs()).toString(16)}${this.#sequence.toString(16).padStart(4, '0')}`;
    subject.place = placeOf(subject.event, unique);
    subject.writtenNote = subject.event.note;
    subject.count = 1;
    return this.#write(subject, () => createRequest(subject.event, subject.place, reporter, clock.wallMs()));
  }

  #count(subject: Subject): void {
    const { clock } = this.#options;
    this.#write(subject, () => seriesRequest(subject.place, subject.count, clock.wallMs()));
  }

  #write(subject: Subject, request: () => ApiRequest): boolean {
    const { client, gate, clock } = this.#options;
    let isRefused = false;
    subject.isWriting = true;
    subject.writtenAtMs = clock.nowMs();
    gate.enter({
      urgency: 'event',
      key: '',
      send: async () => {
        const count = subject.count;
        const answer = await client.request(request());
        subject.isWriting = false;
        // An event that has been cleared away meanwhile is made anew the next time.
        subject.writtenCount = answer.ok ? count : 0;
      },
      refuse: () => {
        isRefused = true;
        this.#dropped += 1;
        subject.isWriting = false;
      },
      replace: () => {},
    });
    return !isRefused;
  }

  /** Comes back for counts and texts that were not due when they were heard. */
  #arm(): void {
    if (this.#cancelSweep !== null || this.#isStopped) return;
    this.#cancelSweep = this.#options.clock.after(this.#times.spacingMs, () => {
      this.#cancelSweep = null;
      this.#sweep();
    });
  }

  #sweep(): void {
    const nowMs = this.#options.clock.nowMs();
    for (const [key, subject] of this.#subjects) {
      this.#writeIfDue(subject, nowMs);
      const isDone = subject.count === subject.writtenCount && subject.event.note === subject.writtenNote;
      if (isDone && nowMs - subject.heardAtMs > this.#times.forgetMs) this.#subjects.delete(key);
    }
    if (this.#subjects.size > 0) this.#arm();
  }
}
