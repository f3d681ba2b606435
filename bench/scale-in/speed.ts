import { mulberry32 } from '@springtide/core/base';
import { chooseScaleIn, type Replica } from '@springtide/core/scale-in';
import { Book, fillBook } from '@springtide/core/state';
import { aMachine, aPod, aRequest, evenly, PRODUCTS } from '@springtide/testkit/builders';
import { median } from '../report.ts';

/** CPU of the thread that decides: a busy machine makes nothing longer. */
export interface ScaleInSpeed {
  readonly replicas: number;
  readonly medianMs: number;
  readonly maxMs: number;
}

const ROUNDS = 21;

/** Half of so many replicas leave a fleet, in the ways that are hardest: whole cards and parts, with and without spread. */
export function speedOf(replicas: number): ScaleInSpeed {
  const times = [1, 4].flatMap((parts) => [false, true].map((isSpread) => timesOf({ replicas, parts, isSpread })));
  const slowest = times.reduce((worst, each) => (median(each) > median(worst) ? each : worst));
  return { replicas, medianMs: median(slowest), maxMs: Math.max(...slowest) };
}

interface Asked {
  readonly replicas: number;
  /** Of a card. */
  readonly parts: number;
  readonly isSpread: boolean;
}

/** Each time on a book made anew, whose making does not count: a webhook decides seldom. */
function timesOf(asked: Asked): number[] {
  return Array.from({ length: ROUNDS }, (_, round) => {
    const { book, replicas } = sceneOf(asked, round);
    const began = process.threadCpuUsage();
    chooseScaleIn(book, replicas, Math.floor(replicas.length / 2), { siblingsOn: new Map(), nowMs: 1 });
    const { user, system } = process.threadCpuUsage(began);
    return (user + system) / 1000;
  });
}

function sceneOf({ replicas: count, parts, isSpread }: Asked, seed: number): { book: Book; replicas: Replica[] } {
  const random = mulberry32(seed);
  const machines = Array.from({ length: count }, (_, i) =>
    aMachine(`m${i}`)
      .labelled('zone', `z${i % 3}`)
      .cards(PRODUCTS.a100, 8)
      .build(),
  );
  const book = new Book(machines);
  const plain = parts === 1 ? aRequest().whole(1) : aRequest().sliceMiB(PRODUCTS.a100.memoryMiB / parts);
  const request = (isSpread ? plain.spread(evenly('zone', { maxSkew: 2 })) : plain).build();
  const pods = Array.from({ length: count }, (_, i) =>
    aPod(`default/p${i}`).labelled('app', 'x').asking(request).build(),
  );
  fillBook(
    book,
    pods.map((pod) => {
      // On a third of the machines, so that there is something to empty.
      const machine = `m${random.below(Math.ceil(count / (3 * Math.max(1, parts / 2))))}`;
      return { pod, machine, isDeleting: false, held: null, fractionGroups: [] };
    }),
  );
  const replicas = pods.map((pod, i): Replica => {
    const machine = book.machines[book.holdings.get(pod.id)?.machine ?? 0]?.id ?? null;
    const state = { machine, phase: 'Running' as const, isReady: true, cost: null };
    return Object.assign(state, { pod, uid: pod.id, createdAtMs: i, readySinceMs: i, restarts: 0 });
  });
  return { book, replicas };
}
