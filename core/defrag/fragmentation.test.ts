import { aMachine, aPod, aRequest, PRODUCTS, type MachineBuilder } from '@springtide/testkit/builders';
import { describe, expect, test } from 'vitest';
import type { Machine, Pod, Request } from '../model/index.ts';
import { Book, fillBook } from '../state/index.ts';
import { classesOf, commonRequests } from './common-requests.ts';
import { fragmentationOf, lossBy } from './fragmentation.ts';

const t4 = (id: string, count = 8): MachineBuilder => aMachine(id).cards(PRODUCTS.t4, count);
const whole = (count: number) => aRequest().whole(count);

function pods(...requests: readonly Request[]): Pod[] {
  return requests.map((request, i) => aPod(`default/p${i}`).asking(request).build());
}

interface Held {
  readonly machine: string;
  readonly request: Request;
}

function measured(machines: readonly Machine[], held: readonly Held[], mix: readonly Request[]) {
  const book = new Book(machines);
  fillBook(
    book,
    held.map(({ machine, request }, i) => ({
      pod: aPod(`default/held-${i}`).asking(request).build(),
      machine,
      isDeleting: false,
      held: null,
      fractionGroups: [],
    })),
  );
  return { book, measure: fragmentationOf(book, commonRequests(classesOf(book, pods(...mix)))) };
}

describe('the common requests', () => {
  test('are those of pods with cards, most frequent first, until 95 % of them are covered', () => {
    const book = new Book([t4('m').build()]);
    const many = Array.from({ length: 19 }, () => whole(1).build());
    const common = commonRequests(classesOf(book, pods(aRequest().cpuMilli(1).build(), whole(2).build(), ...many)));
    expect(common.map(({ pods: seen, share }) => [seen, share])).toEqual([[19, 1]]);
  });

  test('do not tell pods apart by what they say about other pods', () => {
    const book = new Book([t4('m').build()]);
    expect(commonRequests(classesOf(book, pods(whole(1).build(), whole(1).hostPort(80).build())))).toHaveLength(1);
  });
});

describe('idle cards that no common request can use', () => {
  const busy = (machine: string, request: Request): Held => ({ machine, request });

  test.each([
    ['cpu', t4('m').build(), [busy('m', aRequest().cpuMilli(60_000).build())], [whole(1).cpuMilli(2000).build()], 6],
    [
      'memory',
      t4('m').memoryGiB(5).build(),
      [],
      [
        whole(1)
          .memoryBytes(2 ** 31)
          .build(),
      ],
      6,
    ],
    ['resource', t4('m').offering('rdma/hca', 1).build(), [], [whole(1).other('rdma/hca', 1).build()], 7],
    ['pods', t4('m').podsMax(3).build(), [], [whole(1).build()], 5],
    ['split', t4('m').build(), [busy('m', whole(3).build())], [whole(4).build()], 1],
    ['split', t4('m').build(), [busy('m', whole(3).build())], [whole(8).cpuMilli(65_000).build()], 5],
    ['taint', t4('m').tainted('dedicated').build(), [], [whole(1).build()], 8],
    ['model', t4('m').build(), [], [whole(1).models('NVIDIA-L20').build()], 8],
    ['model', t4('m').build(), [], [whole(1).nodeSelector('gpu', 'L20').build()], 8],
    [null, t4('m').build(), [], [whole(4).build(), whole(3).build()], 0],
  ])('are lost to %s', (reason, machine, held, mix, unusable) => {
    const { measure } = measured([machine], held, mix);
    expect(measure.machines).toEqual([
      { machine: 0, idle: 8 - (held[0]?.request.cards.kind === 'whole' ? 3 : 0), unusable, reason },
    ]);
  });

  test('are judged by the request that uses most of them, and by the reason nearest to a fit', () => {
    const mix = [whole(8).build(), whole(1).cpuMilli(40_000).build(), whole(1).models('NVIDIA-L20').build()];
    const held = [{ machine: 'm', request: whole(1).cpuMilli(30_000).build() }];
    expect(measured([t4('m').build()], held, mix).measure.machines).toEqual([
      { machine: 0, idle: 7, unusable: 7, reason: 'cpu' },
    ]);
  });

  test('leave out unhealthy cards, unusable machines and cards held without a place', () => {
    const machines = [
      t4('a').health(0, 'fault').build(),
      t4('b').cordoned().build(),
      t4('c').tainted('x', '', 'NoExecute').build(),
      t4('d', 2).build(),
    ];
    const { measure } = measured(machines, [{ machine: 'd', request: whole(3).build() }], [whole(1).build()]);
    expect([measure.idle, measure.unusable]).toEqual([7, 0]);
  });

  test('are summed by request, with the expected loss of a pod drawn from the mix', () => {
    const { measure } = measured([t4('m').build(), t4('n', 2).build()], [], [whole(8).build(), whole(1).build()]);
    expect(measure.requests.map(({ usable, lost }) => [usable, Object.fromEntries(lost)])).toEqual([
      [8, { split: 2 }],
      [10, {}],
    ]);
    expect(measure.expectedLost).toBe(1);
  });

  test('are summed by whatever the machine tells', () => {
    const machines = [t4('a').inRack('r1').build(), t4('b', 3).inRack('r2').build(), t4('c', 2).inRack('r2').build()];
    const { book, measure } = measured(machines, [], [whole(8).build()]);
    const sums = lossBy(measure.machines, (machine) => book.machines[machine]?.location.rack ?? '');
    expect(
      [...sums].map(([rack, { idle, unusable, byReason }]) => [rack, idle, unusable, Object.fromEntries(byReason)]),
    ).toEqual([
      ['r1', 8, 0, {}],
      ['r2', 5, 5, { split: 5 }],
    ]);
  });
});
