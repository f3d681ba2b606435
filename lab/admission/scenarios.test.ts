import { mulberry32 } from '@springtide/core/base';
import { ADMISSION_DEFAULTS, type AdmissionOptions } from '@springtide/core/admission';
import type { JobState, QueueSpec, QuotaSpecs } from '@springtide/core/model';
import { aCardJob, aCardQueue, FLAVORS } from '@springtide/testkit/admission';
import { aCohort, aMachine, aQueuedJob, aRequest, PRODUCTS } from '@springtide/testkit/builders';
import { describe, expect, test } from 'vitest';
import { AdmissionHost } from './host.ts';
import { type AdmissionFaults, AdmissionWorld, NO_FAULTS } from './world.ts';

const MINUTE_MS = 60_000;
const inLab = { cohort: 'lab' };

/** Queues `blue` and `red` own so many cards each and lend to each other. */
function specsOf(blue: number, red: number, more: readonly QueueSpec[] = []): QuotaSpecs {
  const queues = [aCardQueue('blue', blue, inLab), aCardQueue('red', red, inLab), ...more];
  return { flavors: FLAVORS, cohorts: [aCohort('lab')], queues };
}

function hostOf(machines: number, specs: QuotaSpecs, options: Partial<AdmissionOptions> = {}): AdmissionHost {
  const world = new AdmissionWorld(mulberry32(1));
  for (let n = 0; n < machines; n += 1) world.addMachine(aMachine(`m${n}`).cards(PRODUCTS.a100, 8).build());
  return new AdmissionHost(world, { ...ADMISSION_DEFAULTS, quantumMs: 0, ...options }, specs);
}

function stateOf({ world }: AdmissionHost, id: string): JobState | undefined {
  return world.jobs.get(id)?.record?.state;
}

function running({ world }: AdmissionHost): string[] {
  return [...world.jobs].flatMap(([id, { run }]) => (run === null ? [] : [id]));
}

/** Submits, one after the other. */
function submit({ world }: AdmissionHost, workMs: number, ...jobs: readonly ReturnType<typeof aCardJob>[]): void {
  for (const job of jobs) world.submit({ ...job, submittedAtMs: world.nowMs }, workMs);
}

function withFaults(host: AdmissionHost, faults: Partial<AdmissionFaults>): void {
  host.world.faults = { ...NO_FAULTS, ...faults };
}

describe('queues, quota, preemption', () => {
  test('27: of two gangs of 64 on 96 cards one runs, the other holds nothing and runs next (I3, I11)', () => {
    const host = hostOf(12, specsOf(48, 48));
    submit(host, 60 * MINUTE_MS, aCardJob('a', 64, { queue: 'blue' }), aCardJob('b', 64, { queue: 'red' }));
    host.passTo(MINUTE_MS);
    expect(running(host)).toHaveLength(1);
    host.passTo(3 * 60 * MINUTE_MS);
    expect([stateOf(host, 'a'), stateOf(host, 'b')]).toEqual(['done', 'done']);
    expect(host.watch.broken).toEqual([]);
  });

  test('28: the owner has its own back in time, however fast the borrower asks for more (I4)', () => {
    const host = hostOf(4, specsOf(0, 32));
    for (let n = 0; n < 8; n += 1) submit(host, 600 * MINUTE_MS, aCardJob(`lent${n}`, 4, { queue: 'blue' }));
    host.passTo(MINUTE_MS);
    expect(running(host)).toHaveLength(8);
    for (let n = 0; n < 4; n += 1) {
      submit(
        host,
        600 * MINUTE_MS,
        aCardJob(`own${n}`, 8, { queue: 'red' }),
        aCardJob(`more${n}`, 4, { queue: 'blue' }),
      );
      host.passTo(host.world.nowMs + 5000);
    }
    host.passTo(host.world.nowMs + ADMISSION_DEFAULTS.graceMs + MINUTE_MS);
    expect(running(host).toSorted()).toEqual(['own0', 'own1', 'own2', 'own3']);
    expect(host.watch.broken).toEqual([]);
  });

  test('29: where quota is lowered below use, nothing starts, just enough leaves, and nothing is stopped twice (I4)', () => {
    const host = hostOf(4, specsOf(32, 0));
    for (let n = 0; n < 8; n += 1) submit(host, 60 * MINUTE_MS, aCardJob(`j${n}`, 4, { queue: 'blue' }));
    host.passTo(MINUTE_MS);
    host.edit(specsOf(12, 0));
    host.passTo(5 * MINUTE_MS);
    expect(running(host)).toHaveLength(3);
    expect(host.watch.evictions).toBe(5);
    host.passTo(300 * MINUTE_MS);
    expect([...host.world.jobs.values()].map(({ record }) => record?.state)).toEqual(Array(8).fill('done'));
    expect(host.watch.broken).toEqual([]);
  });

  test('30: a victim that cannot be stopped wedges nothing: who waited for it waits on, and starts when it can (I10)', () => {
    const host = hostOf(1, specsOf(0, 8));
    submit(host, 600 * MINUTE_MS, aCardJob('lent', 8, { queue: 'blue' }));
    host.passTo(MINUTE_MS);
    withFaults(host, { stopLost: 1000, checkpointFailed: 1000 });
    submit(host, MINUTE_MS, aCardJob('own', 8, { queue: 'red' }));
    host.passTo(10 * MINUTE_MS);
    expect(running(host)).toEqual(['lent']);
    withFaults(host, {});
    host.passTo(20 * MINUTE_MS);
    expect(stateOf(host, 'own')).toBe('done');
    expect(host.watch.broken).toEqual([]);
  });

  test('31: a victim that ends on its own while it is to leave is done, once, and was not evicted (I10)', () => {
    const host = hostOf(1, specsOf(0, 8));
    submit(host, 2 * MINUTE_MS, aCardJob('lent', 8, { queue: 'blue' }));
    host.passTo(100_000);
    withFaults(host, { stopLost: 1000, checkpointFailed: 1000 });
    submit(host, MINUTE_MS, aCardJob('own', 8, { queue: 'red' }));
    host.passTo(10 * MINUTE_MS);
    expect(host.world.jobs.get('lent')?.record).toMatchObject({ state: 'done', incarnation: 1, evictions: 0 });
    expect(stateOf(host, 'own')).toBe('done');
    expect(host.watch.broken).toEqual([]);
  });

  test('32: when who was to take its place is cancelled, a victim goes on without a restart (I10)', () => {
    const host = hostOf(1, specsOf(0, 8));
    submit(host, 20 * MINUTE_MS, aCardJob('lent', 8, { queue: 'blue' }));
    host.passTo(MINUTE_MS);
    withFaults(host, { checkpointFailed: 1000 });
    submit(host, MINUTE_MS, aCardJob('own', 8, { queue: 'red' }));
    host.passTo(MINUTE_MS + 10_000);
    expect(stateOf(host, 'lent')).toBe('suspending');
    host.world.cancel('own');
    host.passTo(2 * MINUTE_MS);
    expect(host.world.jobs.get('lent')?.record).toMatchObject({ state: 'running', incarnation: 1, evictions: 0 });
    expect(host.watch.broken).toEqual([]);
  });

  test('33: where no checkpoint is made in the grace period, a job goes on from the one before (I2)', () => {
    const host = hostOf(1, specsOf(0, 8));
    submit(host, 60 * MINUTE_MS, aCardJob('lent', 8, { queue: 'blue' }));
    host.passTo(10 * MINUTE_MS);
    submit(host, MINUTE_MS, aCardJob('own', 8, { queue: 'red' }));
    host.passTo(20 * MINUTE_MS);
    const first = host.world.jobs.get('lent')?.record?.checkpoint;
    expect(first?.step).toBeGreaterThan(8 * MINUTE_MS);
    withFaults(host, { checkpointFailed: 1000 });
    submit(host, MINUTE_MS, aCardJob('again', 8, { queue: 'red' }));
    host.passTo(40 * MINUTE_MS);
    const record = host.world.jobs.get('lent')?.record;
    expect(record).toMatchObject({ state: 'running', incarnation: 3, evictions: 2, checkpoint: first });
    host.passTo(120 * MINUTE_MS);
    expect(stateOf(host, 'lent')).toBe('done');
    expect(host.watch.broken).toEqual([]);
  });

  test('34: a large job starts when those before it have ended, in an endless stream of small ones (I11)', () => {
    const host = hostOf(2, specsOf(16, 0));
    for (let n = 0; n < 200; n += 1) {
      submit(host, 10 * MINUTE_MS, aCardJob(`small${n}`, 1, { queue: 'blue', expectedRunMs: 10 * MINUTE_MS }));
      if (n === 40) submit(host, MINUTE_MS, aCardJob('large', 16, { queue: 'blue', expectedRunMs: MINUTE_MS }));
      host.passTo(host.world.nowMs + 30_000);
    }
    // Forty came before it, sixteen at a time run for ten minutes each.
    expect(stateOf(host, 'large')).toBe('done');
    const { record } = host.world.jobs.get('large') ?? {};
    expect(record?.sinceMs).toBeLessThan((20 + 40) * MINUTE_MS);
    expect(host.watch.broken).toEqual([]);
  });

  test('35: a job of high priority that waits for a port which one of low priority has does not wait for its end (I11)', () => {
    const host = hostOf(1, specsOf(8, 0));
    const withPort = aRequest().whole(1).hostPort(8080);
    const one = { count: 1, each: withPort };
    host.world.submit(aQueuedJob('low', 'blue', one), 600 * MINUTE_MS);
    host.passTo(MINUTE_MS);
    host.world.submit(aQueuedJob('high', 'blue', one, { priority: 9, submittedAtMs: MINUTE_MS }), MINUTE_MS);
    host.passTo(5 * MINUTE_MS);
    expect(stateOf(host, 'high')).toBe('done');
    host.passTo(6 * MINUTE_MS);
    expect(stateOf(host, 'low')).toBe('running');
    expect(host.watch.broken).toEqual([]);
  });

  test('36: a tree with a cycle is refused while all is full, and one in which a queue moves is taken whole (I4)', () => {
    const host = hostOf(2, specsOf(4, 12));
    for (let n = 0; n < 4; n += 1) submit(host, 60 * MINUTE_MS, aCardJob(`j${n}`, 4, { queue: 'blue' }));
    host.passTo(MINUTE_MS);
    const { specs } = host;
    host.edit({ ...specs, cohorts: [aCohort('lab', { parent: 'up' }), aCohort('up', { parent: 'lab' })] });
    expect(host.specs).toBe(specs);
    expect(running(host)).toHaveLength(4);
    const moved = specs.queues.map((queue) => (queue.id === 'blue' ? { ...queue, cohort: 'apart' } : queue));
    host.edit({ ...specs, cohorts: [aCohort('lab'), aCohort('apart')], queues: moved });
    host.passTo(5 * MINUTE_MS);
    expect(running(host)).toHaveLength(1);
    expect(host.watch.broken).toEqual([]);
  });

  test('37: what a client submits twice, before and after its end, runs once (I2)', () => {
    const host = hostOf(1, specsOf(8, 0));
    const job = aCardJob('a', 8, { queue: 'blue' });
    submit(host, 5 * MINUTE_MS, job, job);
    host.passTo(MINUTE_MS);
    submit(host, 5 * MINUTE_MS, job);
    host.passTo(10 * MINUTE_MS);
    submit(host, 5 * MINUTE_MS, job);
    host.passTo(20 * MINUTE_MS);
    expect(host.watch.starts).toBe(1);
    expect(host.world.jobs.get('a')?.record).toMatchObject({ state: 'done', incarnation: 1 });
  });
});
