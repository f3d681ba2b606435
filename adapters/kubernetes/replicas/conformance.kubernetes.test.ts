import { replicasConformance, type ReplicasWorld } from '@springtide/testkit/conformance/replicas';
import { clientOf } from '@springtide/testkit/conformance/real-cluster';
import { controlPlane, podObject, spaceForTest, until } from '@springtide/testkit/controlplane/fixtures';
import { onTestFinished } from 'vitest';
import { DELETION_COST } from '../scale-in-mark.ts';
import { kubernetesReplicas } from './replicas.ts';

const plane = controlPlane();

/** Three replicas on a machine, where KWOK says that they run. */
async function open(): Promise<ReplicasWorld> {
  const space = await spaceForTest(plane);
  const [node = ''] = await space.addNodes(1, { cards: 8 });
  const { client, close } = clientOf(plane.adminKubeconfig);
  onTestFinished(close);
  const { spec } = podObject('', { cards: 1, nodeSelector: space.nodeLabels }) as { readonly spec: object };
  const template = { metadata: { labels: { app: 'x' } }, spec };
  await plane.api.create(`/apis/apps/v1/namespaces/${space.namespace}/deployments`, {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'x' },
    spec: { replicas: 3, selector: { matchLabels: { app: 'x' } }, template },
  });
  await until('there are three', async () => (await space.pods()).length === 3);
  for (const { metadata } of await space.pods()) await space.bind(metadata.name, node);
  const isReady = ({ status }: any): boolean =>
    (status.conditions ?? []).some(({ type, status: value }: any) => type === 'Ready' && value === 'True');
  await until('they run', async () => (await space.pods()).every(isReady));
  return {
    replicas: kubernetesReplicas(client),
    namespace: space.namespace,
    deployment: 'x',
    await: (asked) => asked,
    setCost: async (pod, cost) => {
      const annotations = { [DELETION_COST]: String(cost) };
      await plane.api.patch(`${space.path}/pods/${pod}`, { metadata: { annotations } });
    },
    deletePod: (pod) => plane.api.delete(`${space.path}/pods/${pod}`, { gracePeriodSeconds: 0 }),
  };
}

replicasConformance('a real API server', open);
