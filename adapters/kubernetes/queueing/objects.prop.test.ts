import { JOB_LEAVES, JOB_STATES, type JobRecord, type QueueSpec, type QuotaCell } from '@springtide/core/model';
import { quotaSpecs } from '@springtide/testkit/generators';
import { forAll } from '@springtide/testkit/property';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Fields, fieldsOf } from '../fields.ts';
import { QUANTITY_MAX } from '../quantity.ts';
import { cohortObject, cohortOf } from './cohort.ts';
import { flavorObject, flavorOf } from './flavor.ts';
import { queueObject, queueOf } from './queue.ts';
import { recordOf, recordStatus } from './record.ts';

/** As the API server gives it back: what is undefined or null is absent. */
function kept(object: object): Fields {
  const text = JSON.stringify(object, (_, value: unknown) => (value === null ? undefined : value));
  return fieldsOf(JSON.parse(text), null);
}

/** No larger than what a quantity may be. */
function bounded<Cells extends { readonly cells: readonly QuotaCell[] }>(spec: Cells): Cells {
  const within = (amount: number): number => Math.min(amount, QUANTITY_MAX);
  const limit = (amount: number | null): number | null => (amount === null ? null : within(amount));
  const cells = spec.cells.map((cell) => ({
    ...cell,
    nominal: within(cell.nominal),
    borrowingLimit: limit(cell.borrowingLimit),
    lendingLimit: limit(cell.lendingLimit),
  }));
  return { ...spec, cells };
}

/** Cells in the order of the queue's flavors, as an object lists them. */
function inOrder(spec: QueueSpec): QueueSpec {
  return { ...spec, cells: spec.flavors.flatMap((flavor) => spec.cells.filter((cell) => cell.flavor === flavor)) };
}

test('flavors, cohorts and queues are read as they were written', () => {
  forAll(
    quotaSpecs(),
    ({ flavors, cohorts, queues }) => {
      for (const flavor of flavors) expect(flavorOf(kept(flavorObject(flavor)))).toEqual(flavor);
      for (const cohort of cohorts.map(bounded)) {
        const read = cohortOf(kept(cohortObject(cohort)));
        expect({ ...read, cells: new Set(read.cells) }).toEqual({ ...cohort, cells: new Set(cohort.cells) });
      }
      for (const spec of queues.map(bounded)) {
        const seen = { spec: inOrder(spec), namespaces: null, aliases: ['a/b'] };
        expect(queueOf(kept(queueObject(seen)))).toEqual(seen);
      }
    },
    200,
  );
});

const name = fc.stringMatching(/^[a-z]{1,8}$/);
const time = fc.integer({ min: 1, max: 4e12 });
const count = fc.nat(1_000_000);

const record: fc.Arbitrary<JobRecord> = fc.record({
  state: fc.constantFrom(...JOB_STATES),
  sinceMs: time,
  incarnation: count,
  podSets: fc.array(
    fc.record({
      podSet: name,
      count,
      flavor: fc.oneof(name, fc.constant('')),
      charged: fc.array(fc.tuple(name, name), { maxLength: 3 }).map((pairs) => new Map(pairs)),
      machines: fc.array(fc.constantFrom('n1', 'n2', 'n3'), { maxLength: 12 }),
    }),
    { maxLength: 3 },
  ),
  evictions: count,
  setBacks: count,
  retryAtMs: fc.oneof(time, fc.constant(0)),
  startedAtMs: fc.oneof(time, fc.constant(null)),
  attainedCardMs: fc.nat(2 ** 31 - 1),
  checkpoint: fc.oneof(fc.constant(null), fc.record({ uri: name, step: count, atMs: time })),
  avoids: fc.array(name, { maxLength: 3 }),
  leaves: fc.oneof(fc.constant(null), fc.constantFrom(...JOB_LEAVES)),
});

test('what is kept with a job is read as it was written', () => {
  forAll(record, (written) => {
    expect(recordOf(kept(recordStatus(written)))).toEqual(written);
  });
});
