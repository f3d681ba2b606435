import { describe, expect, test } from 'vitest';
import { aCohort } from '@springtide/testkit/builders';
import { aCardJob, aCardQueue, Desk, FLAVORS, kinds } from '@springtide/testkit/admission';
import { ADMISSION_DEFAULTS, type AdmissionCommand } from './index.ts';

const MINUTE_MS = 60_000;

describe('Q3: preemption', () => {
  const lower = { queue: 'q', priority: 0 };

  test('a job of higher priority keeps its place, those who hold it are asked for a checkpoint, and it starts when they are gone', () => {
    const desk = new Desk([aCardQueue('q', 64)], { machines: 1 });
    desk.submit(aCardJob('low', 8, lower));
    desk.wait(ADMISSION_DEFAULTS.quantumMs);
    expect(kinds(desk.submit(aCardJob('high', 8, { priority: 5 })))).toEqual(['reserve high', 'suspend low']);
    expect(desk.admission.standing('high')?.wait).toMatchObject({ kind: 'eviction', jobs: ['low'] });
    // Nobody else takes what is given back.
    desk.submit(aCardJob('other', 1, { priority: 3 }));
    expect(kinds(desk.say('job-stopped', 'low'))).toEqual(['requeue low', 'admit high']);
    expect(desk.states).toEqual(
      new Map([
        ['low', 'queued'],
        ['high', 'running'],
      ]),
    );
    desk.end('high');
    expect(desk.state('other')).toBe('running');
  });

  test('evicts whole gangs and no more than are needed', () => {
    const desk = new Desk([aCardQueue('q', 64)], { machines: 4 });
    desk.submit(
      aCardJob('gang', 16),
      aCardJob('one', 8, { submittedAtMs: 1 }),
      aCardJob('two', 8, { submittedAtMs: 2 }),
    );
    desk.wait(ADMISSION_DEFAULTS.quantumMs);
    const victims = (commands: readonly AdmissionCommand[]): string[] =>
      kinds(commands).filter((kind) => kind.startsWith('suspend'));
    expect(victims(desk.submit(aCardJob('small', 8, { priority: 1 })))).toEqual(['suspend two']);
    expect(victims(desk.submit(aCardJob('large', 24, { priority: 2 })))).toHaveLength(2);
  });

  test('nobody is evicted within the quantum after its start, nor what may not be preempted, nor more often than the cap', () => {
    const desk = new Desk([aCardQueue('q', 8)], { machines: 1, options: { evictionsMax: 1 } });
    desk.submit(aCardJob('low', 8));
    expect(kinds(desk.submit(aCardJob('high', 8, { priority: 5 })))).toEqual([]);
    expect(kinds(desk.wait(ADMISSION_DEFAULTS.quantumMs))).toEqual(['reserve high', 'suspend low']);
    desk.say('job-stopped', 'low');
    desk.end('high');
    expect(desk.state('low')).toBe('running');
    desk.wait(ADMISSION_DEFAULTS.quantumMs);
    expect(kinds(desk.submit(aCardJob('again', 8, { priority: 5 })))).toEqual([]);
  });

  test('32: the preemptor is cancelled after victims were told: they go on', () => {
    const desk = new Desk([aCardQueue('q', 64)], { machines: 1 });
    desk.submit(aCardJob('low', 4), aCardJob('lower', 4, { submittedAtMs: 1 }));
    desk.wait(ADMISSION_DEFAULTS.quantumMs);
    desk.submit(aCardJob('high', 8, { priority: 5 }));
    desk.say('job-stopped', 'lower');
    expect(desk.state('lower')).toBe('queued');
    desk.submit(aCardJob('middle', 4, { priority: 3 }));
    expect(kinds(desk.hear({ kind: 'job-cancelled', job: 'high' }))).toEqual([
      'resume low',
      'record high',
      'admit lower',
    ]);
  });

  test('31: a victim that ends on its own is counted once, and the preemptor starts', () => {
    const desk = new Desk([aCardQueue('q', 64)], { machines: 1 });
    desk.submit(aCardJob('low', 8));
    desk.wait(ADMISSION_DEFAULTS.quantumMs);
    desk.submit(aCardJob('high', 8, { priority: 5 }));
    expect(desk.end('low')).toMatchObject([
      { record: { state: 'done', evictions: 0 } },
      { kind: 'admit', job: 'high' },
    ]);
  });

  test('30: a victim that does not go is told again, and then the plan is given up', () => {
    const desk = new Desk([aCardQueue('q', 64)], { machines: 1 });
    desk.submit(aCardJob('low', 8));
    desk.wait(ADMISSION_DEFAULTS.quantumMs);
    desk.submit(aCardJob('high', 8, { priority: 5 }));
    const { graceMs, stopMs } = ADMISSION_DEFAULTS;
    expect([graceMs, stopMs, stopMs].map((ms) => kinds(desk.wait(ms)))).toEqual([
      ['evict low'],
      ['evict low'],
      ['evict low'],
    ]);
    expect(kinds(desk.wait(stopMs))).toEqual(['record high', 'evict low']);
    expect(desk.state('high')).toBe('queued');
    expect(kinds(desk.say('job-stopped', 'low'))).toEqual(['requeue low', 'admit high']);
  });

  test('resumes from its checkpoint, and an older incarnation is not heard (I6)', () => {
    const desk = new Desk([aCardQueue('q', 64)], { machines: 1 });
    desk.submit(aCardJob('low', 8));
    const checkpoint = { uri: 's3://b/7', step: 7, atMs: 5 };
    desk.hear({ kind: 'job-checkpointed', job: 'low', incarnation: 1, checkpoint });
    desk.wait(ADMISSION_DEFAULTS.quantumMs);
    desk.submit(aCardJob('high', 8, { priority: 5 }));
    desk.say('job-stopped', 'low');
    expect(desk.end('high')).toMatchObject([{}, { kind: 'admit', job: 'low', checkpoint, record: { incarnation: 2 } }]);
    desk.hear({ kind: 'job-ended', job: 'low', incarnation: 1, isFailed: true });
    expect(desk.state('low')).toBe('running');
  });
});

test('faults 31: what ends while it leaves, or after it was told to, is done and does not run again', () => {
  const desk = new Desk([aCardQueue('q', 64)], { machines: 1 });
  desk.submit(aCardJob('low', 8));
  desk.wait(ADMISSION_DEFAULTS.quantumMs);
  desk.submit(aCardJob('high', 8, { priority: 5 }));
  expect(kinds(desk.say('job-stopped', 'low'))).toEqual(['requeue low', 'admit high']);
  expect(kinds(desk.hear({ kind: 'job-ended', job: 'low', incarnation: 1, isFailed: false }))).toEqual(['record low']);
  expect(kinds(desk.end('high'))).toEqual(['record high']);
});

describe('I11: the cap on evictions', () => {
  test('does not keep a job from ever starting that is larger than what its queue owns', () => {
    const queues = [aCardQueue('lender', 8, { cohort: 'c' }), aCardQueue('borrower', 0, { cohort: 'c' })];
    const options = { placesPods: false, evictionsMax: 1 };
    const desk = new Desk(queues, { cohorts: [aCohort('c')], options });
    desk.submit(aCardJob('guest', 8, { queue: 'borrower' }));
    desk.wait(ADMISSION_DEFAULTS.quantumMs);
    desk.submit(aCardJob('owner', 8, { queue: 'lender' }));
    desk.say('job-stopped', 'guest');
    expect(kinds(desk.end('owner'))).toEqual(['record owner', 'admit guest']);
  });
});

describe('Q2: lent quota', () => {
  const cohorts = [aCohort('c')];
  const queues = [aCardQueue('lender', 8, { cohort: 'c' }), aCardQueue('borrower', 0, { cohort: 'c' })];
  const desk = (): Desk => new Desk(queues, { cohorts, options: { placesPods: false } });

  test('is borrowed, and taken back from whoever borrows, whatever its priority', () => {
    const d = desk();
    d.submit(
      aCardJob('b1', 4, { queue: 'borrower', priority: 9 }),
      aCardJob('b2', 4, { queue: 'borrower', priority: 9, submittedAtMs: 1 }),
    );
    d.wait(ADMISSION_DEFAULTS.quantumMs);
    const commands = d.submit(aCardJob('own', 4, { queue: 'lender' }));
    expect(commands).toMatchObject([
      { kind: 'reserve' },
      { kind: 'suspend', job: 'b2', reason: 'reclaimed', by: 'own' },
    ]);
    expect(kinds(d.say('job-stopped', 'b2'))).toEqual(['requeue b2', 'admit own']);
    // And it is not taken back from its owner.
    d.wait(ADMISSION_DEFAULTS.quantumMs);
    expect(d.state('own')).toBe('running');
  });

  test('is not for jobs that may not be preempted: they start within the guaranteed quota only', () => {
    const d = desk();
    const refused = d.submit(aCardJob('x', 4, { queue: 'borrower', isPreemptible: false }));
    expect(refused).toMatchObject([{ kind: 'refuse', refusal: { kind: 'larger-than-cohort', most: 0 } }]);
    expect(kinds(d.submit(aCardJob('y', 4, { queue: 'lender', isPreemptible: false })))).toEqual(['admit y']);
  });

  test('29: quota lowered below use: nothing new starts, and the excess leaves in order, once', () => {
    const d = new Desk([aCardQueue('q', 8)], { options: { placesPods: false } });
    d.submit(aCardJob('a', 4), aCardJob('b', 4, { submittedAtMs: 1 }));
    const lowered = { kind: 'quota' as const, specs: { flavors: FLAVORS, cohorts: [], queues: [aCardQueue('q', 4)] } };
    expect(kinds(d.hear(lowered))).toEqual([]);
    expect(kinds(d.wait(ADMISSION_DEFAULTS.quantumMs))).toEqual(['suspend b']);
    expect(kinds(d.wait(MINUTE_MS / 2))).toEqual([]);
    expect(kinds(d.say('job-stopped', 'b'))).toEqual(['requeue b']);
  });
});
