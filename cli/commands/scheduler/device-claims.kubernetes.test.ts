import { readKubeconfig } from '@springtide/adapters/kubernetes/client';
import type { SchedulerService } from '@springtide/services/scheduler';
import { controlPlane, DeviceScene, exactly, type Space, until } from '@springtide/testkit/controlplane/fixtures';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { schedulerOn } from './index.ts';

/** What becomes of claims for devices: cases from the documentation of `resource.k8s.io/v1`. */

const NAME = 'springtide-claims';
const NO_DEVICES = 'no free devices for its resource claims';
const plane = controlPlane();
let service: SchedulerService;

async function startScheduler(): Promise<SchedulerService> {
  const config = readKubeconfig({ path: plane.adminKubeconfig });
  if (!config.ok) throw new Error(config.error.message);
  const started = schedulerOn(config.value, { name: NAME, leaseNamespace: 'kube-system' });
  started.start();
  await until('the scheduler leads', async () => Promise.resolve(started.isLeading));
  return started;
}

beforeAll(async () => {
  service = await startScheduler();
});

afterAll(async () => service.stop());

function sceneForTest(nodesCount = 1): Promise<DeviceScene> {
  return DeviceScene.open(plane, NAME, nodesCount);
}

describe('what is not handled', () => {
  test('DRA: a selector outside the subset is refused by name, with its place', async () => {
    const scene = await sceneForTest();
    const { devices, nodes } = scene;
    await devices.publishOn(nodes[0] ?? '', 1);
    const gpu = await devices.addClass();
    const selectors = [{ cel: { expression: 'ip("10.0.0.1").family() == 4' } }];
    await devices.addClaim('odd', { requests: [exactly('gpu', gpu, { selectors })] });
    await scene.addUser('a', ['odd']);
    const told = await scene.untilTold('a', 'resource claim odd has a selector that is not understood');
    expect(told).toContain(
      'at spec.devices.requests[0].exactly.selectors[0].cel.expression: ip("10.0.0.1").family() == 4',
    );
  });

  test('DRA: a selector that fails on a device passes it over, and says so where nothing else is left', async () => {
    const scene = await sceneForTest();
    const { devices, nodes } = scene;
    await devices.publish('pool', [{ name: 'bare' }], { nodeName: nodes[0] });
    const gpu = await devices.addClass('named', [`device.attributes["${devices.driver}"].model == "a"`]);
    await devices.addClaim('c', { requests: [exactly('gpu', gpu)] });
    await scene.addUser('a', ['c']);
    const told = await scene.untilTold('a', 'No such key: model');
    expect(told).toContain(NO_DEVICES);
    expect(told).toContain(`${devices.driver}/pool/bare`);
  });

  test('DRA: what a request asks for that is not handled is refused by name', async () => {
    const scene = await sceneForTest();
    const { devices, nodes } = scene;
    await devices.publishOn(nodes[0] ?? '', 1);
    const gpu = await devices.addClass();
    const capacity = { requests: { memory: '1Gi' } };
    await devices.addClaim('part', { requests: [exactly('gpu', gpu, { capacity })] });
    await scene.addUser('a', ['part']);
    await scene.untilTold(
      'a',
      'resource claim part asks at spec.devices.requests[0].exactly.capacity for what this scheduler does not handle',
    );
  });
});

describe('claims', () => {
  test('DRA: pods share a claim where its devices are, and it is free when the last of them is gone', async () => {
    const scene = await sceneForTest(3);
    const { devices, nodes } = scene;
    for (const node of nodes) await devices.publishOn(node, 1);
    const gpu = await devices.addClass();
    await devices.addClaim('shared', { requests: [exactly('gpu', gpu)] });
    const names = ['a', 'b', 'c'];
    await Promise.all(names.map((name) => scene.addUser(name, ['shared'])));
    const placed = await Promise.all(names.map((name) => scene.untilPlaced(name)));
    expect(new Set(placed.map((pod) => pod.spec.nodeName)).size).toBe(1);
    const { reservedFor } = (await devices.claim('shared')).status;
    expect(reservedFor.map(({ name }: any) => name).toSorted()).toEqual(names);
    for (const name of names) await scene.deletePod(name);
    await scene.untilFree('shared');
  });

  test('DRA: a claim or class that is missing is named, and its coming helps; a claim may go meanwhile', async () => {
    const scene = await sceneForTest();
    const { space, devices, nodes } = scene;
    await devices.publishOn(nodes[0] ?? '', 1);
    await scene.addUser('a', ['late']);
    await scene.untilTold('a', 'there is no resource claim late');
    const request = exactly('gpu', `soon-${space.id}`);
    await devices.addClaim('late', { requests: [request] });
    await scene.untilTold('a', `make soon-${space.id}`);
    await devices.deleteClaim('late');
    await scene.untilTold('a', 'there is no resource claim late');
    await devices.addClaim('late', { requests: [request] });
    await devices.addClass('soon');
    await scene.untilPlaced('a');
  });

  test('DRA: a claim that was allocated before a scheduler died is used, or freed where its pod cannot go to it', async () => {
    const scene = await sceneForTest(2);
    const { space, devices, nodes } = scene;
    const [first = '', second = ''] = nodes;
    for (const node of nodes) await devices.publishOn(node, 1);
    const gpu = await devices.addClass();
    await service.stop();
    for (const [pod = '', claim = ''] of [
      ['a', 'x'],
      ['b', 'y'],
    ]) {
      await devices.addClaim(claim, { requests: [exactly('gpu', gpu)] });
      await scene.addUser(pod, [claim]);
    }
    // Both as a scheduler leaves them that dies before the bind; then the second's node takes nobody any more.
    await allocate(space, devices, 'x', 'a', first);
    await allocate(space, devices, 'y', 'b', second);
    await plane.api.patch(`/api/v1/nodes/${second}`, { spec: { unschedulable: true } });
    service = await startScheduler();
    expect((await scene.untilPlaced('a')).spec.nodeName).toBe(first);
    await until('the claim that nobody can use is free', async () => {
      return (await devices.claim('y')).status?.allocation === undefined;
    });
    await scene.deletePod('a');
    expect((await scene.untilPlaced('b')).spec.nodeName).toBe(first);
  });
});

/** Gives a claim a device and reserves it for a pod, as a scheduler does before it binds. */
async function allocate(
  space: Space,
  { driver }: DeviceScene['devices'],
  claim: string,
  pod: string,
  node: string,
): Promise<void> {
  const { metadata } = await space.pod(pod);
  const onNode = { key: 'metadata.name', operator: 'In', values: [node] };
  const allocation = {
    devices: { results: [{ request: 'gpu', driver, pool: node, device: 'gpu-0' }] },
    nodeSelector: { nodeSelectorTerms: [{ matchFields: [onNode] }] },
  };
  const reservedFor = [{ resource: 'pods', name: pod, uid: metadata.uid }];
  const path = `/apis/resource.k8s.io/v1/namespaces/${space.namespace}/resourceclaims/${claim}`;
  const finalizers = ['resource.kubernetes.io/delete-protection'];
  await plane.api.patch(path, { metadata: { finalizers } });
  await plane.api.patch(`${path}/status`, { status: { allocation, reservedFor } });
}

/** Lets nobody bind the pods of a space, until it is called again. */
async function forbidBinds(space: Space): Promise<() => Promise<void>> {
  const api = '/apis/admissionregistration.k8s.io/v1';
  const name = `no-binds-${space.id}`;
  const rule = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods/binding'] };
  const apiVersion = 'admissionregistration.k8s.io/v1';
  const validations = [{ expression: 'false', message: 'nobody binds here' }];
  const spec = { failurePolicy: 'Fail', matchConstraints: { resourceRules: [rule] }, validations };
  await plane.api.create(`${api}/validatingadmissionpolicies`, {
    apiVersion,
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name },
    spec,
  });
  const namespaceSelector = { matchLabels: space.nodeLabels };
  await plane.api.create(`${api}/validatingadmissionpolicybindings`, {
    apiVersion,
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: { name },
    spec: { policyName: name, validationActions: ['Deny'], matchResources: { namespaceSelector } },
  });
  const allow = async (): Promise<void> => {
    await plane.api.delete(`${api}/validatingadmissionpolicybindings/${name}`);
    await plane.api.delete(`${api}/validatingadmissionpolicies/${name}`);
  };
  onTestFinished(allow);
  await space.addPod('probe');
  const probe = {
    apiVersion: 'v1',
    kind: 'Binding',
    metadata: { name: 'probe' },
    target: { kind: 'Node', name: 'none' },
  };
  await until('binds are forbidden', async () => {
    const path = `${space.path}/pods/probe/binding?dryRun=All`;
    return (await plane.api.send({ method: 'POST', path, body: probe })).status === 422;
  });
  return allow;
}

test('DRA: a bind that fails gives back what its claim had got, and the pod is placed once binds go through', async () => {
  const scene = await sceneForTest();
  const { space, devices, nodes } = scene;
  await devices.publishOn(nodes[0] ?? '', 1);
  const gpu = await devices.addClass();
  const allowBinds = await forbidBinds(space);
  await devices.addClaim('c', { requests: [exactly('gpu', gpu)] });
  await scene.addUser('a', ['c']);
  const path = `/apis/resource.k8s.io/v1/namespaces/${space.namespace}/resourceclaims`;
  let wasAllocated = false;
  await until('the claim was given its device and gave it back', async () => {
    for await (const event of plane.auditEvents()) {
      if (event.requestURI.startsWith(`${path}/c/status`)) wasAllocated = true;
    }
    return wasAllocated && (await devices.claim('c')).status?.allocation === undefined;
  });
  await allowBinds();
  await scene.untilPlaced('a');
  expect(await scene.given('c')).toEqual(['gpu-0']);
});
