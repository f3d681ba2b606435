import * as fc from 'fast-check';
import { type CohortSpec, QUOTA_MAX, type QueueSpec, type QuotaCell, type QuotaSpecs } from '@springtide/core/model';
import { aCell, aCohort, aFlavor, aQueue } from '../builders/index.ts';

const FLAVORS = ['a100', 'h800', 'spot'];
const RESOURCES = ['cards', 'computeMilli'];

/** Mostly a few, now and then so much that sums stop at the largest amount. */
const amounts = fc.oneof(
  { weight: 20, arbitrary: fc.nat(12) },
  { weight: 1, arbitrary: fc.constantFrom(QUOTA_MAX, QUOTA_MAX - 1, QUOTA_MAX / 2 - 0.5) },
);
const limits = fc.oneof({ weight: 2, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: amounts });

const cellNames = FLAVORS.flatMap((flavor) => RESOURCES.map((resource) => ({ flavor, resource })));

const cells: fc.Arbitrary<readonly QuotaCell[]> = fc
  .subarray(cellNames)
  .chain((names) =>
    fc.tuple(
      ...names.map(({ flavor, resource }) =>
        fc
          .record({ nominal: amounts, borrowingLimit: limits, lendingLimit: limits, floor: fc.nat(3) })
          .map((part) => aCell(flavor, resource, part.nominal, { ...part, floor: Math.min(part.floor, part.nominal) })),
      ),
    ),
  );

const COHORTS_MAX = 4;
const NUMBER = fc.nat(63);

/** Trees without a fault: cohorts up to four deep, queues with and without one, some cells only of a cohort. */
export function quotaSpecs(): fc.Arbitrary<QuotaSpecs> {
  const weights = fc.constantFrom(0, 500, 1000, 3000);
  const cohort = fc.record({ parent: NUMBER, weightMilli: weights, cells });
  const queue = fc.record({ cohort: NUMBER, weightMilli: weights, cells, listed: fc.subarray(FLAVORS) });
  return fc
    .record({
      cohorts: fc.array(cohort, { maxLength: COHORTS_MAX }),
      queues: fc.array(queue, { minLength: 1, maxLength: 5 }),
    })
    .map((drawn) => {
      const cohorts = drawn.cohorts.map((each, index): CohortSpec => {
        const parent = each.parent % (index + 1);
        return aCohort(`c${index}`, { ...each, parent: parent === index ? null : `c${parent}` });
      });
      const queues = drawn.queues.map(({ listed, ...each }, index): QueueSpec => {
        const number = each.cohort % (cohorts.length + 1);
        const flavors = new Set([...each.cells.map(({ flavor }) => flavor), ...listed]);
        return aQueue(`q${index}`, each.cells, {
          weightMilli: each.weightMilli,
          cohort: cohorts[number]?.id ?? null,
          flavors: [...flavors],
        });
      });
      return { flavors: FLAVORS.map((id) => aFlavor(id)), cohorts, queues };
    });
}

/** Trees in which much is lent: one root above all queues, one flavor, few limits. */
export function lendingSpecs(): fc.Arbitrary<QuotaSpecs> {
  const rarely = fc.oneof({ weight: 5, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: fc.nat(4) });
  const cellsOfOne = fc.tuple(
    ...RESOURCES.map((resource) =>
      fc
        .record({ nominal: fc.nat(8), borrowingLimit: rarely, lendingLimit: rarely })
        .map((part) => aCell('a100', resource, part.nominal, part)),
    ),
  );
  return fc
    .record({
      parents: fc.array(NUMBER, { maxLength: 3 }),
      queues: fc.array(fc.record({ cohort: NUMBER, cells: cellsOfOne }), { minLength: 2, maxLength: 5 }),
    })
    .map(({ parents, queues }) => ({
      flavors: [aFlavor('a100')],
      cohorts: [null, ...parents.map((parent, index) => `c${parent % (index + 1)}`)].map((parent, index) =>
        aCohort(`c${index}`, { parent }),
      ),
      queues: queues.map(({ cohort, cells: own }, index) =>
        aQueue(`q${index}`, own, { cohort: `c${cohort % (parents.length + 1)}` }),
      ),
    }));
}

/** One thing that happens to a quota tree. Numbers are reduced to what there is when the step is taken. */
export type QuotaStep =
  | {
      /** Running work that is seen, whether it fits or not; or work that is tried and charged only if it fits. */
      readonly kind: 'observe' | 'admit';
      readonly queue: number;
      readonly wanted: readonly { readonly cell: number; readonly amount: number }[];
    }
  | { readonly kind: 'refund'; readonly pick: number }
  | { readonly kind: 'edit'; readonly specs: QuotaSpecs }
  | { readonly kind: 'savepoint' | 'rollBack' | 'keep' };

const wanted = fc.array(fc.record({ cell: NUMBER, amount: amounts }), { minLength: 1, maxLength: 3 });
const charges = (kind: 'observe' | 'admit'): fc.Arbitrary<QuotaStep> =>
  fc.record({ kind: fc.constant(kind), queue: NUMBER, wanted });

/** Sequences of steps; edits only where they are asked for. */
export function quotaSteps(withEdits: boolean): fc.Arbitrary<readonly QuotaStep[]> {
  const edits = { weight: 1, arbitrary: fc.record({ kind: fc.constant('edit' as const), specs: quotaSpecs() }) };
  const steps = fc.oneof(
    { weight: 6, arbitrary: charges('admit') },
    { weight: 2, arbitrary: charges('observe') },
    { weight: 4, arbitrary: fc.record({ kind: fc.constant('refund' as const), pick: NUMBER }) },
    { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom('savepoint' as const, 'rollBack', 'keep') }) },
    ...(withEdits ? [edits] : []),
  );
  return fc.array(steps, { maxLength: 24 });
}
