import type { ControlPlane } from '@springtide/testkit/controlplane';
import type { Running } from '../program.ts';
import type { Plan, PlannedQueue, WorkloadClass } from './plan.ts';

/** How far a workload is, as its object says it. */
export type Stage = 'waiting' | 'admitted' | 'evicted' | 'finished';

/** A write that the workload's own controller would make. */
export interface Patch {
  readonly path: string;
  readonly body: object;
}

export interface Condition {
  readonly type: string;
  readonly status: 'True' | 'False';
}

/** What is read of a workload, whose ever it is. */
export interface SeenWorkload {
  readonly metadata: {
    readonly namespace: string;
    readonly name: string;
    readonly resourceVersion: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
  readonly status?: {
    readonly state?: string;
    readonly leaves?: string;
    readonly conditions?: readonly Condition[];
  };
}

/** What is made of one: its labels are the benchmark's. */
export interface MadeWorkload {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: object;
}

/** Who admits: its kinds, its queues and its workloads, and how they are read. */
export interface Contender {
  readonly name: string;
  /** Its kinds, cohorts and queues, a namespace a queue. */
  readonly furnish: (plane: ControlPlane, plan: Plan) => Promise<void>;
  readonly start: (plane: ControlPlane) => Running;
  /** Where all workloads are listed and watched. */
  readonly watched: string;
  /** Where workloads of a queue are made. */
  readonly pathOf: (queue: PlannedQueue) => string;
  readonly workload: (name: string, queue: PlannedQueue, kind: WorkloadClass) => MadeWorkload;
  readonly stageOf: (workload: SeenWorkload) => Stage;
  readonly finish: (workload: SeenWorkload) => Patch;
  /** What gives back the quota of an evicted workload; null: its controller has nothing to write. */
  readonly settle: (workload: SeenWorkload) => Patch | null;
}
