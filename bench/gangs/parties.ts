import type { ControlPlane, Usage } from '@springtide/testkit/controlplane';
import { installScheduler } from '../installed-scheduler.ts';

/** A scheduler that runs, as a process of its own. */
export interface Running {
  /** What it has used so far; null: not known here. */
  readonly usage: () => Promise<Usage | null>;
  readonly stop: () => Promise<void>;
}

/** A scheduler that takes part. */
export interface Party {
  readonly schedulerName: string;
  /** Does what is done once, before the time that counts, and returns what starts it. */
  readonly prepare: (plane: ControlPlane) => Promise<() => Promise<Running>>;
}

/** The program `springtide scheduler`, as it is installed. */
export const springtide: Party = {
  schedulerName: 'springtide',
  prepare: async (plane) => {
    const start = await installScheduler(plane);
    return () => Promise.resolve(start());
  },
};

/** kube-scheduler with gangs of its own. */
export const kubeScheduler: Party = {
  schedulerName: 'kube-gangs',
  prepare: (plane) =>
    Promise.resolve(async () => {
      const featureGates = { GenericWorkload: true };
      const scheduler = await plane.startKubeScheduler({ name: 'kube-gangs', featureGates });
      return { usage: () => scheduler.usage(), stop: () => scheduler.stop() };
    }),
};
