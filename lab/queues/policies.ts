import {
  byAttainedService,
  byRemainingService,
  byRemainingTime,
  LAS,
  TIDE,
  type LevelSettings,
  type QueueOrder,
} from '@springtide/core/queue-order';
import type { JobOutcome } from './queue-job.ts';
import { replayEvents, type EventPolicy } from './replay-events.ts';
import { replayRounds } from './replay-rounds.ts';
import { TIDE_SETTINGS } from './settings.ts';
import type { QueueTrace } from './slices.ts';

type QueuePolicy =
  | ({ readonly acts: 'at-events' } & EventPolicy)
  | { readonly acts: 'in-rounds'; readonly order: QueueOrder; readonly takesFromLast: boolean };

function atEvents(passing: EventPolicy['passing'], runTimes: EventPolicy['runTimes'] = 'exact'): QueuePolicy {
  return { acts: 'at-events', passing, runTimes, isShortestFirst: false };
}

function shortest(runTimes: EventPolicy['runTimes']): QueuePolicy {
  return { acts: 'at-events', passing: 'any', runTimes, isShortestFirst: true };
}

function inRounds(order: QueueOrder): QueuePolicy {
  return { acts: 'in-rounds', order, takesFromLast: false };
}

/** Ours: levels, and cards in use are taken from whoever comes last. */
function tide(settings: LevelSettings): QueuePolicy {
  return { acts: 'in-rounds', order: byAttainedService(settings), takesFromLast: true };
}

/** Queue policies of the replay: baselines, then ours with its settings and with others. */
const POLICIES = {
  fifo: atEvents('none'),
  greedy: atEvents('any'),
  easy: atEvents('easy'),
  'easy-user': atEvents('easy', 'user'),
  'easy-history': atEvents('easy', 'history'),
  shortest: shortest('exact'),
  'shortest-history': shortest('history'),
  srtf: inRounds(byRemainingTime),
  srsf: inRounds(byRemainingService),
  las: inRounds(byAttainedService(LAS)),
  tide: tide(TIDE),
  'tide-8h': inRounds(byAttainedService(TIDE_SETTINGS['tide-8h'])),
  'tide-12h': inRounds(byAttainedService(TIDE_SETTINGS['tide-12h'])),
  'tide-16h': inRounds(byAttainedService(TIDE_SETTINGS['tide-16h'])),
  'tide-7h-growing': inRounds(byAttainedService(TIDE_SETTINGS['tide-7h-growing'])),
  'tide-2h-growing': inRounds(byAttainedService(TIDE_SETTINGS['tide-2h-growing'])),
} as const satisfies Readonly<Record<string, QueuePolicy>>;

export type QueuePolicyName = keyof typeof POLICIES;

export function isQueuePolicyName(name: string): name is QueuePolicyName {
  return Object.hasOwn(POLICIES, name);
}

export const QUEUE_POLICY_NAMES = Object.keys(POLICIES) as readonly QueuePolicyName[];

/** Replays a trace under a policy: one outcome for each job, in the order in which they end. */
export function replayQueue(trace: QueueTrace, name: QueuePolicyName): JobOutcome[] {
  const policy: QueuePolicy = POLICIES[name];
  return policy.acts === 'at-events'
    ? replayEvents(trace, policy)
    : replayRounds(trace, policy.order, policy.takesFromLast);
}
