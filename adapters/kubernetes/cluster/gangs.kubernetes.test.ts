import type { GangObject } from '@springtide/ports/cluster';
import { Observer } from '@springtide/testkit/conformance/cluster';
import { RealWorld } from '@springtide/testkit/conformance/real-cluster';
import { type ControlPlane, startControlPlane } from '@springtide/testkit/controlplane';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { REFLECTOR_TIMES } from '../watch/reflected.ts';

let plane: ControlPlane;

// Native gangs are off by default, so that this needs a control plane of its own.
beforeAll(async () => {
  plane = await startControlPlane({
    featureGates: { GenericWorkload: true },
    runtimeConfig: { 'scheduling.k8s.io/v1beta1': true },
    auditLevel: 'None',
  });
});

afterAll(() => plane.stop());

async function observed(): Promise<{ world: RealWorld; observer: Observer; gangs: () => Map<string, GangObject> }> {
  const world = await RealWorld.open(plane);
  onTestFinished(() => world.close());
  world.defaults = { reflectorTimes: { ...REFLECTOR_TIMES, absentMs: 500 }, discoveryMs: 200 };
  const observer = await new Observer(world, 'a').sync();
  const gangs = (): Map<string, GangObject> => {
    const seen = observer.log.flatMap((event) => (event.kind === 'gang-seen' ? [event.gang] : []));
    return new Map(seen.map((gang) => [gang.id, gang]));
  };
  return { world, observer, gangs };
}

test('a native group, and the pods that name it', async () => {
  const { world, observer, gangs } = await observed();
  const { namespace, space } = world;
  const group = {
    apiVersion: 'scheduling.k8s.io/v1beta1',
    kind: 'PodGroup',
    metadata: { name: 'g' },
    spec: { schedulingPolicy: { gang: { minCount: 3 } }, disruptionMode: { all: {} } },
  };
  await plane.api.create(`/apis/scheduling.k8s.io/v1beta1/namespaces/${namespace}/podgroups`, group);
  const pod = await space.addPod('a', { spec: { schedulingGroup: { podGroupName: 'g' } } });
  const id = `pod-group:${namespace}/g`;
  await observer.until(() => gangs().has(id) && observer.pods.has(pod.metadata.uid), 'both are seen');
  expect(gangs().get(id)).toMatchObject({ minCount: 3, isEvictedWhole: true, source: 'pod-group' });
  expect(observer.pods.get(pod.metadata.uid)?.gang).toMatchObject({
    id,
    source: 'pod-group',
    name: 'g',
    minCount: null,
  });
});

test('an indexed Job, and the pods that its controller makes', async () => {
  const { world, observer, gangs } = await observed();
  const { namespace } = world;
  const container = { name: 'main', image: 'none.invalid/none' };
  const template = { spec: { restartPolicy: 'Never', schedulerName: 'nobody', containers: [container] } };
  const spec = { completionMode: 'Indexed', completions: 3, parallelism: 3, template };
  await plane.api.create(`/apis/batch/v1/namespaces/${namespace}/jobs`, {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'j' },
    spec,
  });
  const id = `indexed-job:${namespace}/j`;
  const members = (): number => [...observer.pods.values()].filter((pod) => pod.gang?.id === id).length;
  await observer.until(() => gangs().has(id) && members() === 3, 'the gang is whole');
  expect(gangs().get(id)).toMatchObject({ minCount: 3 });
});

test('a kind that is installed later', async () => {
  const { world, observer, gangs } = await observed();
  const group = 'scheduling.x-k8s.io';
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  const names = { plural: 'podgroups', kind: 'PodGroup' };
  const versions = [{ name: 'v1alpha1', served: true, storage: true, schema }];
  const metadata = { name: `podgroups.${group}`, annotations: { 'api-approved.kubernetes.io': 'unapproved, a test' } };
  const definition = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata,
    spec: { group, names, scope: 'Namespaced', versions },
  };
  await plane.api.create('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition);
  const path = `/apis/${group}/v1alpha1/namespaces/${world.namespace}/podgroups`;
  await observer.until(async () => (await plane.api.send({ method: 'GET', path })).status === 200, 'it is served');
  await plane.api.create(path, {
    apiVersion: `${group}/v1alpha1`,
    kind: 'PodGroup',
    metadata: { name: 'g' },
    spec: { minMember: 5 },
  });
  const id = `coscheduling:${world.namespace}/g`;
  await observer.until(() => gangs().has(id), 'the group is seen');
  expect(gangs().get(id)).toMatchObject({ minCount: 5 });
  await plane.api.delete(`/apis/apiextensions.k8s.io/v1/customresourcedefinitions/podgroups.${group}`);
  await observer.until(
    () => observer.log.some((event) => event.kind === 'gang-gone' && event.gang === id),
    'it is gone',
  );
});
