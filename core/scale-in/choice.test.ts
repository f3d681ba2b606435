import { aMachine, aPod, aRequest, evenly, PRODUCTS } from '@springtide/testkit/builders';
import { describe, expect, test } from 'vitest';
import { compareText } from '../base/index.ts';
import type { Request } from '../model/index.ts';
import { Book, fillBook } from '../state/index.ts';
import { chooseScaleIn, type Replica, type ScaleInOptions } from './index.ts';

const WHOLE = aRequest().whole(1);
const PART = aRequest().sliceMiB(20_000);

/** Replicas by machine, `aab`: two on a and one on b. Machines in capitals are in another zone. */
function leaving(places: string, request: Request, count: number, more: Partial<ScaleInOptions> = {}): string {
  const machines = [...new Set(places)].map((id) =>
    aMachine(id)
      .labelled('host', id)
      .labelled('zone', id === id.toUpperCase() ? 'z2' : 'z1')
      .cards(PRODUCTS.a100, 8)
      .build(),
  );
  const book = new Book(machines);
  const pods = places.split('').map((machine, i) => {
    const pod = aPod(`default/p${i}`).labelled('app', 'x').asking(request).build();
    return { pod, machine, isDeleting: false, held: null, fractionGroups: [] };
  });
  fillBook(book, pods);
  const replicas = pods.map(({ pod, machine }, i): Replica => {
    const { id: uid } = pod;
    return {
      pod,
      uid,
      machine,
      phase: 'Running',
      isReady: true,
      cost: null,
      createdAtMs: i,
      readySinceMs: i,
      restarts: 0,
    };
  });
  const choice = chooseScaleIn(book, replicas, count, { siblingsOn: new Map(), nowMs: 1000, ...more });
  return choice.leaving
    .map(({ replica }) => replica.machine)
    .toSorted((left, right) => compareText(left ?? '', right ?? ''))
    .join('');
}

describe('P6: who leaves', () => {
  test('empties the machine with fewest, then comes nearest to emptying another', () => {
    expect(leaving('aaabb', WHOLE.build(), 2)).toBe('bb');
    expect(leaving('aaaabbbbccc', WHOLE.build(), 3)).toBe('ccc');
    expect(leaving('aaaabbbcc', WHOLE.build(), 4)).toBe('bbcc');
    // A whole card needs all four of its parts: those on a are the nearest.
    expect(leaving('aabbbb', PART.build(), 3)).toBe('aab');
  });

  test('keeps hard spread constraints, one within the other', () => {
    const zones = WHOLE.spread(evenly('zone', { maxSkew: 1 }));
    expect(leaving('aaBb', WHOLE.build(), 2)).toBe('Bb');
    expect(leaving('aaCCbB', zones.build(), 2)).toBe('Bb');
    expect(leaving('aabB', zones.build(), 2)).toBe('ab');
    expect(leaving('aabbCCDD', zones.spread(evenly('host', { maxSkew: 1 })).build(), 4)).toBe('CDab');
  });

  test('spares whom a used-up budget covers, where others can leave', () => {
    const isGuarded = ({ machine }: Replica): boolean => machine === 'b';
    expect(leaving('aaab', WHOLE.build(), 1, { isGuarded })).toBe('a');
    expect(leaving('aaab', WHOLE.build(), 4, { isGuarded })).toBe('aaab');
  });

  test('is Kubernetes’ own order where no replica holds a card', () => {
    const siblingsOn = new Map([
      ['a', 3],
      ['b', 1],
    ]);
    expect(leaving('aaab', aRequest().cpuMilli(1000).build(), 1, { siblingsOn })).toBe('a');
  });

  test('empties cards one by one where replicas link too many of them to try all ways', () => {
    // Each replica has parts of two cards of the same machine.
    const linked = aRequest().sliceMiB(5000).count(2).build();
    expect(leaving(`${'a'.repeat(40)}b`, linked, 1)).toBe('b');
  });
});
