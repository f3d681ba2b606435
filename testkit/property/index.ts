import * as fc from 'fast-check';

/** What the requirements ask of every property. */
const RUNS = 1000;
const SEED = 42;

/**
 * Checks a property on random cases. The seed is fixed, so that a red test is red for everybody; FC_SEED takes
 * another one, and FC_RUNS times as many cases as usual are tried (for soak runs by hand).
 */
export function forAll<T>(cases: fc.Arbitrary<T>, check: (value: T) => void, runs = RUNS): void {
  const seed = Number(process.env.FC_SEED ?? SEED);
  const numRuns = runs * Number(process.env.FC_RUNS ?? 1);
  fc.assert(fc.property(cases, check), { seed, numRuns });
}
