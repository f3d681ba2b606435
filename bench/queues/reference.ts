import type { QueuePolicyName } from '@springtide/lab/queues';

/** Mean JCT in seconds by an independent replay of the same model (shared/design/numbers.md 1.4). */
export const REFERENCE_JCT: Readonly<Record<string, Partial<Record<QueuePolicyName, number>>>> = {
  'philly:seven-weeks': { fifo: 163_053, greedy: 25_594, easy: 30_815, shortest: 16_228, las: 13_972 },
  'philly:ee9e8c': { fifo: 688_844, greedy: 356_312, easy: 432_516, shortest: 219_853, las: 272_508 },
  'philly:6c71a0': { fifo: 629_485, greedy: 146_120, easy: 94_444, shortest: 29_211, las: 26_757 },
};

/** How far a mean may be from the reference. */
export const TOLERANCE = 0.02;

interface Line {
  /** LAS's mean JCT. */
  readonly meanJctSeconds: number;
  /** The delay of large gangs under EASY with exact run times. */
  readonly largeGangDelaySeconds: number;
}

/** What ours is held against (issue 6, line 2). */
export const LINES: Readonly<Record<string, Line>> = {
  'philly:seven-weeks': { meanJctSeconds: 13_972, largeGangDelaySeconds: 109_672 },
  'philly:ee9e8c': { meanJctSeconds: 272_508, largeGangDelaySeconds: 496_874 },
  'philly:6c71a0': { meanJctSeconds: 26_757, largeGangDelaySeconds: 91_572 },
};
