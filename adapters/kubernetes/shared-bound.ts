import type { Card, SharedBound } from '@springtide/core/model';
import { cardResource } from '@springtide/core/vendors';
import type { NodeDraft } from './node.ts';
import type { Problem } from './problem.ts';

/** Labels of a node: how much of each card may be promised, in percent of it, where shared pods are among the holders. */
export const SHARED_MEMORY = 'springtide.io/shared-memory-percent';
export const SHARED_COMPUTE = 'springtide.io/shared-compute-percent';

/** The most that either may say. Memory beyond the card is host memory, which is far slower. */
const PERCENT_MAX = { [SHARED_MEMORY]: 200, [SHARED_COMPUTE]: 1000 } as const;

/** What a node's labels say; 100 is no oversubscription. */
interface Percents {
  readonly memory: number;
  readonly compute: number;
}

export interface Shared {
  readonly cards: readonly Card[];
  readonly problems: readonly Problem[];
}

/**
 * Cards with the bound that their node's labels set. Only cards whose plug-in cuts them by memory and knows a priority
 * are ever oversubscribed: nowhere else does a pod yield. A label that cannot be read sets no bound.
 */
export function withSharedBound({ name, labels }: NodeDraft, cards: readonly Card[]): Shared {
  const problems: Problem[] = [];
  const percentOf = (label: keyof typeof PERCENT_MAX): number => {
    const text = labels.get(label);
    if (text === undefined) return 100;
    const percent = /^\d{1,4}$/.test(text) ? Number(text) : 0;
    if (percent >= 100 && percent <= PERCENT_MAX[label]) return percent;
    problems.push({ problem: 'bad-label', node: name, label, value: text, most: PERCENT_MAX[label] });
    return 100;
  };
  const percents = { memory: percentOf(SHARED_MEMORY), compute: percentOf(SHARED_COMPUTE) };
  if (percents.memory === 100 && percents.compute === 100) return { cards, problems };
  return {
    cards: cards.map((card) => (isSharable(card) ? { ...card, shared: boundOf(card, percents) } : card)),
    problems,
  };
}

function isSharable({ slicing, resource }: Card): boolean {
  return slicing === 'memory' && (cardResource(resource)?.resource.slices?.priority ?? '') !== '';
}

function boundOf({ memoryMiB, computeMilli }: Card, { memory, compute }: Percents): SharedBound {
  return {
    memoryMiB: Math.floor((memoryMiB * memory) / 100),
    computeMilli: Math.floor((computeMilli * compute) / 100),
  };
}
