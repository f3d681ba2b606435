import { afterEach, expect, test } from 'vitest';
import { ADMISSION_DEFAULTS, type AdmissionEvent } from '@springtide/core/admission';
import { aCardJob, aCardQueue, Desk, FLAVORS } from '@springtide/testkit/admission';
import { aMachine, PRODUCTS } from '@springtide/testkit/builders';
import { Planner } from './planner.ts';

const planner = new Planner(ADMISSION_DEFAULTS);
afterEach(() => planner.stop());

/** Resolves once a forecast of this time is there. */
async function forecastOf(nowMs: number): Promise<void> {
  expect(planner.ask(nowMs)).toBe(true);
  // One at a time.
  expect(planner.ask(nowMs)).toBe(false);
  await expect.poll(() => planner.madeAtMs, { timeout: 20_000 }).toBe(nowMs);
}

test('Q5: jobs that wait are foretold by the real admission on a thread of its own, with the age of the forecast', async () => {
  const queue = aCardQueue('q', 8);
  const desk = new Desk([queue], { machines: 1 });
  const machine = aMachine('m0').cards(PRODUCTS.a100, 8).build();
  const jobs = ['a', 'b', 'c'].map(
    (id, i): AdmissionEvent => ({
      kind: 'job',
      job: aCardJob(id, 8, { submittedAtMs: i }),
      record: null,
    }),
  );
  const world: AdmissionEvent[] = [
    { kind: 'quota', specs: { flavors: FLAVORS, cohorts: [], queues: [queue] } },
    { kind: 'machine', machine },
  ];
  planner.tell({ nowMs: 0, events: [...world, ...jobs], commands: desk.hear(...jobs) });
  expect(planner.of('b')).toBeNull();
  await forecastOf(0);
  const [running, next, last] = ['a', 'b', 'c'].map((id) => planner.of(id));
  expect(running).toBeNull();
  expect(next?.madeAtMs).toBe(0);
  expect(next?.p50AtMs).toBeGreaterThan(0);
  expect(next?.p90AtMs).toBeGreaterThanOrEqual(next?.p50AtMs ?? Infinity);
  expect(last?.p50AtMs).toBeGreaterThan(next?.p50AtMs ?? Infinity);
  // New enough.
  expect(planner.ask(1)).toBe(false);

  planner.tell({ nowMs: 600_000, events: [], commands: desk.end('a') });
  await forecastOf(600_000);
  expect(planner.of('b')).toBeNull();
  expect(planner.of('c')).not.toBeNull();
});
