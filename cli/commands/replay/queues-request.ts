import { isToldQueue } from '@springtide/lab/estimates';
import { isQueuePolicyName, loadQueueTrace, QUEUE_POLICY_NAMES, queueTraceNames } from '@springtide/lab/queues';
import type { QueuePolicyName, QueueTrace } from '@springtide/lab/queues';
import { message, type Language } from '@springtide/wire/messages';
import { BadInput } from '../../terminal/index.ts';
import { dataFolder, list, type ReplayOptions } from './request.ts';

export const DEFAULT_QUEUES = 'fifo,greedy,easy,shortest,las,tide';
const MACHINES_MAX = 10_000;
/** Options that mean nothing for job traces; silence would mislead. */
const FOREIGN = ['nodes', 'pods', 'placement', 'seeds', 'ties'] as const;

/** Job traces and queue policies to replay, each combination once. */
export interface QueuesRequest {
  readonly traces: readonly QueueTrace[];
  readonly policies: readonly QueuePolicyName[];
}

/** What the options ask for. Throws BadInput for what does not exist, naming what does. */
export function queuesRequestOf(options: ReplayOptions, language: Language): QueuesRequest {
  const foreign = FOREIGN.find((option) => options[option] !== undefined);
  if (foreign !== undefined) throw new BadInput(message(language, 'replayQueues.bad.option', { option: foreign }));
  if (options.trace === undefined) throw new BadInput(message(language, 'replayQueues.bad.noTrace'));
  const machines = options.machines === undefined ? undefined : machinesOf(options.machines, language);
  const policies = policiesOf(options.queue ?? DEFAULT_QUEUES, language);
  if (options.estimates === true && !policies.some(isToldQueue)) {
    throw new BadInput(message(language, 'replayEstimates.bad.queue'));
  }
  const data = dataFolder(options.data);
  const traces = list(options.trace).map((name) => {
    const trace = loadQueueTrace(data, name, machines);
    if (trace === null) throw new BadInput(unknownTrace(data, name, language));
    if (trace.jobs.length === 0) throw new BadInput(message(language, 'replayQueues.bad.noJob', { trace: name }));
    return trace;
  });
  return { traces, policies };
}

function unknownTrace(data: string, name: string, language: Language): string {
  const known = queueTraceNames(data);
  if (known.length === 0) return message(language, 'replayQueues.bad.noData', { folder: data });
  return message(language, 'replayQueues.bad.trace', { name, data, known: known.join(', ') });
}

function policiesOf(text: string, language: Language): readonly QueuePolicyName[] {
  if (text.trim() === 'all') return QUEUE_POLICY_NAMES;
  return list(text).map((name) => {
    if (isQueuePolicyName(name)) return name;
    throw new BadInput(message(language, 'replayQueues.bad.queue', { name, known: QUEUE_POLICY_NAMES.join(', ') }));
  });
}

function machinesOf(text: string, language: Language): number {
  const count = Number(text);
  if (/^\d{1,6}$/.test(text) && count >= 1 && count <= MACHINES_MAX) return count;
  throw new BadInput(message(language, 'replayQueues.bad.machines', { text, max: MACHINES_MAX }));
}
