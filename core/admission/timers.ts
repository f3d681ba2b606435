import { excessesOf } from '../quota/index.ts';
import { attempt } from './attempt.ts';
import { agedRank, type Entry, leastImportantFirst } from './entry.ts';
import type { Jobs } from './jobs.ts';

/** Orders to stop one job before whoever waits for its place is let go. */
const STOPS_MAX = 3;
/** Quota that was lowered is looked at again this often while what is too much may not leave yet. */
const LOWERED_MS = 1000;

/** What is due by time, one job after the other. O(log jobs) each. */
export function tendTimers(jobs: Jobs): void {
  for (let entry = jobs.timers.first; entry !== undefined && entry.dueMs <= jobs.nowMs; entry = jobs.timers.first) {
    jobs.timers.take();
    entry.dueMs = Infinity;
    tend(jobs, entry);
  }
}

function tend(jobs: Jobs, entry: Entry): void {
  const { state } = entry.record;
  if (state === 'queued') tendWaiting(jobs, entry);
  // All of its cards are held and not all of its pods are ready: it gives them back (Q1).
  else if (state === 'admitted') jobs.leave(entry, 'not-ready');
  else if (state === 'suspending') tendLeaving(jobs, entry);
}

/** Its rest is over, its deadline has come nearer, or somebody whom it may evict is protected no longer. */
function tendWaiting(jobs: Jobs, entry: Entry): void {
  const { rank, changesAtMs } = agedRank(entry.job, jobs.options.unknownRunMs, jobs.nowMs);
  if (entry.lane === null || rank !== entry.rank) return jobs.line(entry);
  jobs.due(entry, changesAtMs);
  jobs.lines.wake(entry.lane);
}

/** Its grace is over, or the order to stop it came to nothing. */
function tendLeaving(jobs: Jobs, entry: Entry): void {
  const by = entry.leaving?.by ?? null;
  if ((entry.leaving?.stops ?? 0) >= STOPS_MAX && by !== null) jobs.dropAndWait(by);
  jobs.stop(entry);
}

/** Starts those whose victims have left; where the world has moved meanwhile, the rest of the plan is dropped (I10). */
export function redeemReserved(jobs: Jobs): void {
  for (const entry of jobs.reserved) {
    if (entry.victims.some(({ leaving }) => leaving?.by === entry)) continue;
    if (!redeem(jobs, entry)) jobs.dropAndWait(entry);
  }
}

function redeem(jobs: Jobs, entry: Entry): boolean {
  const { fleet, options } = jobs;
  const { option } = entry;
  if (option === null) return false;
  const savepoint = fleet.book.savepoint();
  for (const { pod } of fleet.holdingsOf(entry.id)) fleet.book.release(pod.id);
  fleet.quota.ledger.refund(entry.id);
  const outcome = attempt(fleet, jobs.candidate(entry), option, options.placesPods);
  if (outcome.ok) {
    fleet.book.keep(savepoint);
    jobs.redeem(entry, outcome.value);
    return true;
  }
  fleet.book.rollBack(savepoint);
  return false;
}

/**
 * Evicts what is more than a lowered quota allows, in order: of who borrows most, what has the lowest priority and
 * started last. Those that may not be evicted stay until they end: the excess only shrinks (I4). O(excess x jobs).
 */
export function tendLowered(jobs: Jobs): number {
  if (!jobs.isLowered) return Infinity;
  const { fleet } = jobs;
  const savepoint = fleet.book.savepoint();
  for (const held of jobs.holding.values()) {
    for (const { id, record } of held) {
      if (record.state === 'suspending' && fleet.quota.ledger.charges.has(id)) fleet.quota.ledger.refund(id);
    }
  }
  const victims: Entry[] = [];
  for (let victim = nextOver(jobs); victim !== null; victim = nextOver(jobs)) {
    fleet.quota.ledger.refund(victim.id);
    victims.push(victim);
  }
  const isOver = excessesOf(fleet.quota).length > 0;
  fleet.book.rollBack(savepoint);
  for (const victim of victims) {
    if (victim.record.state === 'reserved') jobs.dropAndWait(victim);
    else jobs.leave(victim, 'quota-lowered');
  }
  jobs.isLowered = isOver;
  return isOver ? jobs.nowMs + LOWERED_MS : Infinity;
}

function nextOver(jobs: Jobs): Entry | null {
  const { quota } = jobs.fleet;
  for (const { flavor, resource, from } of excessesOf(quota)) {
    for (const queue of from) {
      const slot = quota.tree.slotOf(queue, flavor, resource);
      const uses = ({ id }: Entry): boolean => quota.ledger.charges.get(id)?.slots.includes(slot) === true;
      const own = [...(jobs.holding.get(queue) ?? [])].filter(
        (entry) => uses(entry) && jobs.protectedUntilMs(entry) <= jobs.nowMs,
      );
      const [victim] = own.toSorted(leastImportantFirst);
      if (victim !== undefined) return victim;
    }
  }
  return null;
}
