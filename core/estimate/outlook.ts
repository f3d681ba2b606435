import { compareNumber } from '../base/index.ts';
import type { RunTimeHistory } from '../forecast/index.ts';
import type { QueueMember, QueueSnapshot, Rehearsal } from './rehearsal.ts';
import { levelsOf } from './worlds.ts';

/** Worlds that are played, at most. */
const WORLDS = 20;

/** How long until a start, from the time that the outlook was made. */
export interface WaitForecast {
  /** As likely longer as shorter. Infinity: it does not start as far as one can see. */
  readonly p50Ms: number;
  /** Shorter than this nine times of ten. */
  readonly p90Ms: number;
}

/** What is asked of a queue: when its jobs start, and when further jobs of some kinds would if they came now. */
export interface OutlookOptions<Kind> {
  readonly snapshot: QueueSnapshot<Kind>;
  readonly history: RunTimeHistory;
  /** Kinds of jobs that may be submitted. */
  readonly kinds: readonly Kind[];
  /** Jobs whose starts are asked for: nothing is played beyond the last of these and of the kinds. */
  readonly asked: ReadonlySet<string>;
  /** What is spent on one world at most; it is played as far as that goes. */
  readonly effortMax: number;
  /** Asked after each world, whether to play one more: fewer tell less exactly. */
  readonly mayGoOn: () => boolean;
}

/** When jobs start, in each of the worlds. */
export interface Outlook<Kind> {
  readonly madeAtMs: number;
  /**
   * How far all worlds were played, from the time that the outlook was made: who is told no start (Infinity) starts
   * later than this. Infinity: to the end, and such a job does not start as long as nothing else happens.
   */
  readonly reachMs: number;
  /** A job that was asked for and waits; null: it was not or did not. O(1). */
  readonly waitOf: (id: string) => WaitForecast | null;
  /** One more job of a kind, behind all others; null: the kind was not asked for. O(1). */
  readonly waitOfKind: (kind: Kind) => WaitForecast | null;
}

/**
 * Plays the queue forward in several worlds, which differ in how long jobs go on running; nobody else is submitted in
 * any. The queue is played once a world, whoever asks: one more job that is last in line changes nothing for those
 * before it until it starts, so that it starts when for the first time it would. O(worlds x effort).
 */
export function outlookOf<Kind>(options: OutlookOptions<Kind>): Outlook<Kind> {
  const { snapshot, kinds, asked, mayGoOn } = options;
  const waiting = snapshot.waiting.filter(({ id }) => asked.has(id));
  const waits = new Map<string, number[]>(waiting.map(({ id }) => [id, []]));
  const kindWaits = new Map<Kind, number[]>(kinds.map((kind) => [kind, []]));
  let [worlds, reachMs] = [0, Infinity];
  for (const runTimes of runTimesOf(options)) {
    reachMs = Math.min(reachMs, play(snapshot.rehearse(runTimes), options, waits, kindWaits));
    worlds += 1;
    if (!mayGoOn()) break;
  }
  const forecasts = new Map([...waits].map(([id, each]) => [id, forecastOf(each, worlds)]));
  const kindForecasts = new Map([...kindWaits].map(([kind, each]) => [kind, forecastOf(each, worlds)]));
  return {
    madeAtMs: snapshot.nowMs,
    reachMs,
    waitOf: (id) => forecasts.get(id) ?? null,
    waitOfKind: (kind) => kindForecasts.get(kind) ?? null,
  };
}

/** Run times of all jobs in each world. */
function runTimesOf<Kind>({ snapshot, history }: OutlookOptions<Kind>): Map<string, number>[] {
  const { nowMs, running, waiting } = snapshot;
  const worlds = Array.from({ length: WORLDS }, () => new Map<string, number>());
  const add = ({ id, traits, submittedAtMs, startedAtMs }: QueueMember): void => {
    const runTime = history.runTimeOf(traits, submittedAtMs, nowMs);
    const elapsedMs = startedAtMs === null ? 0 : nowMs - startedAtMs;
    const levels = levelsOf(id, `${traits.tenant} ${traits.user} ${traits.cards}`, submittedAtMs, WORLDS);
    worlds.forEach((world, i) => world.set(id, runTime.quantileMs(levels[i] as number, elapsedMs)));
  };
  running.forEach(add);
  waiting.forEach(add);
  return worlds;
}

/** Plays one world, and says how far: Infinity when nothing is left to be seen. */
function play<Kind>(
  rehearsal: Rehearsal<Kind>,
  { snapshot, effortMax }: OutlookOptions<Kind>,
  waits: ReadonlyMap<string, number[]>,
  kindWaits: ReadonlyMap<Kind, number[]>,
): number {
  const open = new Map(kindWaits);
  const left = new Map(waits);
  const close = <Key>(from: Map<Key, number[]>, key: Key, waitMs: number): void => {
    from.get(key)?.push(waitMs);
    from.delete(key);
  };
  while (open.size > 0 || left.size > 0) {
    const waitMs = rehearsal.nextAtMs - snapshot.nowMs;
    if (waitMs === Infinity) break;
    if (rehearsal.effort >= effortMax) return waitMs;
    for (const id of rehearsal.advance()) close(left, id, waitMs);
    for (const kind of open.keys()) if (rehearsal.wouldStart(kind)) close(open, kind, waitMs);
  }
  return Infinity;
}

/** Where a job starts in fewer than all worlds, it never starts in the others. */
function forecastOf(waitsMs: readonly number[], worlds: number): WaitForecast {
  const sorted = waitsMs.toSorted(compareNumber);
  const at = (level: number): number => sorted[Math.floor(level * worlds)] ?? Infinity;
  return { p50Ms: at(0.5), p90Ms: at(0.9) };
}
