import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { compareText } from '@springtide/core/base';
import { aPod, aSeenPod, inGang } from '@springtide/testkit/builders';
import { forAll } from '@springtide/testkit/property';
import type { SeenPod } from './index.ts';
import { type Lane, waits, type Waiting, WaitingQueue } from './queue.ts';

const POD = { isOurs: fc.boolean(), isDeleting: fc.boolean(), isFinished: fc.boolean() };

const steps = fc.array(
  fc.record({
    deed: fc.constantFrom('see', 'see', 'see', 'lose', 'try', 'wake', 'wake all'),
    pod: fc.nat(9),
    started: fc.boolean(),
    priority: fc.nat(2),
    createdAtMs: fc.nat(3),
    gang: fc.constantFrom(null, null, 'a', 'b'),
    ...POD,
  }),
  { maxLength: 50 },
);

/** What waits, from nothing but the pods: the queue's twin. */
function allWaiting(pods: Iterable<{ readonly seen: SeenPod; readonly isStarted: boolean }>): Waiting[] {
  const unfinished = [...pods].filter(({ seen }) => !seen.isFinished);
  const groups = Map.groupBy(unfinished, ({ seen }) => (seen.gang === null ? seen.uid : `gang:${seen.gang.id}`));
  const waiting = [...groups].flatMap(([key, members]): Waiting[] => {
    const open = members.filter(({ seen, isStarted }) => !isStarted && waits(seen)).map(({ seen }) => seen);
    if (open.length === 0) return [];
    const started = members.filter(({ isStarted, seen }) => isStarted && !seen.isDeleting && seen.gang !== null).length;
    return [
      {
        key,
        pods: open.toSorted((left, right) => compareText(left.pod.id, right.pod.id)),
        wanted: Math.max(...members.map(({ seen }) => seen.gang?.minCount ?? 1)),
        started,
        priority: Math.max(...open.map(({ pod }) => pod.priority)),
        createdAtMs: Math.min(...open.map(({ createdAtMs }) => createdAtMs)),
        topology: null,
        unknownTopology: '',
      },
    ];
  });
  const isPart = ({ started, wanted }: Waiting): boolean => started > 0 && started < wanted;
  const nameOf = ({ key }: Waiting): string => key.replace('gang:', '');
  return waiting.toSorted(
    (left, right) =>
      Number(isPart(right)) - Number(isPart(left)) ||
      right.priority - left.priority ||
      left.createdAtMs - right.createdAtMs ||
      compareText(nameOf(left), nameOf(right)) ||
      compareText(left.key, right.key),
  );
}

function laneNamed(key: string): Lane {
  return {
    key,
    requestClass: null,
    isHelpedByPods: false,
    cardsAsked: 0,
    refusedAt: -1,
    hopelessAt: -1,
    arrivedAt: -1,
    explained: null,
  };
}

interface Drawn extends Pick<SeenPod, 'isOurs' | 'isDeleting' | 'isFinished' | 'createdAtMs'> {
  readonly pod: number;
  readonly priority: number;
  readonly gang: string | null;
}

function seenOf({ pod, priority, gang, ...rest }: Drawn): SeenPod {
  const membership = gang === null ? null : inGang(gang, 2);
  return aSeenPod({ ...aPod(`p${pod}`).build(), priority }, { ...rest, gang: membership });
}

test('the queue holds what waits, once, and gives it in order, whatever was seen, tried and put to rest', () => {
  forAll(steps, (deeds) => {
    const queue = new WaitingQueue();
    const pods = new Map<string, { readonly seen: SeenPod; readonly isStarted: boolean }>();
    for (const { deed, started, ...drawn } of deeds) {
      const seen = seenOf(drawn);
      if (deed === 'see') {
        pods.set(seen.uid, { seen, isStarted: started });
        queue.set(seen, started);
      } else if (deed === 'lose') {
        pods.delete(seen.uid);
        queue.remove(seen.uid);
      } else if (deed === 'try') {
        const taken = queue.take();
        if (taken !== null) queue.rest(taken.item, queue.laneOf(`lane ${drawn.priority}`, laneNamed));
      } else if (deed === 'wake') queue.wake(({ key }) => key === `lane ${drawn.priority}`);
      else queue.wakeAll();
    }
    queue.wakeAll();
    const given: Waiting[] = [];
    for (let taken = queue.take(); taken !== null; taken = queue.take()) given.push(taken.waiting);
    expect(given).toEqual(allWaiting(pods.values()));
  });
});

test('of a lane the first is tried again, and the next only when that one left', () => {
  const queue = new WaitingQueue();
  const names = ['a', 'b', 'c'];
  const take = (): string | undefined => queue.take()?.item.key;
  for (const [createdAtMs, name] of names.entries()) queue.set(aSeenPod(aPod(name).build(), { createdAtMs }), false);
  for (let taken = queue.take(); taken !== null; taken = queue.take())
    queue.rest(taken.item, queue.laneOf('lane', laneNamed));
  expect([queue.isReady, queue.isResting]).toEqual([false, true]);
  queue.wake(() => true);
  expect([take(), take()]).toEqual(['a', undefined]);
  queue.wake(() => true);
  expect(take()).toBe('a');
  queue.set(aSeenPod(aPod('a').build()), true);
  expect([take(), take()]).toEqual(['b', undefined]);
  queue.remove('b');
  expect([take(), queue.isReady]).toEqual(['c', false]);
  queue.remove('c');
  expect([queue.isReady, queue.isResting]).toEqual([false, false]);
});
