/** Equal workloads that come to each queue, one every `everyMs`. */
export interface WorkloadClass {
  readonly name: string;
  readonly count: number;
  readonly everyMs: number;
  readonly cpu: number;
  readonly runsMs: number;
  readonly priority: number;
}

/** Queues of equal quota in cohorts, and what comes to each of them. */
export interface Plan {
  readonly cohorts: number;
  readonly queuesPerCohort: number;
  readonly nominalCpu: number;
  readonly borrowingCpu: number;
  readonly classes: readonly WorkloadClass[];
}

/** Kueue's published baseline (its v0.17 performance harness, `configs/baseline`): 15,000 workloads. */
export const BASELINE: Plan = {
  cohorts: 5,
  queuesPerCohort: 6,
  nominalCpu: 20,
  borrowingCpu: 100,
  classes: [
    { name: 'small', count: 350, everyMs: 100, cpu: 1, runsMs: 200, priority: 50 },
    { name: 'medium', count: 100, everyMs: 500, cpu: 5, runsMs: 500, priority: 100 },
    { name: 'large', count: 50, everyMs: 1200, cpu: 20, runsMs: 1000, priority: 200 },
  ],
};

/** One queue with room for all that comes to it, as fast as it can be made. */
export const ROOM_FOR_ALL: Plan = {
  cohorts: 1,
  queuesPerCohort: 1,
  nominalCpu: 3000,
  borrowingCpu: 0,
  classes: [{ name: 'one', count: 3000, everyMs: 0, cpu: 1, runsMs: 600_000, priority: 50 }],
};

export interface PlannedQueue {
  readonly name: string;
  readonly cohort: string;
}

export function queuesOf(plan: Plan): PlannedQueue[] {
  const { cohorts, queuesPerCohort } = plan;
  return Array.from({ length: cohorts * queuesPerCohort }, (_, index) => {
    const cohort = `cohort-${Math.floor(index / queuesPerCohort)}`;
    return { cohort, name: `cq-${index % queuesPerCohort}-${cohort}` };
  });
}

export function workloadsIn(plan: Plan): number {
  const perQueue = plan.classes.reduce((sum, { count }) => sum + count, 0);
  return perQueue * plan.cohorts * plan.queuesPerCohort;
}
