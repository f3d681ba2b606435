import { ADMISSION_DEFAULTS, type AdmissionEvent } from '@springtide/core/admission';
import { type JobRecord, newRecord, type QueuedJob } from '@springtide/core/model';
import { aCardJob, aCardQueue, FLAVORS } from '@springtide/testkit/admission';
import { aCohort, aMachine, PRODUCTS } from '@springtide/testkit/builders';
import { describe, expect, test } from 'vitest';
import { admissionOutlookOf, knownRunsOf } from './admission-outlook.ts';
import { type AdmissionMoment, AdmissionRehearsal } from './admission-rehearsal.ts';
import { trySubmission } from './submission-trial.ts';

const MINUTE = 60_000;
const NOW = 1000 * MINUTE;

const jobSeen = (job: QueuedJob, record: JobRecord | null = null): AdmissionEvent => ({ kind: 'job', job, record });

function runs(id: string, queue: string, startedAtMs: number, machine = 'm0'): AdmissionEvent {
  const podSets = [
    { podSet: 'worker', count: 1, flavor: 'a100', charged: new Map([['cards', 'a100']]), machines: [machine] },
  ];
  const record = { ...newRecord(startedAtMs), state: 'running' as const, incarnation: 1, startedAtMs, podSets };
  return jobSeen(aCardJob(id, 8, { queue, submittedAtMs: startedAtMs }), record);
}

function moment(
  machines: number,
  queues: Parameters<typeof aCardQueue>[],
  jobs: readonly AdmissionEvent[],
): AdmissionMoment {
  const specs = { flavors: FLAVORS, cohorts: [aCohort('c')], queues: queues.map((each) => aCardQueue(...each)) };
  const fleet = Array.from({ length: machines }, (_, i) => aMachine(`m${i}`).cards(PRODUCTS.a100, 8).build());
  return {
    nowMs: NOW,
    options: ADMISSION_DEFAULTS,
    events: [{ kind: 'quota', specs }, ...fleet.map((machine) => ({ kind: 'machine' as const, machine })), ...jobs],
  };
}

/** When each job starts, in minutes from now. */
function startsIn(rehearsal: AdmissionRehearsal): Map<string, number> {
  const starts = new Map<string, number>();
  while (rehearsal.nextAtMs < Infinity) {
    const atMs = rehearsal.nextAtMs;
    for (const id of rehearsal.advance()) starts.set(id, (atMs - NOW) / MINUTE);
  }
  return starts;
}

describe('Q5: the real admission is played forward on a copy', () => {
  test('jobs start one after the other, when those before them end', () => {
    const waiting = ['a', 'b'].map((id, i) => jobSeen(aCardJob(id, 8, { submittedAtMs: NOW - 10 + i })));
    const at = moment(1, [['q', 8]], [runs('r', 'q', NOW - 5 * MINUTE), ...waiting]);
    const runTimes = new Map([
      ['r', 15 * MINUTE],
      ['a', 20 * MINUTE],
    ]);
    const starts = startsIn(new AdmissionRehearsal(at, runTimes));
    expect(starts).toEqual(
      new Map([
        ['a', 10],
        ['b', 30],
      ]),
    );
  });

  test('who is reclaimed goes on later with what it has left', () => {
    const queues: Parameters<typeof aCardQueue>[] = [
      ['own', 8, { cohort: 'c' }],
      ['guest', 0, { cohort: 'c' }],
    ];
    const at = moment(1, queues, [runs('g', 'guest', NOW - 30 * MINUTE), jobSeen(aCardJob('o', 8, { queue: 'own' }))]);
    const after = jobSeen(aCardJob('p', 8, { queue: 'guest', submittedAtMs: NOW }));
    const runTimes = new Map([
      ['g', 40 * MINUTE],
      ['o', 60 * MINUTE],
    ]);
    const starts = startsIn(new AdmissionRehearsal({ ...at, events: [...at.events, after] }, runTimes));
    // At once, an hour of `o`, then the ten minutes that `g` has left.
    expect([starts.get('o'), starts.get('g'), starts.get('p')]).toEqual([0, 60, 70]);
  });

  test('it ends at its bounds where a job never starts, and says so', () => {
    const at = moment(0, [['q', 8]], [jobSeen(aCardJob('a', 8))]);
    const rehearsal = new AdmissionRehearsal(at, new Map());
    expect(startsIn(rehearsal)).toEqual(new Map());
    const outlook = admissionOutlookOf(at, ['a'], knownRunsOf(at));
    expect([outlook.waitOf('a')?.p50Ms, outlook.reachMs]).toEqual([Infinity, Infinity]);
  });

  test('the forecast lies between the earliest and the latest end of what is in the way', () => {
    const at = moment(
      1,
      [['q', 8]],
      [runs('r', 'q', NOW - 5 * MINUTE), jobSeen(aCardJob('a', 8, { submittedAtMs: NOW }))],
    );
    const wait = admissionOutlookOf(at, ['a'], knownRunsOf(at)).waitOf('a');
    expect(wait?.p50Ms).toBeGreaterThan(0);
    expect(wait?.p90Ms).toBeGreaterThanOrEqual(wait?.p50Ms ?? Infinity);
  });

  test('what is told of the head costs no more for a thousand jobs behind it, and is the same', () => {
    const [running, head] = [runs('r', 'q', NOW - 5 * MINUTE), jobSeen(aCardJob('a', 8, { submittedAtMs: NOW - 1 }))];
    const behind = Array.from({ length: 1000 }, (_, i) => jobSeen(aCardJob(`b${i}`, 8, { submittedAtMs: NOW + i })));
    const alone = moment(1, [['q', 8]], [running, head]);
    const crowded = moment(1, [['q', 8]], [running, head, ...behind]);
    const wait = admissionOutlookOf(alone, ['a'], knownRunsOf(alone)).waitOf('a');
    expect(admissionOutlookOf(crowded, ['a'], knownRunsOf(crowded)).waitOf('a')).toEqual(wait);
  });

  test('run times are learned from jobs that have ended and are still there', () => {
    const done: JobRecord = { ...newRecord(0), state: 'done', sinceMs: NOW - MINUTE, attainedCardMs: 8 * 30 * MINUTE };
    const ended = ['d-1', 'd-2', 'd-3'].map((id) =>
      jobSeen(aCardJob(id, 8, { submittedAtMs: NOW - 60 * MINUTE }), done),
    );
    const at = moment(1, [['q', 8]], ended);
    const { history, runs: known } = knownRunsOf(at);
    const traits = { tenant: 'd-1', cards: 8, user: '', name: 'd', image: '' };
    expect(known).toBe(3);
    expect(history.runTimeOf(traits, NOW, NOW).quantileMs(0.5, 0)).toBe(30 * MINUTE);
  });
});

test('I15: a job is told "now" only where the real admission has just started it on the copy', () => {
  const at = moment(1, [['q', 16]], []);
  expect(trySubmission(at, aCardJob('a', 8))).toEqual({ kind: 'now', borrows: [] });
  expect(trySubmission(at, aCardJob('b', 16))).toMatchObject({
    kind: 'waits',
    standing: { position: 1, wait: { kind: 'place', cardsFree: 8, cardsAsked: 16 } },
  });
  expect(trySubmission(at, aCardJob('c', 24))).toMatchObject({
    kind: 'refused',
    refusal: { kind: 'larger-than-cohort', most: 16 },
  });
});
