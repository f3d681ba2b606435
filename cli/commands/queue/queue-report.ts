import { queueAdviceOn } from '@springtide/core/advice';
import type { ExpectedStart, QueueAdvice, QueueOverview } from '@springtide/core/model';
import { type Language, message } from '@springtide/wire/messages';
import { type QueueWorld, startsOf } from '../../queues/index.ts';
import { BadInput } from '../../terminal/index.ts';

/** Jobs of each queue that are told of, and of those in all, the first, for which the queues are played forward. */
const WAITING_TOLD = 20;
const STARTS_TOLD = 100;

/** Queues as they stand, what is to be done about them, and when their jobs start. */
export interface QueueReport {
  readonly queues: readonly QueueOverview[];
  readonly advice: readonly QueueAdvice[];
  readonly starts: ReadonlyMap<string, ExpectedStart>;
}

/** Of one queue, or of all; BadInput where there is none of that name. O(jobs log jobs + worlds x starts). */
export function queueReportOf(world: QueueWorld, name: string | undefined, language: Language): QueueReport {
  const all = world.admission.overview(WAITING_TOLD);
  const queues = name === undefined ? all : all.filter(({ queue }) => queue === name);
  if (name !== undefined && queues.length === 0) {
    const known = all.map(({ queue }) => queue).join(', ');
    const key = known === '' ? 'queue.bad.none' : 'queue.bad.unknown';
    throw new BadInput(message(language, key, { name, known }));
  }
  const advice = queueAdviceOn(all, world.admission.idleHolders());
  const asked = queues.flatMap(({ waiting }) => waiting.map(({ job }) => job)).slice(0, STARTS_TOLD);
  return {
    queues,
    advice: advice.filter((each) => name === undefined || each.kind === 'held-idle' || each.queue === name),
    starts: startsOf(world, asked),
  };
}
