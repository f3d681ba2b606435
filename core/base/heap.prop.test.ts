import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { forAll } from '@springtide/testkit/property';
import { Heap } from './heap.ts';

interface Item {
  readonly id: number;
  rank: number;
}

const inOrder = (left: Item, right: Item): number => left.rank - right.rank || left.id - right.id;

const steps = fc.array(
  fc.record({ deed: fc.constantFrom('put', 'put', 'change', 'delete', 'take'), id: fc.nat(12), rank: fc.nat(5) }),
  { maxLength: 60 },
);

test('a heap gives what a sorted list gives, whatever is put, changed and taken out', () => {
  forAll(steps, (deeds) => {
    const items = Array.from({ length: 13 }, (_, id): Item => ({ id, rank: 0 }));
    const heap = new Heap(inOrder);
    let twin: Item[] = [];
    for (const { deed, id, rank } of deeds) {
      const item = items[id] as Item;
      if (deed === 'take') {
        const wanted = twin.toSorted(inOrder)[0];
        expect(heap.take()).toBe(wanted);
        twin = twin.filter((other) => other !== wanted);
      } else if (deed === 'delete') {
        expect(heap.delete(item)).toBe(twin.includes(item));
        twin = twin.filter((other) => other !== item);
      } else if (deed === 'put' || heap.has(item)) {
        item.rank = rank;
        heap.put(item);
        twin = [...new Set([...twin, item])];
      }
      expect([heap.size, heap.first]).toEqual([twin.length, twin.toSorted(inOrder)[0]]);
    }
    expect(Array.from({ length: heap.size }, () => heap.take())).toEqual(twin.toSorted(inOrder));
  });
});
