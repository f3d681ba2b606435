import type { QueueAdvice } from '@springtide/core/model';
import { type Language, message } from '../messages/index.ts';
import { quotaAmountText, quotaResourceText } from './jobs.ts';
import { durationText } from './units.ts';

/** One advice on queues, with its figures and what would cure it. */
export function queueAdviceText(language: Language, advice: QueueAdvice): string {
  switch (advice.kind) {
    case 'held-idle': {
      const holders = advice.holders.map(({ job, cards, heldMs }) =>
        message(language, 'queue.advice.holder', { job, cards, time: durationText(heldMs) }),
      );
      return message(language, 'queue.advice.heldIdle', { cards: advice.cards, holders: listed(language, holders) });
    }
    case 'topology': {
      const { queue, job, wait } = advice;
      const { cardsAsked: asked, cardsFree: free, podsPlaced: placed, pods } = wait;
      const where = wait.flavor === '' ? message(language, 'job.anyMachine') : wait.flavor;
      return message(language, 'queue.advice.topology', { queue, job, asked, free, placed, pods, where });
    }
    case 'unused-quota':
      return unusedText(language, advice);
  }
}

function unusedText(language: Language, advice: Extract<QueueAdvice, { readonly kind: 'unused-quota' }>): string {
  const { queue, job, flavor, resource, node } = advice;
  const amountText = (amount: number): string => quotaAmountText(resource, amount);
  const what = {
    queue,
    job,
    flavor,
    resource: quotaResourceText(language, resource),
    short: amountText(advice.short),
    unused: amountText(advice.unused),
  };
  if (advice.keepers.length === 0) return message(language, 'queue.advice.unusedLimited', { ...what, node });
  const keepers = advice.keepers.map((keeper) =>
    message(language, 'queue.advice.keeper', { queue: keeper.queue, amount: amountText(keeper.amount) }),
  );
  return message(language, 'queue.advice.unusedKept', { ...what, keepers: listed(language, keepers) });
}

function listed(language: Language, parts: readonly string[]): string {
  return parts.join(language === 'zh' ? '、' : ', ');
}
