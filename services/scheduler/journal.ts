import type { Machine } from '@springtide/core/model';
import {
  Scheduler,
  type SchedulerCommand,
  type SchedulerEvent,
  type SchedulerOptions,
  type SchedulerSnapshot,
  type StepResult,
} from '@springtide/core/scheduler';
import type { Book } from '@springtide/core/state';

/** What went into a step and what came out, by reference: nothing in it is changed later. */
export type Entry =
  | {
      readonly kind: 'step';
      readonly nowMs: number;
      readonly events: readonly SchedulerEvent[];
      readonly work: number;
      readonly commands: readonly SchedulerCommand[];
    }
  /** Events that were heard while another replica decided. */
  | { readonly kind: 'heard'; readonly events: readonly SchedulerEvent[] }
  /** The scheduler went on from a snapshot of itself. */
  | { readonly kind: 'resumed' }
  /** Somebody looked at the book, which had to be built for it. */
  | { readonly kind: 'looked' };

/** A snapshot and all that happened since. */
export interface Recording {
  readonly options: SchedulerOptions;
  readonly snapshot: SchedulerSnapshot;
  readonly entries: readonly Entry[];
}

/** Events and commands in one part of the journal; there are at most two parts. */
const WEIGHT_MAX = 20_000;
/** Beyond so many a new part begins where that costs little: when nothing happens, or the book is not built anyway. */
const WEIGHT_ENOUGH = 5000;
/** A report carries an explanation. */
const REPORT_WEIGHT = 8;

interface Part {
  readonly snapshot: SchedulerSnapshot;
  readonly entries: Entry[];
  weight: number;
}

/**
 * A scheduler and the journal of what it heard and decided, so that its last decisions can be made again elsewhere.
 * When a part of the journal is full the scheduler goes on from a snapshot of itself, as a replay will: so what a
 * replay begins with is by construction what was there. That costs a book built anew, at most once in 20,000 events.
 */
export class RecordedScheduler {
  readonly #options: SchedulerOptions;
  readonly #weightMax: number;
  #scheduler: Scheduler;
  #before: Part | null = null;
  #now: Part;
  /** Nothing happened in the last step. */
  #isQuiet = false;

  constructor(options: SchedulerOptions, weightMax: number = WEIGHT_MAX) {
    this.#options = options;
    this.#weightMax = weightMax;
    this.#scheduler = new Scheduler(options);
    this.#now = newPart(this.#scheduler.snapshot());
  }

  /** The book, to be read only; null while there is no machine. */
  book(): Book | null {
    const { world } = this.#scheduler;
    // How cards are guessed rests on when the book is built.
    if (!world.isBuilt) this.#add({ kind: 'looked' }, 1);
    return world.placer?.book ?? null;
  }

  /** The machine as last seen; undefined: there is none. */
  machineOf(id: string): Machine | undefined {
    return this.#scheduler.world.machines.get(id);
  }

  /** Card-milliseconds that gangs have held until all their members were ready, or until they gave back (Q1). */
  get cardMsUnready(): number {
    return this.#scheduler.cardMsUnready;
  }

  step(nowMs: number, events: readonly SchedulerEvent[], work: number): StepResult {
    this.#makeRoom(this.#isQuiet && events.length === 0);
    const result = this.#scheduler.step(nowMs, events, work);
    const { commands } = result;
    this.#isQuiet = events.length + commands.length === 0;
    this.#add({ kind: 'step', nowMs, events, work, commands }, weightOf(events.length, commands));
    return result;
  }

  observe(events: readonly SchedulerEvent[]): void {
    if (events.length === 0) return;
    this.#makeRoom(false);
    this.#scheduler.observe(events);
    this.#add({ kind: 'heard', events }, weightOf(events.length, []));
  }

  /** What is remembered, by reference: it stays as it is while the scheduler goes on. O(entries). */
  recording(): Recording {
    const options = this.#options;
    if (this.#before === null) return { options, snapshot: this.#now.snapshot, entries: [...this.#now.entries] };
    const { snapshot, entries } = this.#before;
    return { options, snapshot, entries: [...entries, { kind: 'resumed' }, ...this.#now.entries] };
  }

  #add(entry: Entry, weight: number): void {
    this.#now.entries.push(entry);
    this.#now.weight += weight;
  }

  #makeRoom(isQuiet: boolean): void {
    const { weight } = this.#now;
    const isCheap = weight >= WEIGHT_ENOUGH && (isQuiet || !this.#scheduler.world.isBuilt);
    if (weight < this.#weightMax && !isCheap) return;
    const snapshot = this.#scheduler.snapshot();
    this.#scheduler = Scheduler.resume(this.#options, snapshot);
    this.#before = this.#now;
    this.#now = newPart(snapshot);
  }
}

function newPart(snapshot: SchedulerSnapshot): Part {
  return { snapshot, entries: [], weight: 0 };
}

function weightOf(events: number, commands: readonly SchedulerCommand[]): number {
  return commands.reduce((sum, { kind }) => sum + (kind === 'report' ? REPORT_WEIGHT : 1), 1 + events);
}
