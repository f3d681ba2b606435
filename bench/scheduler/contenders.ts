import type { ControlPlane, Usage } from '@springtide/testkit/controlplane';
import { installScheduler } from '../installed-scheduler.ts';
import type { Running } from '../program.ts';

export interface Contender {
  readonly name: 'springtide' | 'kube-scheduler';
  readonly schedulerName: string;
  readonly start: (plane: ControlPlane) => Promise<Running>;
}

const NOTHING: Usage = { cpuMs: 0, rssBytes: 0, rssPeakBytes: 0 };

/** With the request rate lifted, as large clusters set it: its default of 50 a second would be what is measured. */
const kubeScheduler: Contender = {
  name: 'kube-scheduler',
  schedulerName: 'default-scheduler',
  start: async (plane) => {
    const scheduler = await plane.startKubeScheduler({ qps: 5000, burst: 10_000 });
    return { usage: async () => (await scheduler.usage()) ?? NOTHING, stop: () => scheduler.stop() };
  },
};

const springtide: Contender = {
  name: 'springtide',
  schedulerName: 'springtide',
  start: async (plane) => (await installScheduler(plane))(),
};

export const CONTENDERS: readonly Contender[] = [springtide, kubeScheduler];
