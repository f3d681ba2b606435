import { forAll } from '@springtide/testkit/property';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { LineSplitter } from './line-splitter.ts';

const texts = fc.array(fc.string({ unit: 'grapheme', minLength: 1 }).map((text) => text.replaceAll('\n', ' ')));
const cuts = fc.array(fc.nat({ max: 400 }), { maxLength: 40 });

function chunksOf(bytes: Buffer, places: readonly number[]): Buffer[] {
  const ends = [...new Set(places.filter((place) => place < bytes.length))].toSorted((a, b) => a - b);
  return [...ends, bytes.length].map((end, index) => bytes.subarray(index === 0 ? 0 : ends[index - 1], end));
}

test('however a stream comes apart, its lines are the same', () => {
  forAll(fc.tuple(texts, cuts), ([lines, places]) => {
    const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''));
    const splitter = new LineSplitter(10_000);
    const found = chunksOf(bytes, places).flatMap((chunk) => splitter.push(chunk).map(String));
    expect(found).toEqual(lines);
    expect([splitter.pendingBytes, splitter.overflowed]).toEqual([0, false]);
  });
});

test('a line is refused above the bound, never below, and never more than it is kept', () => {
  forAll(fc.tuple(fc.array(fc.nat({ max: 30 })), cuts), ([lengths, places]) => {
    const bytes = Buffer.from(lengths.map((length) => `${'x'.repeat(length)}\n`).join(''));
    const splitter = new LineSplitter(20);
    const found: string[] = [];
    for (const chunk of chunksOf(bytes, places)) {
      found.push(...splitter.push(chunk).map(String));
      expect(splitter.pendingBytes).toBeLessThanOrEqual(20);
    }
    const firstLong = lengths.findIndex((length) => length > 20);
    const sound = (firstLong === -1 ? lengths : lengths.slice(0, firstLong)).filter((length) => length > 0);
    expect(found.map((line) => line.length)).toEqual(sound);
    expect(splitter.overflowed).toBe(firstLong !== -1);
  });
});
