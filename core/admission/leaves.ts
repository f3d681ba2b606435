import type { JobLeave } from '../model/index.ts';

/** Reasons that are others', not the job's own. */
const EVICTIONS: ReadonlySet<JobLeave> = new Set(['reclaimed', 'preempted', 'quota-lowered']);

/** Whether it leaves for others: that counts as an eviction, and it is asked for a checkpoint before it is stopped. */
export function isEviction(reason: JobLeave): boolean {
  return EVICTIONS.has(reason);
}
