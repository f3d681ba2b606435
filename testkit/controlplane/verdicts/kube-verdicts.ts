import type { ControlPlane } from '../control-plane.ts';
import { until } from '../fixtures/until.ts';
import { NotingExtender } from './noting-extender.ts';

export interface KubeVerdict {
  /** Nodes that passed every filter. */
  readonly feasible: ReadonlySet<string>;
  /** What kube-scheduler says of the pod afterwards, as far as it helps to understand why. */
  readonly message: string;
}

/**
 * What kube-scheduler finds feasible for each pod that waits and names it, all judged against the cluster as it is:
 * nothing is placed and nobody is evicted. By `namespace/name`.
 */
export async function kubeVerdicts(plane: ControlPlane, schedulerName: string): Promise<Map<string, KubeVerdict>> {
  const extender = await NotingExtender.start();
  const scheduler = await plane.startKubeScheduler({
    name: schedulerName,
    extenders: [extender.configuration],
    profile: { percentageOfNodesToScore: 100, plugins: { postFilter: { disabled: [{ name: '*' }] } } },
  });
  try {
    let pods: any[] = [];
    await until('kube-scheduler has judged every pod', async () => {
      const { items } = await plane.api.get('/api/v1/pods');
      pods = (items as any[]).filter(({ spec }) => spec.schedulerName === schedulerName && !spec.nodeName);
      return pods.every((pod) => verdictOf(pod) !== undefined);
    });
    return new Map(
      pods.map((pod) => {
        const id = `${pod.metadata.namespace}/${pod.metadata.name}`;
        return [id, { feasible: new Set(extender.feasible.get(id) ?? []), message: String(verdictOf(pod).message) }];
      }),
    );
  } finally {
    await scheduler.stop();
    await extender.stop();
  }
}

function verdictOf(pod: any): any {
  const isVerdict = ({ type, status }: any): boolean => type === 'PodScheduled' && status === 'False';
  return (pod.status.conditions ?? []).find(isVerdict);
}
