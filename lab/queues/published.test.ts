import { describeWithShared } from '@springtide/testkit/shared';
import { expect, test } from 'vitest';
import { loadQueueTrace, replayQueue, scoreOf, type QueuePolicyName, type QueueScore } from './index.ts';

/** Mean JCT in seconds of an independent replay (shared/design/numbers.md 1.4). */
const REFERENCE = {
  'philly:ee9e8c': { fifo: 688_844, greedy: 356_312, easy: 432_516, shortest: 219_853, las: 272_508 },
  'philly:6c71a0': { fifo: 629_485, greedy: 146_120, easy: 94_444, shortest: 29_211, las: 26_757 },
} as const;
const TOLERANCE = 0.02;

/** Lines for ours: LAS's mean JCT, and the delay of large gangs under EASY with exact run times. */
const LINES = {
  'philly:ee9e8c': { meanJctSeconds: 272_508, largeGangDelaySeconds: 496_874 },
  'philly:6c71a0': { meanJctSeconds: 26_757, largeGangDelaySeconds: 91_572 },
} as const;

describeWithShared('queue policies on two virtual clusters of Philly', (shared) => {
  const traces = new Map(Object.keys(LINES).map((name) => [name, loadQueueTrace(shared, name)]));
  const scoreFor = (name: string, policy: QueuePolicyName): QueueScore => {
    const trace = traces.get(name) ?? null;
    if (trace === null) throw new Error(`there is no trace ${name}`);
    return scoreOf(trace, replayQueue(trace, policy));
  };
  const rows = Object.entries(REFERENCE).flatMap(([name, means]) =>
    Object.entries(means).map(([policy, mean]) => [name, policy as QueuePolicyName, mean] as const),
  );

  test.each(rows)('%s under %s has a mean JCT near %d s (issue 6, line 1)', (name, policy, mean) => {
    const { meanJctSeconds } = scoreFor(name, policy);
    expect(Math.abs(meanJctSeconds / mean - 1)).toBeLessThan(TOLERANCE);
  });

  test.each(Object.entries(LINES))('%s under tide meets both lines (issue 6, line 2)', (name, line) => {
    const score = scoreFor(name, 'tide');
    expect(score.meanJctSeconds / line.meanJctSeconds).toBeLessThanOrEqual(1);
    expect((score.largeGangDelaySeconds ?? Infinity) / line.largeGangDelaySeconds).toBeLessThanOrEqual(1);
    expect(score.preemptionsPerJob).toBeLessThanOrEqual(1.6);
    expect(score.maxPreemptions).toBeLessThanOrEqual(8);
  });
});
