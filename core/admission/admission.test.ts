import { describe, expect, test } from 'vitest';
import { aCardJob, aCardQueue, Desk, FLAVORS, kinds } from '@springtide/testkit/admission';
import {
  aCell,
  aCohort,
  aFlavor,
  aMachine,
  aQueue,
  aQueuedJob,
  aRequest,
  PRODUCTS,
} from '@springtide/testkit/builders';
import { type Pod, podsOf } from '../model/index.ts';
import { Admission, ADMISSION_DEFAULTS } from './index.ts';

const MINUTE_MS = 60_000;

test('a pod that was there before anything was decided is booked once, and its job goes on (I14)', () => {
  const before = new Desk([aCardQueue('q', 8)], { machines: 1 });
  const job = aCardJob('a', 8);
  before.submit(job);
  const record = before.told.findLast((command) => command.kind === 'admit')?.record ?? null;
  const [pod] = podsOf(job.workload);
  const held = { machine: 'm0', isDeleting: false, held: null, fractionGroups: [] };
  const machine = aMachine('m0').cards(PRODUCTS.a100, 8).build();
  const admission = new Admission();
  const { commands } = admission.step(
    0,
    [
      { kind: 'quota', specs: { flavors: FLAVORS, cohorts: [], queues: [aCardQueue('q', 16)] } },
      { kind: 'machine', machine },
      { kind: 'pod', seen: { uid: 'u', pod: pod as Pod, job: 'a', podSet: 'worker', ...held } },
      { kind: 'job', job, record },
      { kind: 'job', job: aCardJob('b', 8), record: null },
    ],
    10,
  );
  expect(commands).toEqual([]);
  expect(admission.standing('b')).toMatchObject({ wait: { kind: 'place', cardsFree: 0 } });
});

describe('Q1: a job takes no card before all of it can run', () => {
  test('and is then given a flavor and a machine for each pod', () => {
    const desk = new Desk([aCardQueue('q', 64)], { machines: 2 });
    const [admit] = desk.submit(aCardJob('a', 16));
    expect(admit).toMatchObject({
      kind: 'admit',
      podSets: [{ podSet: 'worker', count: 2, flavor: 'a100', machines: ['m0', 'm1'] }],
      record: { state: 'admitted', incarnation: 1 },
    });
    expect(desk.submit(aCardJob('b', 16))).toEqual([]);
    expect(desk.admission.standing('b')).toMatchObject({
      position: 1,
      wait: { kind: 'place', cardsAsked: 16, cardsFree: 0 },
    });
    expect(kinds(desk.end('a'))).toEqual(['record a', 'admit b']);
  });

  test('Q1: a gang that is not ready in time gives its cards back and rests longer each time', () => {
    const desk = new Desk([aCardQueue('q', 8)], { machines: 1 });
    desk.isStarting = false;
    desk.submit(aCardJob('a', 8));
    expect(kinds(desk.wait(ADMISSION_DEFAULTS.readyMs))).toEqual(['evict a']);
    expect(desk.admission.unreadyCardMs('q')).toBe(8 * ADMISSION_DEFAULTS.readyMs);
    expect(kinds(desk.say('job-stopped', 'a'))).toEqual(['requeue a']);
    expect(desk.admission.standing('a')?.wait).toMatchObject({ kind: 'back-off', cause: 'not-ready' });
    expect(kinds(desk.wait(ADMISSION_DEFAULTS.backOffMs))).toEqual(['admit a']);
    desk.wait(ADMISSION_DEFAULTS.readyMs);
    desk.say('job-stopped', 'a');
    expect(kinds(desk.wait(ADMISSION_DEFAULTS.backOffMs))).toEqual([]);
    expect(kinds(desk.wait(ADMISSION_DEFAULTS.backOffMs))).toEqual(['admit a']);
  });
});

describe('step 6: heads, in order', () => {
  test('in a strict queue none passes those before it when its head starts, whatever rested between', () => {
    const desk = new Desk([aCardQueue('q', 5, { strategy: 'strict' })], { machines: 1 });
    desk.submit(aCardJob('runs', 4), aCardJob('next', 4, { submittedAtMs: 1 }));
    desk.submit(aCardJob('high', 2, { priority: 1, submittedAtMs: 2 }));
    desk.submit(aCardJob('last', 1, { submittedAtMs: 3 }));
    expect(kinds(desk.end('runs'))).toEqual(['record runs', 'admit high']);
  });

  test('a strict queue waits for its head, a best-effort one passes it where nobody is delayed', () => {
    for (const [strategy, want] of [
      ['strict', undefined],
      ['best-effort', 'running'],
    ] as const) {
      const desk = new Desk([aCardQueue('q', 8, { strategy })], { options: { placesPods: false, backfill: 'none' } });
      desk.submit(aCardJob('a', 4), aCardJob('b', 8, { submittedAtMs: 1 }), aCardJob('c', 4, { submittedAtMs: 2 }));
      expect(desk.state('c')).toBe(want);
      if (want === undefined) expect(desk.admission.standing('c')?.wait).toEqual({ kind: 'behind', job: 'b' });
    }
  });

  test('Q8: online work goes before what was submitted before it, whatever its priority', () => {
    const queues = [
      aCardQueue('batch', 0, { cohort: 'c' }),
      aCardQueue('web', 0, { cohort: 'c', workClass: 'online' }),
    ];
    const desk = new Desk(queues, {
      cohorts: [aCohort('c', { cells: [aCell('a100', 'cards', 8)] })],
      options: { placesPods: false },
    });
    desk.submit(
      aCardJob('train', 8, { queue: 'batch', priority: 9 }),
      aCardJob('serve', 8, { queue: 'web', submittedAtMs: 5 }),
    );
    expect(desk.state('serve')).toBe('running');
    expect(desk.state('train')).toBeUndefined();
  });

  test('who has borrowed least goes first, then who was submitted first', () => {
    const cohorts = [aCohort('c', { cells: [aCell('a100', 'cards', 3)] })];
    const desk = new Desk([aCardQueue('p', 0, { cohort: 'c' }), aCardQueue('q', 0, { cohort: 'c' })], {
      cohorts,
      options: { placesPods: false },
    });
    const jobs = [1, 2].flatMap((i) => [
      aCardJob(`p${i}`, 1, { queue: 'p', submittedAtMs: i }),
      aCardJob(`q${i}`, 1, { submittedAtMs: 10 + i }),
    ]);
    desk.submit(...jobs);
    expect(['p1', 'q1', 'p2'].map((id) => desk.state(id))).toEqual(['running', 'running', 'running']);
    expect(desk.state('q2')).toBeUndefined();
  });

  test('a job passes others of its priority as its deadline comes nearer', () => {
    const desk = new Desk([aCardQueue('q', 1)], { options: { placesPods: false } });
    desk.submit(aCardJob('first', 1));
    const late = { submittedAtMs: 2, deadlineMs: 100 * MINUTE_MS, expectedRunMs: MINUTE_MS };
    desk.submit(aCardJob('second', 1, { submittedAtMs: 1 }), aCardJob('late', 1, late));
    desk.wait(60 * MINUTE_MS);
    desk.end('first');
    expect(desk.state('late')).toBe('running');
  });

  test('flavors are tried in the order of preference of the job', () => {
    const both = aQueue('q', [aCell('a100', 'cards', 1), aCell('h100', 'cards', 1)]);
    const desk = new Desk([], { options: { placesPods: false } });
    desk.hear({ kind: 'quota', specs: { flavors: [...FLAVORS, aFlavor('h100')], cohorts: [], queues: [both] } });
    const admitted = desk.submit(
      aCardJob('x', 1, { flavors: ['h100', 'a100'] }),
      aCardJob('y', 1, { flavors: ['h100', 'a100'], submittedAtMs: 1 }),
    );
    expect(admitted).toMatchObject([{ podSets: [{ flavor: 'h100' }] }, { podSets: [{ flavor: 'a100' }] }]);
  });

  test('an elastic job starts with as many pods as there is room for', () => {
    const desk = new Desk([aCardQueue('q', 64)], { machines: 2 });
    desk.submit(aCardJob('a', 8));
    const elastic = aQueuedJob(
      'e',
      'q',
      { count: 16, each: aRequest().whole(1) },
      { minCounts: new Map([['worker', 2]]) },
    );
    expect(desk.submit(elastic)).toMatchObject([{ kind: 'admit', podSets: [{ count: 8 }] }]);
  });
});

describe('bad input is refused at once, with what was expected', () => {
  test.each([
    [
      'larger than the cohort',
      aCardJob('x', 16),
      { kind: 'larger-than-cohort', resource: 'cards', asked: 16, most: 8 },
    ],
    [
      'a flavor that its queue has not',
      aCardJob('x', 1, { flavors: ['h100'] }),
      { kind: 'no-flavor', asked: ['h100'], there: ['a100'] },
    ],
    ['a deadline in the past', aCardJob('x', 1, { deadlineMs: -1 }), { kind: 'field', path: 'deadlineMs' }],
    [
      'min above max',
      aCardJob('x', 1, { minCounts: new Map([['worker', 2]]) }),
      { kind: 'field', path: 'podSets[0].minCount' },
    ],
    [
      'no pod set',
      { ...aCardJob('x', 1), workload: { ...aCardJob('x', 1).workload, podSets: [] } },
      { kind: 'field', path: 'podSets' },
    ],
  ])('%s', (_, bad, refusal) => {
    const desk = new Desk([aCardQueue('q', 8)]);
    expect(desk.submit(bad)).toMatchObject([{ kind: 'refuse', job: 'x', refusal, record: { state: 'failed' } }]);
    expect(desk.admission.standing('x')).toBeNull();
  });

  test('37: the same submission twice is one job', () => {
    const desk = new Desk([aCardQueue('q', 8)], { options: { placesPods: false } });
    desk.submit(aCardJob('a', 1, { idempotencyKey: 'k' }));
    expect(desk.submit(aCardJob('a', 1, { idempotencyKey: 'k' }))).toEqual([]);
    const twin = aCardJob('a-again', 1, { idempotencyKey: 'k' });
    expect(desk.submit(twin)).toMatchObject([{ kind: 'refuse', refusal: { kind: 'duplicate', job: 'a' } }]);
    desk.end('a');
    expect(desk.submit(aCardJob('a', 1, { idempotencyKey: 'k' }))).toEqual([]);
  });

  test('a job of a queue that is not there waits until it is', () => {
    const desk = new Desk([]);
    desk.submit(aCardJob('a', 1));
    expect(desk.admission.standing('a')?.wait).toEqual({ kind: 'no-queue', queue: 'q' });
    const commands = desk.hear(
      { kind: 'quota', specs: { flavors: FLAVORS, cohorts: [], queues: [aCardQueue('q', 8)] } },
      { kind: 'machine', machine: aMachine('m').cards(PRODUCTS.a100, 8).build() },
    );
    expect(kinds(commands)).toEqual(['admit a']);
  });
});

describe('restart: what was kept with the jobs is enough to go on', () => {
  test('nothing is lost, and nothing starts twice', () => {
    const desk = new Desk([aCardQueue('q', 8)], { machines: 1 });
    const jobs = [aCardJob('a', 8), aCardJob('b', 8, { submittedAtMs: 1 })];
    desk.submit(...jobs);
    const record = desk.told.findLast((command) => 'job' in command && command.job === 'a');
    const next = new Desk([aCardQueue('q', 8)], { machines: 1 });
    const events = jobs.map((each, i) => ({
      kind: 'job' as const,
      job: each,
      record: i === 0 && record !== undefined && 'record' in record ? record.record : null,
    }));
    expect(next.hear(...events)).toEqual([]);
    next.incarnations.set('a', 1);
    expect(kinds(next.end('a'))).toEqual(['record a', 'admit b']);
  });
});
