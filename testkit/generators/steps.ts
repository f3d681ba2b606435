import * as fc from 'fast-check';

/** One thing that happens to a book. Numbers are reduced to what there is when the step is taken. */
export type Step =
  | { readonly kind: 'place'; readonly pod: number; readonly policy: number }
  /** A pod that somebody else has placed: it may overbook. */
  | { readonly kind: 'observe'; readonly pod: number; readonly machine: number; readonly cards: readonly number[] }
  | { readonly kind: 'release'; readonly pick: number }
  | { readonly kind: 'reserve'; readonly machine: number; readonly reservation: number }
  | { readonly kind: 'savepoint' }
  | { readonly kind: 'rollBack' }
  | { readonly kind: 'keep' };

const NUMBER = fc.nat(63);

const STEPS = {
  place: fc.record({ kind: fc.constant('place' as const), pod: NUMBER, policy: NUMBER }),
  observe: fc.record({
    kind: fc.constant('observe' as const),
    pod: NUMBER,
    machine: NUMBER,
    cards: fc.array(NUMBER, { maxLength: 3 }),
  }),
  release: fc.record({ kind: fc.constant('release' as const), pick: NUMBER }),
  reserve: fc.record({
    kind: fc.constant('reserve' as const),
    machine: NUMBER,
    reservation: fc.integer({ min: -1, max: 1 }),
  }),
  savepoint: fc.constant<Step>({ kind: 'savepoint' }),
  rollBack: fc.constant<Step>({ kind: 'rollBack' }),
  keep: fc.constant<Step>({ kind: 'keep' }),
} as const;

const WEIGHTS: Readonly<Record<Step['kind'], number>> = {
  place: 8,
  observe: 1,
  release: 3,
  reserve: 1,
  savepoint: 1,
  rollBack: 1,
  keep: 1,
};

/** Sequences of steps of the kinds named. */
export function steps(kinds: readonly Step['kind'][], stepsMax = 20): fc.Arbitrary<readonly Step[]> {
  const weighted = kinds.map((kind) => ({ weight: WEIGHTS[kind], arbitrary: STEPS[kind] as fc.Arbitrary<Step> }));
  return fc.array(fc.oneof(...weighted), { maxLength: stepsMax });
}
