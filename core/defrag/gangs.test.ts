import { aMachine, aPod, aRequest, NVIDIA, PRODUCTS } from '@springtide/testkit/builders';
import { expect, test } from 'vitest';
import { Book, fillBook } from '../state/index.ts';
import { largestGang } from './gangs.ts';

const family = { resource: NVIDIA, model: 'Tesla-T4' };

function book(): Book {
  return new Book([
    aMachine('a').cpuMilli(20_000).cards(PRODUCTS.t4, 8).build(),
    aMachine('b').cards(PRODUCTS.t4, 4).tainted('dedicated').build(),
    aMachine('c').cards(PRODUCTS.t4, 8).cordoned().build(),
    aMachine('d').cards(PRODUCTS.a100, 8).build(),
  ]);
}

test('the largest gang of a model counts usable machines, whatever their taints', () => {
  expect(largestGang(book(), family)).toEqual({
    diet: { cpuMilli: 0, memoryBytes: 0 },
    onOneMachine: { cards: 8, machine: 'a' },
    inCluster: [
      { cardsPerPod: 1, pods: 12 },
      { cardsPerPod: 2, pods: 6 },
      { cardsPerPod: 4, pods: 3 },
      { cardsPerPod: 8, pods: 1 },
    ],
  });
});

test('each card comes with the median CPU of the pods that hold whole cards of the model', () => {
  const filled = book();
  const held = (id: string, machine: string, cores: number) => {
    const pod = aPod(`default/${id}`)
      .asking(
        aRequest()
          .whole(1)
          .cpuMilli(cores * 1000),
      )
      .build();
    return { pod, machine, isDeleting: false, held: null, fractionGroups: [] };
  };
  fillBook(filled, [held('p', 'a', 2), held('q', 'b', 4), held('r', 'b', 30), held('s', 'd', 60)]);
  const gang = largestGang(filled, family);
  expect(gang.diet.cpuMilli).toBe(4000);
  expect(gang.onOneMachine).toEqual({ cards: 4, machine: 'a' });
  expect(gang.inCluster.map(({ pods }) => pods)).toEqual([6, 3, 1, 0]);
});
