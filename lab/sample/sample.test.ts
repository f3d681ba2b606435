import { Placer, POLICIES } from '@springtide/core/placement';
import { Book } from '@springtide/core/state';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  cardsAskedMilli,
  DAY_MS,
  HOUR_MS,
  makeSample,
  runDay,
  WARM_UP_MS,
  type DayResult,
  type WorkUnit,
} from './index.ts';

const sample = makeSample();
const jobs = sample.work.filter(({ kind }) => kind !== 'service');
const services = sample.work.filter(({ kind }) => kind === 'service');

function quantile(values: readonly number[], part: number): number {
  return values.toSorted((left, right) => left - right)[Math.floor(part * values.length)] ?? Number.NaN;
}

function share(kind: WorkUnit['kind']): number {
  return jobs.filter((job) => job.kind === kind).length / jobs.length;
}

describe('the sample', () => {
  test('is the same for the same seed, and another for another', () => {
    expect(makeSample()).toEqual(sample);
    expect(makeSample(2).work[0]).not.toEqual(sample.work[0]);
  });

  test('is a fleet of mixed models in two regions, with racks and islands', () => {
    const { machines } = sample;
    expect(new Set(machines.map(({ location }) => location.region))).toEqual(new Set(['north', 'east']));
    expect(new Set(machines.map(({ location }) => location.rack)).size).toBeGreaterThan(20);
    expect(new Set(machines.flatMap(({ cards }) => cards.map((card) => card.model))).size).toBe(7);
    expect(new Set(machines.map(({ id }) => id)).size).toBe(machines.length);
    expect(sample.cardCount).toBe(1184);
  });

  test('has machines whose cores for a card differ so much that cards get stranded', () => {
    const cores = sample.machines.map(({ cpuMilli, cards }) => cpuMilli / 1000 / cards.length);
    expect([Math.min(...cores), Math.max(...cores)]).toEqual([8, 24]);
  });

  test('has jobs of the sizes of the public traces', () => {
    expect(share('slice')).toBeCloseTo(0.36, 1);
    expect(share('one')).toBeCloseTo(0.44, 1);
    expect(share('cpu')).toBeCloseTo(0.12, 1);
    for (const kind of ['two', 'four', 'eight'] as const) {
      expect(share(kind)).toBeGreaterThan(0.01);
      expect(share(kind)).toBeLessThan(0.04);
    }
  });

  test('has run times with a heavy tail: most are short, and few take most of the card time', () => {
    const minutes = jobs.map(({ durationMs }) => durationMs / 60_000);
    expect(quantile(minutes, 0.5)).toBeGreaterThan(12);
    expect(quantile(minutes, 0.5)).toBeLessThan(19);
    const mean = minutes.reduce((sum, each) => sum + each, 0) / minutes.length;
    expect(mean / quantile(minutes, 0.5)).toBeGreaterThan(4);
    const cardTime = jobs.map(({ cardsMilli, durationMs }) => cardsMilli * durationMs).toSorted((a, b) => b - a);
    const all = cardTime.reduce((sum, each) => sum + each, 0);
    const top = cardTime.slice(0, jobs.length / 10).reduce((sum, each) => sum + each, 0);
    expect(top / all).toBeGreaterThan(0.7);
  });

  test('has days: at ten in the morning three times as much arrives as at four', () => {
    const at = (hour: number): number =>
      jobs.filter(({ arrivalMs }) => Math.floor(arrivalMs / HOUR_MS) === hour).length;
    expect(at(10) / at(4)).toBeGreaterThan(3);
    expect(sample.work.every(({ arrivalMs }) => arrivalMs >= -WARM_UP_MS && arrivalMs < DAY_MS)).toBe(true);
    expect(sample.work.every((unit, i) => i === 0 || unit.arrivalMs >= (sample.work[i - 1]?.arrivalMs ?? 0))).toBe(
      true,
    );
  });

  test('has services with replicas of equal requests, and gangs of equal members with eight cards', () => {
    const byService = Map.groupBy(services, ({ pods }) => pods[0]?.service ?? '');
    for (const replicas of byService.values()) {
      expect(new Set(replicas.map(({ pods }) => pods[0]?.request)).size).toBe(1);
      expect(replicas[0]?.pods[0]?.serviceReplicas).toBe(replicas.length);
    }
    const gangs = jobs.filter(({ kind }) => kind === 'gang');
    expect(gangs.length).toBeGreaterThan(20);
    for (const gang of gangs) {
      expect(gang.pods.length).toBeGreaterThan(1);
      expect(new Set(gang.pods.map(({ request }) => request)).size).toBe(1);
      expect(gang.cardsMilli).toBe(8000 * gang.pods.length);
    }
  });

  test('asks for nothing that an empty fleet cannot give', () => {
    const book = new Book(sample.machines);
    const placer = new Placer({ book, policy: POLICIES['best-fit']({ book, chance: noChance }) });
    const requests = new Map(sample.work.flatMap(({ pods }) => pods.map((pod) => [pod.request, pod] as const)));
    for (const pod of requests.values()) expect([pod.id, placer.decide(pod).ok]).toEqual([pod.id, true]);
    for (const request of requests.keys()) expect(cardsAskedMilli(request)).toBeLessThanOrEqual(8000);
  });
});

/** `best-fit` draws nothing. */
const noChance = {
  uint32: () => 0,
  below: () => 0,
  unit: () => 0,
};

describe('a day of the sample', () => {
  // A part of the evening and the night, to be quick.
  const part = { ...sample, work: sample.work.slice(0, 2500) };
  const options = { placement: 'tide', remainderAtMs: 2 * HOUR_MS } as const;

  test('is the same each time', () => {
    expect(runDay(part, options)).toEqual(runDay(part, options));
  });

  test('has a point each quarter of an hour, and loses no card', () => {
    const { points, remainder } = runDay(part, options);
    expect(points).toHaveLength(97);
    expect(points.map(({ atMs }) => atMs)).toEqual(Array.from({ length: 97 }, (_, i) => (i * DAY_MS) / 96));
    const capacity = remainder.reduce((sum, { capacityMilli }) => sum + capacityMilli, 0);
    expect(capacity).toBe(1_184_000);
    const at = points.find(({ atMs }) => atMs === options.remainderAtMs);
    const allocated = remainder.reduce((sum, { allocatedMilli }) => sum + allocatedMilli, 0);
    expect(at?.allocatedPercent).toBeCloseTo((100 * allocated) / capacity, 6);
  });

  test('starts what arrives, or has it wait', () => {
    const { arrived, started, points } = runDay(part, options);
    expect(arrived).toBe(part.work.filter(({ arrivalMs }) => arrivalMs >= 0).length);
    expect(started).toBeLessThanOrEqual(arrived);
    expect(points.every(({ waitingPods }) => waitingPods >= 0)).toBe(true);
  });
});

describe('O4, before and after: the whole day', () => {
  let theirs: DayResult;
  let ours: DayResult;
  beforeAll(() => {
    theirs = runDay(sample, { placement: 'spread', remainderAtMs: 15 * HOUR_MS });
    ours = runDay(sample, { placement: 'tide', remainderAtMs: 15 * HOUR_MS });
  });
  const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

  test("under tide more cards are at work than under Kubernetes' default, and fewer pods wait", () => {
    const allocated = (day: DayResult): number => mean(day.points.map((point) => point.allocatedPercent));
    expect(allocated(ours) - allocated(theirs)).toBeGreaterThan(5);
    const waiting = (day: DayResult): number => mean(day.points.map((point) => point.waitingPods));
    expect(waiting(ours)).toBeLessThan(0.6 * waiting(theirs));
    expect(ours.meanWaitMs).toBeLessThan(theirs.meanWaitMs);
    expect(ours.meanWaitBigMs).toBeLessThan(0.5 * theirs.meanWaitBigMs);
  });

  test('under tide whole machines stay free for gangs', () => {
    const idle = (day: DayResult): number => mean(day.points.map((point) => point.idleMachines));
    expect(idle(ours)).toBeGreaterThan(idle(theirs) + 5);
    const gang = (day: DayResult): number => mean(day.points.map((point) => point.largestGangCards));
    expect(gang(ours)).toBeGreaterThan(gang(theirs) + 8);
  });
});
