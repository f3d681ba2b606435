import type { Command } from 'commander';

/** What `cli/commands/<name>/index.ts` exports: `define` adds arguments, options and the action. */
export interface CommandModule {
  define(command: Command): void;
}

export interface CommandEntry {
  readonly name: string;
  /** One line for `springtide --help`, which loads no command. */
  readonly summary: string;
  readonly load: () => Promise<CommandModule>;
}

/** Every subcommand, in the order of the help. */
export const commands: readonly CommandEntry[] = [
  {
    name: 'replay',
    summary: 'replay a trace, or the sample day, under several placement or queue policies',
    load: () => import('./replay/index.ts'),
  },
  {
    name: 'inspect',
    summary: 'show where the cards of a cluster are lost: a live one, or a kubectl dump',
    load: () => import('./inspect/index.ts'),
  },
  {
    name: 'place',
    summary: 'tell where a pod, Deployment, Job or gang would go in a cluster, or why not',
    load: () => import('./place/index.ts'),
  },
  {
    name: 'explain',
    summary: 'tell why a pod or a queued job of a cluster waits and until when, or why it is where it is',
    load: () => import('./explain/index.ts'),
  },
  {
    name: 'queue',
    summary: 'show what queues own, use, borrow and lend, what waits in them and until when, and advice',
    load: () => import('./queue/index.ts'),
  },
  {
    name: 'submit',
    summary: 'tell when a job would start, by flavor, and what it would cost, without submitting it',
    load: () => import('./submit/index.ts'),
  },
  {
    name: 'scale-in',
    summary: 'show which replicas of a workload leave so that most whole cards and machines are freed',
    load: () => import('./scale-in/index.ts'),
  },
  {
    name: 'doctor',
    summary: 'tell whether a Kubernetes cluster is fit for the scheduler, and what to do where it is not',
    load: () => import('./doctor/index.ts'),
  },
  {
    name: 'install',
    summary: 'install the scheduler in a Kubernetes cluster, or print its manifests',
    load: () => import('./install/index.ts'),
  },
  {
    name: 'upgrade',
    summary: 'bring an installed scheduler to the version of this program',
    load: () => import('./upgrade/index.ts'),
  },
  {
    name: 'uninstall',
    summary: 'remove everything that was installed',
    load: () => import('./uninstall/index.ts'),
  },
  {
    name: 'scheduler',
    summary: 'place pods of a live Kubernetes cluster that name this scheduler',
    load: () => import('./scheduler/index.ts'),
  },
  {
    name: 'webhook',
    summary: 'answer the API server before pods and workloads are written',
    load: () => import('./webhook/index.ts'),
  },
  {
    name: 'queue-controller',
    summary: 'admit the queued jobs of a live Kubernetes cluster: each starts once all of it can run',
    load: () => import('./queue-controller/index.ts'),
  },
  {
    name: 'migrate',
    summary: 'write ours for the queues, cohorts, flavors and priority classes of Kueue',
    load: () => import('./migrate/index.ts'),
  },
  {
    name: 'progress',
    summary: 'take heartbeats and checkpoints of running jobs, and tell which stand still',
    load: () => import('./progress/index.ts'),
  },
  {
    name: 'replay-dump',
    summary: 'decide again, from what /debug/state of a scheduler gave, and compare',
    load: () => import('./replay-dump/index.ts'),
  },
];
