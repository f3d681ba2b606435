import type { IdleHolder, JobStanding, QueueAdvice, QueueOverview, QuotaLack, QuotaUse } from '../model/index.ts';

/** Pods may take so long to be ready before their cards count as held idle. */
const READYING_MS = 120_000;
/** Holders that are named. */
const HOLDERS_MAX = 5;

/**
 * What is wrong with queues although there is capacity (O6), for each with its figures: cards held idle while nobody
 * waits; a head that finds no place although as many cards are free as it asks for; quota unused while the cohort
 * queues. Queues in their order. O(queues x cells).
 */
export function queueAdviceOn(queues: readonly QueueOverview[], holders: readonly IdleHolder[]): QueueAdvice[] {
  const heads = queues.flatMap((queue) => {
    const [head] = queue.waiting;
    return head === undefined ? [] : [{ queue, head }];
  });
  return [
    ...(heads.length === 0 ? heldIdle(holders) : []),
    ...heads.flatMap(({ queue, head }) => tornApart(queue, head).concat(unusedQuota(queues, queue, head))),
  ];
}

function heldIdle(holders: readonly IdleHolder[]): QueueAdvice[] {
  const late = holders.filter(({ heldMs, cards }) => heldMs >= READYING_MS && cards > 0);
  if (late.length === 0) return [];
  const cards = late.reduce((sum, each) => sum + each.cards, 0);
  return [{ kind: 'held-idle', cards, holders: late.slice(0, HOLDERS_MAX) }];
}

function tornApart({ queue }: QueueOverview, { job, wait }: JobStanding): QueueAdvice[] {
  if (wait.kind !== 'place' || wait.cardsAsked === 0 || wait.cardsFree < wait.cardsAsked) return [];
  return [{ kind: 'topology', queue, job, wait }];
}

function unusedQuota(
  queues: readonly QueueOverview[],
  overview: QueueOverview,
  { job, wait }: JobStanding,
): QueueAdvice[] {
  if (wait.kind !== 'quota') return [];
  const { queue, root } = overview;
  const beside = queues.filter((other) => other.root === root && other.queue !== queue);
  return wait.lacks.flatMap((lack) => {
    const { flavor, resource, node, asked, available } = lack;
    const short = asked - available;
    const keepers = amountsOf(beside, lack, ({ kept }) => kept);
    const lendable = sumOf(amountsOf(beside, lack, (use) => use.lendable - use.lent));
    // What is available is its own first, and then what others lend.
    const own = sumOf(amountsOf([overview], lack, (use) => use.lendable + use.kept));
    const beyondReach = lendable - Math.max(0, available - own);
    const unused = lendable + sumOf(keepers);
    if (beyondReach + sumOf(keepers) < short) return [];
    const inWay = beyondReach >= short ? [] : keepers;
    return [{ kind: 'unused-quota', queue, job, flavor, resource, short, unused, keepers: inWay, node }];
  });
}

type Amounts = readonly { readonly queue: string; readonly amount: number }[];

function amountsOf(
  queues: readonly QueueOverview[],
  { flavor, resource }: QuotaLack,
  amountIn: (use: QuotaUse) => number,
): Amounts {
  return queues
    .flatMap(({ queue, uses }) => {
      const use = uses.find((each) => each.flavor === flavor && each.resource === resource);
      const amount = use === undefined ? 0 : amountIn(use);
      return amount > 0 ? [{ queue, amount }] : [];
    })
    .toSorted((left, right) => right.amount - left.amount);
}

function sumOf(amounts: Amounts): number {
  return amounts.reduce((sum, { amount }) => sum + amount, 0);
}
