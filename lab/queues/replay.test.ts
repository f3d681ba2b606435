import { byAttainedService, LAS, TIDE } from '@springtide/core/queue-order';
import { describe, expect, test } from 'vitest';
import { replayEvents, type QueueTrace, type WaitingLine } from './index.ts';
import { replayRounds } from './replay-rounds.ts';

const HOUR_MS = 3_600_000;

function traceOf(machines: number, ...jobs: readonly (readonly [atMs: number, runTimeMs: number, cards: number])[]) {
  const trace: QueueTrace = {
    name: 'made-up',
    machines,
    jobs: jobs.map(([submittedAtMs, runTimeMs, cards], index) => ({
      index,
      submittedAtMs,
      runTimeMs,
      cards,
      tenant: 't',
    })),
  };
  return trace;
}

describe('a replay with preemption', () => {
  const long = traceOf(1, [0, 30 * HOUR_MS, 8], [20 * HOUR_MS, HOUR_MS / 10, 8]);
  const endsOf = (order: Parameters<typeof replayRounds>[1]) =>
    replayRounds(long, order)
      .toSorted((left, right) => left.job.index - right.job.index)
      .map(({ endedAtMs, preemptions }) => [endedAtMs / HOUR_MS, preemptions]);

  test('lets what has had less go first, and costs what is displaced 30 s', () => {
    const afterBreak = 30 + 0.1 + 30 / 3600;
    const [first, second] = endsOf(byAttainedService(LAS));
    expect(second).toEqual([20.1, 0]);
    // The break ends with a round: the displaced job goes on at the next minute.
    expect(first?.[0]).toBeGreaterThanOrEqual(afterBreak);
    expect(first?.[0]).toBeLessThan(afterBreak + 2 / 60);
    expect(first?.[1]).toBe(1);
  });

  test('displaces nothing within the quantum of its start, nor more often than the cap', () => {
    expect(endsOf(byAttainedService({ ...TIDE, quantumMs: 40 * HOUR_MS }))[0]).toEqual([30, 0]);
    expect(endsOf(byAttainedService({ ...TIDE, evictionsMax: 0 }))[0]).toEqual([30, 0]);
  });

  test('holds cards only up to the last submission in its score', () => {
    const held = replayRounds(long, byAttainedService(LAS)).map(({ heldCardMs }) => heldCardMs);
    expect(held.reduce((sum, each) => sum + each, 0)).toBe(8 * 20 * HOUR_MS);
  });
});

describe('a copy of a waiting line', () => {
  test('goes on alone, with the times that are assumed for it', () => {
    const trace = traceOf(1, [0, 1000, 8], [10, 500, 8], [20, 500, 1]);
    const told: number[] = [];
    const replayForward = (line: WaitingLine, nowMs: number, cards: number): number => {
      const copy = line.copy(nowMs, { remainingMs: () => 2000, runTimeMs: () => 100 });
      for (let atMs = nowMs; atMs < Infinity; atMs = copy.nextEndMs) {
        copy.end(atMs);
        copy.start(atMs);
        if (copy.wouldStart(cards)) return atMs;
      }
      return Infinity;
    };
    const policy = { passing: 'none', runTimes: 'exact', isShortestFirst: false } as const;
    const outcomes = replayEvents(trace, policy, {
      arrives: ({ cards }, line, nowMs) => told.push(replayForward(line, nowMs, cards)),
    });
    expect(told).toEqual([0, 2010, 2120]);
    expect(outcomes.map(({ endedAtMs }) => endedAtMs)).toEqual([1000, 1500, 2000]);
  });
});
