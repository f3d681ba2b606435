import type { JobRefusal, QueuedJob } from '../model/index.ts';

/** Pods of one job, at most: what a gang of them costs to place is bounded so. */
const PODS_MAX = 20_000;

/** The first field of a submission that cannot be, or null. O(pod sets). */
export function faultIn(job: QueuedJob, nowMs: number): JobRefusal | null {
  const { workload, deadlineMs, minCounts, expectedRunMs } = job;
  if (workload.podSets.length === 0) return field('podSets', '0', 'at least one pod set');
  const seen = new Set<string>();
  let pods = 0;
  for (const [index, { name, count, request }] of workload.podSets.entries()) {
    const path = `podSets[${index}]`;
    if (seen.has(name)) return field(`${path}.name`, name, 'a name of its own');
    seen.add(name);
    if (!isCount(count)) return field(`${path}.count`, count, `a whole number from 1 to ${PODS_MAX}`);
    pods += count;
    const least = minCounts.get(name) ?? count;
    if (!isCount(least) || least > count) return field(`${path}.minCount`, least, `a whole number from 1 to ${count}`);
    for (const [resource, amount] of [['cpuMilli', request.cpuMilli] as const, ...request.resources]) {
      if (!Number.isSafeInteger(amount) || amount < 0) return field(`${path}.${resource}`, amount, AMOUNT);
    }
    const { cards } = request;
    if (cards.kind !== 'none' && !isCount(cards.count)) return field(`${path}.cards`, cards.count, 'at least one card');
  }
  if (pods > PODS_MAX) return field('podSets', pods, `at most ${PODS_MAX} pods`);
  for (const name of minCounts.keys()) if (!seen.has(name)) return field('minCounts', name, 'the name of a pod set');
  if (deadlineMs !== null && !(deadlineMs > nowMs)) return field('deadlineMs', deadlineMs, 'a time to come');
  if (expectedRunMs !== null && !(expectedRunMs > 0)) return field('expectedRunMs', expectedRunMs, 'more than 0');
  return null;
}

const AMOUNT = 'a whole number, 0 or more, below 2^53';

function isCount(count: number): boolean {
  return Number.isInteger(count) && count >= 1 && count <= PODS_MAX;
}

function field(path: string, given: number | string, expected: string): JobRefusal {
  return { kind: 'field', path, given: String(given), expected };
}
