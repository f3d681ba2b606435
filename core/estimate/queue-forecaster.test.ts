import { ADMISSION_DEFAULTS, type AdmissionEvent } from '@springtide/core/admission';
import { newRecord } from '@springtide/core/model';
import { aCardJob, aCardQueue, Desk, FLAVORS } from '@springtide/testkit/admission';
import { aMachine, PRODUCTS } from '@springtide/testkit/builders';
import { expect, test } from 'vitest';
import { QueueForecaster } from './queue-forecaster.ts';

const MINUTE_MS = 60_000;
const QUEUE = aCardQueue('q', 8);
const WORLD: readonly AdmissionEvent[] = [
  { kind: 'quota', specs: { flavors: FLAVORS, cohorts: [], queues: [QUEUE] } },
  { kind: 'machine', machine: aMachine('m0').cards(PRODUCTS.a100, 8).build() },
];

function submitted(id: string, submittedAtMs: number): AdmissionEvent {
  return { kind: 'job', job: aCardJob(id, 8, { submittedAtMs }), record: null };
}

test('Q5: what is foretold comes from what was heard and decided: starts, ends, and runs from before', () => {
  const [desk, forecaster] = [new Desk([QUEUE], { machines: 1 }), new QueueForecaster(ADMISSION_DEFAULTS)];
  const hear = (...events: readonly AdmissionEvent[]): void => {
    forecaster.hear({ nowMs: desk.nowMs, events, commands: desk.hear(...events) });
  };
  const past = { ...newRecord(0), state: 'done' as const, sinceMs: 20 * MINUTE_MS, attainedCardMs: 8 * 20 * MINUTE_MS };
  desk.nowMs = 30 * MINUTE_MS;
  hear(...WORLD, { kind: 'job', job: aCardJob('run-1', 8), record: past });
  hear(submitted('run-2', desk.nowMs), submitted('run-3', desk.nowMs + 1));
  const first = forecaster.forecast(desk.nowMs);
  expect([...first.waits.keys()]).toEqual(['run-3']);
  // The one run that is known lasted twenty minutes.
  expect(first.waits.get('run-3')?.p50Ms).toBe(20 * MINUTE_MS);
  expect([first.madeAtMs, first.reachMs]).toEqual([30 * MINUTE_MS, Infinity]);

  desk.nowMs += 15 * MINUTE_MS;
  const later = forecaster.forecast(desk.nowMs);
  expect(later.waits.get('run-3')?.p50Ms).toBe(5 * MINUTE_MS);

  hear({ kind: 'job-ended', job: 'run-2', incarnation: 1, isFailed: false });
  expect(forecaster.forecast(desk.nowMs).waits.size).toBe(0);
});
