import type { DayPoint, DayResult, Sample } from '@springtide/lab/sample';
import { message, type Language } from '@springtide/wire/messages';
import { fixed, mean, signed } from '../../report/index.ts';
import { textTable } from '../../terminal/index.ts';

/** The day under Kubernetes' default and under ours. */
export interface SampleDay {
  readonly sample: Sample;
  readonly theirs: DayResult;
  readonly ours: DayResult;
}

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
/** In the afternoon most is asked for, in the small hours least. */
export const BUSY_MS = 15 * HOUR_MS;
const QUIET_MS = 4 * HOUR_MS;

export function timeText(atMs: number): string {
  const minutes = Math.round(atMs / MINUTE_MS);
  return `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;
}

function minutesText(ms: number, language: Language): string {
  const minutes = Math.round(ms / MINUTE_MS);
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  return hours === 0
    ? message(language, 'replay.sample.minutes', { minutes: rest })
    : message(language, 'replay.sample.hours', { hours, minutes: rest });
}

function meanOf({ points }: DayResult, value: (point: DayPoint) => number): number {
  return mean(points.map(value));
}

function pointAt({ points }: DayResult, atMs: number): DayPoint {
  return points.findLast((point) => point.atMs <= atMs) as DayPoint;
}

export function sampleTitle({ sample }: SampleDay, language: Language): string {
  return message(language, 'replay.sample.title', {
    machines: fixed(sample.machines.length),
    cards: fixed(sample.cardCount),
    models: new Set(sample.machines.flatMap(({ cards }) => cards.map((card) => card.model))).size,
    regions: new Set(sample.machines.map(({ location }) => location.region)).size,
    units: fixed(sample.work.length),
    seed: sample.seed,
  });
}

/** The difference in plain words, one sentence or two each. */
export function sampleWords({ sample, theirs, ours }: SampleDay, language: Language): string[] {
  const names = { spread: message(language, 'replay.sample.spread'), tide: message(language, 'replay.sample.tide') };
  const allocated = (day: DayResult): number => meanOf(day, (point) => point.allocatedPercent);
  const [busyTheirs, busyOurs] = [pointAt(theirs, BUSY_MS), pointAt(ours, BUSY_MS)];
  const [quietTheirs, quietOurs] = [pointAt(theirs, QUIET_MS), pointAt(ours, QUIET_MS)];
  return [
    message(language, 'replay.sample.words.allocated', {
      tide: names.tide,
      more: fixed(((allocated(ours) - allocated(theirs)) * sample.cardCount) / 100),
      cards: fixed(sample.cardCount),
      ours: fixed(allocated(ours), 1),
      theirs: fixed(allocated(theirs), 1),
    }),
    message(language, 'replay.sample.words.wait', {
      ours: minutesText(ours.meanWaitMs, language),
      theirs: minutesText(theirs.meanWaitMs, language),
      oursBig: minutesText(ours.meanWaitBigMs, language),
      theirsBig: minutesText(theirs.meanWaitBigMs, language),
    }),
    message(language, 'replay.sample.words.waiting', {
      ...names,
      time: timeText(BUSY_MS),
      ours: fixed(busyOurs.waitingPods),
      theirs: fixed(busyTheirs.waitingPods),
      free: fixed(((100 - busyTheirs.allocatedPercent) * sample.cardCount) / 100),
    }),
    message(language, 'replay.sample.words.idle', {
      time: timeText(QUIET_MS),
      ours: quietOurs.idleMachines,
      theirs: quietTheirs.idleMachines,
      oursGang: quietOurs.largestGangCards,
      theirsGang: quietTheirs.largestGangCards,
    }),
    message(language, 'replay.sample.words.why', names),
  ];
}

export interface Measure {
  readonly name: string;
  readonly theirs: number;
  readonly ours: number;
  readonly decimals: number;
}

/** The figures side by side. */
export function sampleMeasures({ theirs, ours }: SampleDay, language: Language): Measure[] {
  const both = (
    row: 'allocated' | 'waitingPods' | 'waitingCards' | 'wait' | 'waitBig' | 'idle' | 'gang' | 'left',
    decimals: number,
    value: (day: DayResult) => number,
  ): Measure => ({
    name: message(language, `replay.sample.rows.${row}`),
    theirs: value(theirs),
    ours: value(ours),
    decimals,
  });
  return [
    both('allocated', 1, (day) => meanOf(day, (point) => point.allocatedPercent)),
    both('waitingPods', 0, (day) => meanOf(day, (point) => point.waitingPods)),
    both('waitingCards', 0, (day) => meanOf(day, (point) => point.waitingCards)),
    both('wait', 1, (day) => day.meanWaitMs / MINUTE_MS),
    both('waitBig', 1, (day) => day.meanWaitBigMs / MINUTE_MS),
    both('idle', 1, (day) => meanOf(day, (point) => point.idleMachines)),
    both('gang', 1, (day) => meanOf(day, (point) => point.largestGangCards)),
    both('left', 0, (day) => day.arrived - day.started),
  ];
}

export function measureCells({ name, theirs, ours, decimals }: Measure): string[] {
  return [name, fixed(theirs, decimals), fixed(ours, decimals), signed(ours - theirs, decimals)];
}

export function measureHeads(language: Language): [string, string, string, string] {
  return [
    message(language, 'replay.sample.measure'),
    message(language, 'replay.sample.spread'),
    message(language, 'replay.sample.tide'),
    message(language, 'replay.sample.difference'),
  ];
}

/** All of it for a terminal. */
export function sampleText(day: SampleDay, language: Language): string {
  const columns = measureHeads(language).map((head, i) => ({ head, align: i === 0 ? 'text' : 'number' }) as const);
  const rows = sampleMeasures(day, language).map(measureCells);
  const words = sampleWords(day, language).map((sentence) => `- ${sentence}`);
  const how = message(language, 'replay.sample.how');
  return `${sampleTitle(day, language)}\n${how}\n\n${textTable(columns, rows)}\n\n${words.join('\n')}\n`;
}
