import { compareNumber } from '../base/index.ts';
import type { RunTimeHistory } from '../forecast/index.ts';
import type { QueueMember, QueueSnapshot, Rehearsal } from './rehearsal.ts';
import { levelsOf } from './worlds.ts';

/** Worlds that are played. */
const WORLDS = 20;
/** What is played of one world at most: what starts later is told to start later than that. */
const EVENTS_MAX = 100_000;

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
  /** True: only the kinds matter, and nothing is played beyond their starts. */
  readonly kindsOnly: boolean;
}

/** When jobs start, in each of the worlds. */
export interface Outlook<Kind> {
  readonly madeAtMs: number;
  /** A job that waits; null: it did not when the outlook was made. O(1). */
  readonly waitOf: (id: string) => WaitForecast | null;
  /** One more job of a kind, behind all others; null: the kind was not asked for. O(1). */
  readonly waitOfKind: (kind: Kind) => WaitForecast | null;
}

/**
 * Plays the queue forward in several worlds, which differ in how long jobs go on running; nobody else is submitted in
 * any. The queue is played once a world, whoever asks: one more job that is last in line changes nothing for those
 * before it until it starts, so that it starts when for the first time it would. O(worlds x starts and ends).
 */
export function outlookOf<Kind>(options: OutlookOptions<Kind>): Outlook<Kind> {
  const { snapshot, kinds } = options;
  const waits = new Map<string, number[]>();
  const kindWaits = new Map<Kind, number[]>(kinds.map((kind) => [kind, []]));
  for (const runTimes of runTimesOf(options)) {
    play(snapshot.rehearse(runTimes), options, waits, kindWaits);
  }
  const forecasts = new Map([...waits].map(([id, each]) => [id, forecastOf(each)]));
  const kindForecasts = new Map([...kindWaits].map(([kind, each]) => [kind, forecastOf(each)]));
  return {
    madeAtMs: snapshot.nowMs,
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

function play<Kind>(
  rehearsal: Rehearsal<Kind>,
  { snapshot, kindsOnly }: OutlookOptions<Kind>,
  waits: Map<string, number[]>,
  kindWaits: ReadonlyMap<Kind, number[]>,
): void {
  const open = new Map(kindWaits);
  const close = (waitMs: number): void => {
    for (const [kind, each] of open) {
      if (!rehearsal.wouldStart(kind)) continue;
      each.push(waitMs);
      open.delete(kind);
    }
  };
  let left = snapshot.waiting.length;
  for (let events = 0; events < EVENTS_MAX; events += 1) {
    if (open.size === 0 && (kindsOnly || left === 0)) return;
    const waitMs = rehearsal.nextAtMs - snapshot.nowMs;
    if (waitMs === Infinity) break;
    const started = rehearsal.advance();
    left -= started.length;
    for (const id of started) waits.set(id, [...(waits.get(id) ?? []), waitMs]);
    close(waitMs);
  }
  for (const each of open.values()) each.push(Infinity);
}

/** Of starts in fewer than all worlds, the others never come. */
function forecastOf(waitsMs: readonly number[]): WaitForecast {
  const sorted = waitsMs.toSorted(compareNumber);
  const at = (level: number): number => sorted[Math.floor(level * WORLDS)] ?? Infinity;
  return { p50Ms: at(0.5), p90Ms: at(0.9) };
}
