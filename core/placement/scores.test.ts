import { describe, expect, test } from 'vitest';
import { aMachine, aPod, aRequest, PRODUCTS } from '@springtide/testkit/builders';
import { mulberry32 } from '../base/index.ts';
import { Book } from '../state/index.ts';
import { Placer } from './placer.ts';
import { POLICIES } from './policies/index.ts';
import { CLASS_SCORES_MAX, ScoreCache } from './scores.ts';

function placerOf(): Placer {
  const machines = ['m0', 'm1', 'm2'].map((id) => aMachine(id).cards(PRODUCTS.a100, 8).build());
  const book = new Book(machines);
  return new Placer({ book, policy: POLICIES['best-fit']({ book, chance: mulberry32(1) }) });
}

const classOf = ({ book }: Placer, cpuMilli: number) => book.classOf(aRequest().whole(1).cpuMilli(cpuMilli).build());

/** Scores of a class as a cache that has never seen anything gives them. */
function freshScores({ book, policy }: Placer, cpuMilli: number): number[] {
  const requestClass = book.classOf(aRequest().whole(1).cpuMilli(cpuMilli).build());
  const { tree } = new ScoreCache(book, policy).of(requestClass).expand();
  return [0, 1, 2].map((machine) => tree.scoreOf(machine));
}

describe('the cache of scores', () => {
  test('stays true for more classes than it keeps, whichever was dropped', () => {
    const placer = placerOf();
    const classes = CLASS_SCORES_MAX + 50;
    const check = (cpuMilli: number): void => {
      const { tree } = placer.scoresOf(classOf(placer, cpuMilli));
      expect([0, 1, 2].map((machine) => tree.scoreOf(machine))).toEqual(freshScores(placer, cpuMilli));
    };
    for (let cpu = 1; cpu <= classes; cpu += 1) {
      placer.scoresOf(classOf(placer, cpu));
      if (cpu % 100 === 0) placer.place(aPod(`p${cpu}`).asking(aRequest().whole(1).cpuMilli(cpu)).build());
    }
    for (let cpu = 1; cpu <= classes; cpu += 7) check(cpu);
    placer.book.release('p300');
    for (let cpu = classes; cpu > 0; cpu -= 11) check(cpu);
  });

  test('drops the class that was unused for longest', () => {
    const placer = placerOf();
    for (let cpu = 1; cpu <= CLASS_SCORES_MAX; cpu += 1) placer.scoresOf(classOf(placer, cpu));
    placer.scoresOf(classOf(placer, 1));
    placer.scoresOf(classOf(placer, CLASS_SCORES_MAX + 1));
    const scored = placer.machinesScored;
    placer.scoresOf(classOf(placer, 1));
    expect(placer.machinesScored).toBe(scored);
    placer.scoresOf(classOf(placer, 2));
    expect(placer.machinesScored).toBeGreaterThan(scored);
  });

  test('catches up after more touches than the log holds', () => {
    const placer = placerOf();
    const held = aPod('held').asking(aRequest().whole(4)).build();
    placer.scoresOf(classOf(placer, 1));
    for (let i = 0; i < 5000; i += 1) placer.book.reserve(2, i % 2 === 0 ? 7 : -1);
    placer.place(held);
    const { tree } = placer.scoresOf(classOf(placer, 1));
    expect([0, 1, 2].map((machine) => tree.scoreOf(machine))).toEqual(freshScores(placer, 1));
  });

  test('scores only what was touched, and what is alike only once', () => {
    const placer = placerOf();
    placer.scoresOf(classOf(placer, 1));
    expect(placer.machinesScored).toBe(1);
    placer.place(aPod('a').asking(aRequest().whole(1).cpuMilli(1)).build());
    placer.scoresOf(classOf(placer, 1));
    expect(placer.machinesScored).toBe(2);
    placer.scoresOf(classOf(placer, 2));
    expect(placer.machinesScored).toBe(4);
  });
});
