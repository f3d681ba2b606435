import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { aMachine, aRequest, PRODUCTS } from '@springtide/testkit/builders';
import {
  type Family,
  MEMORY_FAMILY,
  MIG_FAMILIES,
  scenes,
  TEMPLATE_FAMILIES,
  WHOLE_FAMILY,
} from '@springtide/testkit/generators';
import { forAll } from '@springtide/testkit/property';
import { Book } from '../state/index.ts';
import { type CardValue, cardValues } from './value.ts';

const TOLERANCE = 1e-6;

function cases(families: readonly Family[]) {
  return fc.record({
    scene: scenes({ families, machinesMax: 2, podsMax: 5 }),
    patience: fc.constantFrom(0.9, 0.985, 1),
    slicePatience: fc.constantFrom(0.9, 0.985, 1),
  });
}

/** Tables of the kinds of a fleet, for a mix in which every pod comes as often as any other. */
function tablesOf({ scene, ...patience }: ReturnType<typeof cases> extends fc.Arbitrary<infer T> ? T : never) {
  const book = new Book(scene.machines);
  const mix = scene.pods.map((pod) => ({
    requestClass: book.classOf(pod.request, pod.tenant),
    share: 1 / scene.pods.length,
  }));
  return cardValues(mix, book.kinds, patience);
}

/** States and how they would be with a step, or a slice, less: they must be worth no more. */
function smallerStates(value: CardValue, state: number): number[] {
  if (value.isMig)
    return [0, 1, 2, 3, 4, 5, 6, 7].map((slice) => state | (2 ** slice)).filter((other) => other !== state);
  const columns = value.computeSteps + 1;
  return [...(state % columns > 0 ? [state - 1] : []), ...(state >= columns ? [state - columns] : [])];
}

function checkTable(value: CardValue): void {
  const { filled, wasted } = value;
  const wrong: string[] = [];
  for (let state = 0; state < filled.length; state += 1) {
    const fill = filled[state] as number;
    if (!(fill >= 0)) wrong.push(`state ${state} is filled ${fill}`);
    if (!((wasted[state] as number) >= -TOLERANCE)) wrong.push(`state ${state} wastes ${wasted[state]}`);
    for (const other of smallerStates(value, state)) {
      if ((filled[other] as number) > fill + TOLERANCE) wrong.push(`state ${other} is worth more than ${state}`);
    }
  }
  expect(wrong).toEqual([]);
  const whole = (filled.at(value.isMig ? 0 : -1) as number) + (wasted.at(value.isMig ? 0 : -1) as number);
  expect(whole).toBeCloseTo(1000, 6);
}

describe('the value of what is free on a card', () => {
  test('lies between nothing and all of it, and more room is never worth less', () => {
    forAll(cases([WHOLE_FAMILY, MEMORY_FAMILY, ...TEMPLATE_FAMILIES]), (each) => {
      for (const value of tablesOf(each)) checkTable(value);
    });
  });

  test('does so for every set of memory slices of MIG', () => {
    forAll(cases(MIG_FAMILIES), (each) => {
      for (const value of tablesOf(each)) checkTable(value);
    });
  });

  test('is all of the card where the mix can fill it, and nothing where no pod wants it', () => {
    const book = new Book([aMachine('m').cards(PRODUCTS.a100, 1).cards(PRODUCTS.rtxPro6000Mig, 1).build()]);
    const patience = { patience: 1, slicePatience: 1 };
    const tables = (request: ReturnType<typeof aRequest>): readonly CardValue[] =>
      cardValues([{ requestClass: book.classOf(request.build()), share: 1 }], book.kinds, patience);
    expect(tables(aRequest().whole(2))[0]?.filled.at(-1)).toBeCloseTo(1000);
    expect(tables(aRequest().slice({ unit: 'none' }, 300))[0]?.filled.at(-1)).toBeCloseTo(900);
    expect(tables(aRequest().mig('1g.24gb'))[1]?.filled[0]).toBeCloseTo(1000);
    expect(tables(aRequest().mig('1g.24gb'))[0]?.filled.at(-1)).toBe(0);
  });
});
