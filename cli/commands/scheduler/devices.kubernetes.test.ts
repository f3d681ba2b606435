import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { readKubeconfig } from '@springtide/adapters/kubernetes/client';
import type { SchedulerService } from '@springtide/services/scheduler';
import {
  controlPlane,
  Devices,
  type DeviceWish,
  exactly,
  type Space,
  spaceForTest,
  until,
  withClaims,
} from '@springtide/testkit/controlplane/fixtures';
import { schedulerOn } from './index.ts';

/** Cases from the documentation of `resource.k8s.io/v1`, in the order of its fields. */

const NAME = 'springtide-devices';
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

interface Scene {
  readonly space: Space;
  readonly devices: Devices;
  readonly nodes: readonly string[];
}

async function sceneForTest(nodesCount = 1): Promise<Scene> {
  const space = await spaceForTest(plane);
  return { space, devices: new Devices(plane, space), nodes: await space.addNodes(nodesCount) };
}

/** A pod that uses these claims. */
async function addUser(space: Space, name: string, claims: readonly string[], isTemplate = false): Promise<any> {
  return space.addPod(name, { schedulerName: NAME, cpu: '100m', spec: withClaims(claims, isTemplate) });
}

async function untilPlaced(space: Space, name: string): Promise<any> {
  return space.untilPod(name, (pod) => pod.spec.nodeName !== undefined);
}

/** Waits until a pod is told why it waits, and returns that. */
async function untilTold(space: Space, name: string, what: string): Promise<string> {
  const messageOf = (pod: any): string => pod.status.conditions?.[0]?.message ?? '';
  return messageOf(await space.untilPod(name, (pod) => messageOf(pod).includes(what)));
}

async function deletePod(space: Space, name: string): Promise<void> {
  await plane.api.delete(`${space.path}/pods/${name}`, { gracePeriodSeconds: 0 });
}

function devicesOf(claim: any): string[] {
  return (claim.status?.allocation?.devices?.results ?? []).map((result: any) => result.device);
}

const NO_DEVICES = 'no free devices for its resource claims';

describe('exactly', () => {
  test('DRA: so many devices of a class are allocated on one node, reserved for the pod, and free again after it', async () => {
    const { space, devices, nodes } = await sceneForTest(2);
    const [, second = ''] = nodes;
    await devices.publishOn(second, 4);
    const gpu = await devices.addClass();
    await devices.addClaim('two', { requests: [exactly('gpus', gpu, { count: 2 })] });
    const { metadata } = await addUser(space, 'a', ['two']);
    await space.untilPod('a', (pod) => pod.status.phase === 'Running');
    const claim = await devices.claim('two');
    expect((await space.pod('a')).spec.nodeName).toBe(second);
    expect(claim.status.reservedFor).toEqual([{ resource: 'pods', name: 'a', uid: metadata.uid }]);
    const one = { request: 'gpus', driver: devices.driver, pool: second };
    expect(claim.status.allocation.devices.results).toEqual([
      { ...one, device: 'gpu-0' },
      { ...one, device: 'gpu-1' },
    ]);
    const onNode = { key: 'metadata.name', operator: 'In', values: [second] };
    expect(claim.status.allocation.nodeSelector).toEqual({ nodeSelectorTerms: [{ matchFields: [onNode] }] });
    expect(claim.metadata.finalizers).toEqual(['resource.kubernetes.io/delete-protection']);
    await deletePod(space, 'a');
    await until('the claim is free', async () => (await devices.claim('two')).status?.allocation === undefined);
    await addUser(space, 'b', ['two']);
    await untilPlaced(space, 'b');
  });

  test("DRA: claims of a template are the pod's own, and gone with it; pods get each device once", async () => {
    const { space, devices, nodes } = await sceneForTest(2);
    for (const node of nodes) await devices.publishOn(node, 2);
    const gpu = await devices.addClass();
    await devices.addClaim('one', { requests: [exactly('gpu', gpu)] }, true);
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    await Promise.all(names.map((name) => addUser(space, name, ['one'], true)));
    await until('four are placed', async () => {
      return (await space.pods()).filter((pod) => pod.spec.nodeName !== undefined).length === 4;
    });
    const waiting = (await space.pods()).filter((pod) => pod.spec.nodeName === undefined);
    for (const { metadata } of waiting) await untilTold(space, metadata.name, NO_DEVICES);
    const held = (await devices.claims()).flatMap((claim) => {
      return (claim.status?.allocation?.devices.results ?? []).map(({ pool, device }: any) => `${pool}/${device}`);
    });
    expect(held.toSorted()).toEqual(nodes.flatMap((node) => [`${node}/gpu-0`, `${node}/gpu-1`]).toSorted());
    const [running] = (await space.pods()).filter((pod) => pod.spec.nodeName !== undefined);
    await deletePod(space, running.metadata.name);
    await until('a fifth is placed', async () => {
      return (await space.pods()).filter((pod) => pod.spec.nodeName !== undefined).length === 4;
    });
  });

  test('DRA: of two pods that race for the last device one gets it, and the other when that one goes', async () => {
    const { space, devices, nodes } = await sceneForTest();
    await devices.publishOn(nodes[0] ?? '', 1);
    const gpu = await devices.addClass();
    for (const name of ['x', 'y']) await devices.addClaim(name, { requests: [exactly('gpu', gpu)] });
    await Promise.all([addUser(space, 'a', ['x']), addUser(space, 'b', ['y'])]);
    await until('one is placed', async () => (await space.pods()).some((pod) => pod.spec.nodeName !== undefined));
    const [loser] = (await space.pods()).filter((pod) => pod.spec.nodeName === undefined);
    const [winner] = (await space.pods()).filter((pod) => pod.spec.nodeName !== undefined);
    await untilTold(space, loser.metadata.name, NO_DEVICES);
    await deletePod(space, winner.metadata.name);
    await untilPlaced(space, loser.metadata.name);
  });

  test('DRA: selectors of class and request choose by attributes and capacity', async () => {
    const { space, devices, nodes } = await sceneForTest();
    const gpus: DeviceWish[] = [
      { name: 'small', attributes: { productName: 'Example A10', index: 0 }, capacity: { memory: '24Gi' } },
      { name: 'old', attributes: { productName: 'Example V100', index: 1 }, capacity: { memory: '32Gi' } },
      { name: 'large', attributes: { productName: 'Example A100', index: 2 }, capacity: { memory: '80Gi' } },
    ];
    await devices.publish('pool', gpus, { nodeName: nodes[0] });
    const domain = `"${devices.driver}"`;
    const gpu = await devices.addClass('a', [
      `device.attributes[${domain}].productName.lowerAscii().matches("^example a[0-9]+$")`,
    ]);
    const expression = `device.capacity[${domain}].memory.compareTo(quantity("30Gi")) >= 0 && device.attributes[${domain}].index in [1, 2]`;
    await devices.addClaim('c', { requests: [exactly('gpu', gpu, { selectors: [{ cel: { expression } }] })] });
    await addUser(space, 'a', ['c']);
    await untilPlaced(space, 'a');
    expect(devicesOf(await devices.claim('c'))).toEqual(['large']);
  });

  test('DRA: a selector outside the subset is refused by name, with its place', async () => {
    const { space, devices, nodes } = await sceneForTest();
    await devices.publishOn(nodes[0] ?? '', 1);
    const gpu = await devices.addClass();
    const selectors = [{ cel: { expression: 'ip("10.0.0.1").family() == 4' } }];
    await devices.addClaim('odd', { requests: [exactly('gpu', gpu, { selectors })] });
    await addUser(space, 'a', ['odd']);
    const told = await untilTold(space, 'a', 'resource claim odd has a selector that is not understood');
    expect(told).toContain(
      'at spec.devices.requests[0].exactly.selectors[0].cel.expression: ip("10.0.0.1").family() == 4',
    );
  });

  test('DRA: a selector that fails on a device passes it over, and says so where nothing else is left', async () => {
    const { space, devices, nodes } = await sceneForTest();
    await devices.publish('pool', [{ name: 'bare' }], { nodeName: nodes[0] });
    const gpu = await devices.addClass('named', [`device.attributes["${devices.driver}"].model == "a"`]);
    await devices.addClaim('c', { requests: [exactly('gpu', gpu)] });
    await addUser(space, 'a', ['c']);
    const told = await untilTold(space, 'a', 'No such key: model');
    expect(told).toContain(`${NO_DEVICES}`);
    expect(told).toContain(`${devices.driver}/pool/bare`);
  });

  test('DRA: All takes every device that a node has, and none where one is taken', async () => {
    const { space, devices, nodes } = await sceneForTest(2);
    for (const node of nodes) await devices.publishOn(node, 3);
    const gpu = await devices.addClass();
    await devices.addClaim('one', { requests: [exactly('gpu', gpu)] });
    await addUser(space, 'single', ['one']);
    const { nodeName } = (await untilPlaced(space, 'single')).spec;
    const all = { requests: [exactly('gpus', gpu, { allocationMode: 'All' })] };
    for (const name of ['x', 'y']) await devices.addClaim(name, all);
    await addUser(space, 'a', ['x']);
    const first = await untilPlaced(space, 'a');
    expect(first.spec.nodeName).not.toBe(nodeName);
    expect(devicesOf(await devices.claim('x'))).toEqual(['gpu-0', 'gpu-1', 'gpu-2']);
    await addUser(space, 'b', ['y']);
    await untilTold(space, 'b', NO_DEVICES);
    await deletePod(space, 'single');
    expect((await untilPlaced(space, 'b')).spec.nodeName).toBe(nodeName);
  });

  test('DRA: admin access is to devices that others hold', async () => {
    const { space, devices, nodes } = await sceneForTest();
    const labels = { 'resource.kubernetes.io/admin-access': 'true' };
    await plane.api.patch(`/api/v1/namespaces/${space.namespace}`, { metadata: { labels } });
    await devices.publishOn(nodes[0] ?? '', 2);
    const gpu = await devices.addClass();
    await devices.addClaim('one', { requests: [exactly('gpu', gpu)] });
    await addUser(space, 'a', ['one']);
    await untilPlaced(space, 'a');
    const more = { allocationMode: 'All', adminAccess: true };
    await devices.addClaim('watch', { requests: [exactly('gpus', gpu, more)] });
    await addUser(space, 'monitor', ['watch']);
    await untilPlaced(space, 'monitor');
    const { results } = (await devices.claim('watch')).status.allocation.devices;
    expect(results.map(({ device, adminAccess }: any) => [device, adminAccess])).toEqual([
      ['gpu-0', true],
      ['gpu-1', true],
    ]);
    await devices.addClaim('other', { requests: [exactly('gpu', gpu)] });
    await addUser(space, 'b', ['other']);
    await untilPlaced(space, 'b');
  });

  test('DRA: what a request asks for that is not handled is refused by name', async () => {
    const { space, devices, nodes } = await sceneForTest();
    await devices.publishOn(nodes[0] ?? '', 1);
    const gpu = await devices.addClass();
    const capacity = { requests: { memory: '1Gi' } };
    await devices.addClaim('part', { requests: [exactly('gpu', gpu, { capacity })] });
    await addUser(space, 'a', ['part']);
    await untilTold(
      space,
      'a',
      'resource claim part asks at spec.devices.requests[0].exactly.capacity for what this scheduler does not handle',
    );
  });
});

describe('taints', () => {
  test('DRA: a tainted device is given to those that tolerate it, whoever tainted it', async () => {
    const { space, devices, nodes } = await sceneForTest();
    const taints = [{ key: 'example.com/sick', effect: 'NoSchedule' }];
    await devices.publish('pool', [{ name: 'sick', more: { taints } }, { name: 'well' }], { nodeName: nodes[0] });
    const rule = {
      apiVersion: 'resource.k8s.io/v1',
      kind: 'DeviceTaintRule',
      metadata: { name: `rule-${space.id}` },
      spec: {
        deviceSelector: { driver: devices.driver, device: 'well' },
        taint: { key: 'kept', effect: 'NoSchedule' },
      },
    };
    await plane.api.create('/apis/resource.k8s.io/v1/devicetaintrules', rule);
    const gpu = await devices.addClass();
    await devices.addClaim('plain', { requests: [exactly('gpu', gpu)] });
    await addUser(space, 'a', ['plain']);
    await untilTold(space, 'a', NO_DEVICES);
    const tolerations = [{ key: 'example.com/sick', operator: 'Exists' }];
    await devices.addClaim('brave', { requests: [exactly('gpu', gpu, { tolerations })] });
    await addUser(space, 'b', ['brave']);
    await untilPlaced(space, 'b');
    const [result] = (await devices.claim('brave')).status.allocation.devices.results;
    expect(result).toMatchObject({ device: 'sick', tolerations });
    await plane.api.delete(`/apis/resource.k8s.io/v1/devicetaintrules/rule-${space.id}`);
    await untilPlaced(space, 'a');
    expect(devicesOf(await devices.claim('plain'))).toEqual(['well']);
  });
});

describe('firstAvailable', () => {
  test('DRA: the first that can be had is taken, and named in the allocation', async () => {
    const { space, devices, nodes } = await sceneForTest();
    const sized = (name: string, size: string): DeviceWish => ({ name, attributes: { size } });
    await devices.publish('pool', [sized('s0', 's'), sized('s1', 's'), sized('l0', 'l')], { nodeName: nodes[0] });
    const large = await devices.addClass('large', [`device.attributes["${devices.driver}"].size == "l"`]);
    const small = await devices.addClass('small', [`device.attributes["${devices.driver}"].size == "s"`]);
    const firstAvailable = [
      { name: 'large', deviceClassName: large },
      { name: 'small', deviceClassName: small, count: 2 },
    ];
    for (const name of ['x', 'y']) await devices.addClaim(name, { requests: [{ name: 'gpu', firstAvailable }] });
    await addUser(space, 'a', ['x']);
    await untilPlaced(space, 'a');
    await addUser(space, 'b', ['y']);
    await untilPlaced(space, 'b');
    const given = async (name: string): Promise<string[]> => {
      const { results } = (await devices.claim(name)).status.allocation.devices;
      return results.map(({ request, device }: any) => `${request}: ${device}`);
    };
    expect(await given('x')).toEqual(['gpu/large: l0']);
    expect(await given('y')).toEqual(['gpu/small: s0', 'gpu/small: s1']);
  });
});

describe('constraints', () => {
  test('DRA: matchAttribute takes devices that have it alike, distinctAttribute such that differ', async () => {
    const { space, devices, nodes } = await sceneForTest();
    const at = (name: string, type: string, numa: number): DeviceWish => ({ name, attributes: { type, numa } });
    const list = [at('gpu-a', 'gpu', 0), at('gpu-b', 'gpu', 1), at('gpu-c', 'gpu', 1), at('nic-a', 'nic', 1)];
    await devices.publish('pool', list, { nodeName: nodes[0] });
    const of = (type: string): Promise<string> =>
      devices.addClass(type, [`device.attributes["${devices.driver}"].type == "${type}"`]);
    const [gpu, nic] = [await of('gpu'), await of('nic')];
    const numa = `${devices.driver}/numa`;
    await devices.addClaim('near', {
      requests: [exactly('gpu', gpu), exactly('nic', nic)],
      constraints: [{ requests: ['gpu', 'nic'], matchAttribute: numa }],
    });
    await addUser(space, 'a', ['near']);
    await untilPlaced(space, 'a');
    expect(devicesOf(await devices.claim('near'))).toEqual(['gpu-b', 'nic-a']);
    await devices.addClaim('apart', {
      requests: [exactly('gpus', gpu, { count: 2 })],
      constraints: [{ distinctAttribute: numa }],
    });
    await addUser(space, 'b', ['apart']);
    await untilPlaced(space, 'b');
    expect(devicesOf(await devices.claim('apart'))).toEqual(['gpu-a', 'gpu-c']);
  });
});

describe('config', () => {
  test('DRA: what class and claim tell drivers is copied, for the requests that it is for', async () => {
    const { space, devices, nodes } = await sceneForTest();
    await devices.publishOn(nodes[0] ?? '', 2);
    const opaque = (mode: string): object => ({ opaque: { driver: devices.driver, parameters: { mode } } });
    const gpu = await devices.addClass('gpu', [], { config: [opaque('class')] });
    await devices.addClaim('c', {
      requests: [exactly('one', gpu), exactly('two', gpu)],
      config: [opaque('every'), { requests: ['two'], ...opaque('second') }],
    });
    await addUser(space, 'a', ['c']);
    await untilPlaced(space, 'a');
    expect((await devices.claim('c')).status.allocation.devices.config).toEqual([
      { source: 'FromClass', requests: ['one', 'two'], ...opaque('class') },
      { source: 'FromClaim', ...opaque('every') },
      { source: 'FromClaim', requests: ['two'], ...opaque('second') },
    ]);
  });
});

describe('pools', () => {
  test('DRA: nothing is taken from a pool before all of its slices are there', async () => {
    const { space, devices, nodes } = await sceneForTest();
    const pool = { name: 'pool', generation: 2, resourceSliceCount: 2 };
    await devices.publish('pool-1', [{ name: 'a' }], { nodeName: nodes[0], pool });
    const gpu = await devices.addClass();
    await devices.addClaim('c', { requests: [exactly('gpu', gpu)] });
    await addUser(space, 'a', ['c']);
    await untilTold(space, 'a', NO_DEVICES);
    await devices.publish('pool-2', [{ name: 'b' }], { nodeName: nodes[0], pool });
    await untilPlaced(space, 'a');
    expect(devicesOf(await devices.claim('c'))).toEqual(['a']);
  });

  test('DRA: devices for all nodes, or for those of a selector, are given wherever they can be used', async () => {
    const { space, devices, nodes } = await sceneForTest(3);
    const [first = '', second = ''] = nodes;
    await devices.publish('everywhere', [{ name: 'net', attributes: { type: 'net' } }], { allNodes: true });
    const some = { key: 'kubernetes.io/hostname', operator: 'In', values: [first, second] };
    const nodeSelector = { nodeSelectorTerms: [{ matchExpressions: [some] }] };
    await devices.publish('some', [{ name: 'disk', attributes: { type: 'disk' } }], { nodeSelector });
    const of = (type: string): Promise<string> =>
      devices.addClass(type, [`device.attributes["${devices.driver}"].type == "${type}"`]);
    await devices.addClaim('c', { requests: [exactly('net', await of('net')), exactly('disk', await of('disk'))] });
    await addUser(space, 'a', ['c']);
    expect([first, second]).toContain((await untilPlaced(space, 'a')).spec.nodeName);
    expect((await devices.claim('c')).status.allocation.nodeSelector).toEqual(nodeSelector);
    await devices.addClaim('d', { requests: [exactly('net', `net-${space.id}`)] });
    await addUser(space, 'b', ['d']);
    await untilTold(space, 'b', NO_DEVICES);
    await deletePod(space, 'a');
    await untilPlaced(space, 'b');
    expect((await devices.claim('d')).status.allocation.nodeSelector).toBeUndefined();
  });

  test('DRA: devices cut from one card share its counters', async () => {
    const { space, devices, nodes } = await sceneForTest();
    const part = (name: string, memory: string): DeviceWish => {
      const consumesCounters = [{ counterSet: 'card', counters: { memory: { value: memory } } }];
      return { name, attributes: { size: memory }, more: { consumesCounters } };
    };
    const pool = { name: 'pool', generation: 1, resourceSliceCount: 2 };
    const sharedCounters = [{ name: 'card', counters: { memory: { value: '80Gi' } } }];
    await devices.publish('counters', [], { nodeName: nodes[0], pool, sharedCounters, devices: undefined });
    const parts = [part('whole', '80Gi'), part('half-0', '40Gi'), part('half-1', '40Gi')];
    await devices.publish('devices', parts, { nodeName: nodes[0], pool });
    const of = (size: string): Promise<string> =>
      devices.addClass(`s${size.slice(0, 2)}`, [`device.attributes["${devices.driver}"].size == "${size}"`]);
    const [half, whole] = [await of('40Gi'), await of('80Gi')];
    for (const name of ['x', 'y']) await devices.addClaim(name, { requests: [exactly('gpu', half)] });
    await devices.addClaim('z', { requests: [exactly('gpu', whole)] });
    for (const [pod = '', claim = ''] of [
      ['a', 'x'],
      ['b', 'y'],
    ]) {
      await addUser(space, pod, [claim]);
      await untilPlaced(space, pod);
    }
    await addUser(space, 'c', ['z']);
    await untilTold(space, 'c', NO_DEVICES);
    await deletePod(space, 'a');
    await deletePod(space, 'b');
    await untilPlaced(space, 'c');
    expect(devicesOf(await devices.claim('z'))).toEqual(['whole']);
  });
});

describe('claims', () => {
  test('DRA: pods share a claim where its devices are, and it is free when the last of them is gone', async () => {
    const { space, devices, nodes } = await sceneForTest(3);
    for (const node of nodes) await devices.publishOn(node, 1);
    const gpu = await devices.addClass();
    await devices.addClaim('shared', { requests: [exactly('gpu', gpu)] });
    const names = ['a', 'b', 'c'];
    await Promise.all(names.map((name) => addUser(space, name, ['shared'])));
    const placed = await Promise.all(names.map((name) => untilPlaced(space, name)));
    expect(new Set(placed.map((pod) => pod.spec.nodeName)).size).toBe(1);
    const { reservedFor } = (await devices.claim('shared')).status;
    expect(reservedFor.map(({ name }: any) => name).toSorted()).toEqual(names);
    for (const name of names) await deletePod(space, name);
    await until('the claim is free', async () => (await devices.claim('shared')).status?.allocation === undefined);
  });

  test('DRA: a claim or class that is missing is named, and its coming helps; a claim may go meanwhile', async () => {
    const { space, devices, nodes } = await sceneForTest();
    await devices.publishOn(nodes[0] ?? '', 1);
    await addUser(space, 'a', ['late']);
    await untilTold(space, 'a', 'there is no resource claim late');
    const request = exactly('gpu', `soon-${space.id}`);
    await devices.addClaim('late', { requests: [request] });
    await untilTold(space, 'a', `make soon-${space.id}`);
    await devices.deleteClaim('late');
    await untilTold(space, 'a', 'there is no resource claim late');
    await devices.addClaim('late', { requests: [request] });
    await devices.addClass('soon');
    await untilPlaced(space, 'a');
  });

  test('DRA: a claim that was allocated before a scheduler died is used, or freed where its pod cannot go to it', async () => {
    const { space, devices, nodes } = await sceneForTest(2);
    const [first = '', second = ''] = nodes;
    for (const node of nodes) await devices.publishOn(node, 1);
    const gpu = await devices.addClass();
    await service.stop();
    for (const [pod = '', claim = ''] of [
      ['a', 'x'],
      ['b', 'y'],
    ]) {
      await devices.addClaim(claim, { requests: [exactly('gpu', gpu)] });
      await addUser(space, pod, [claim]);
    }
    // Both as a scheduler leaves them that dies before the bind; then the second's node takes nobody any more.
    await allocate(space, devices, 'x', 'a', first);
    await allocate(space, devices, 'y', 'b', second);
    await plane.api.patch(`/api/v1/nodes/${second}`, { spec: { unschedulable: true } });
    service = await startScheduler();
    expect((await untilPlaced(space, 'a')).spec.nodeName).toBe(first);
    await until('the claim that nobody can use is free', async () => {
      return (await devices.claim('y')).status?.allocation === undefined;
    });
    await deletePod(space, 'a');
    expect((await untilPlaced(space, 'b')).spec.nodeName).toBe(first);
  });
});

/** Gives a claim a device and reserves it for a pod, as a scheduler does before it binds. */
async function allocate(space: Space, { driver }: Devices, claim: string, pod: string, node: string): Promise<void> {
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
  const { space, devices, nodes } = await sceneForTest();
  await devices.publishOn(nodes[0] ?? '', 1);
  const gpu = await devices.addClass();
  const allowBinds = await forbidBinds(space);
  await devices.addClaim('c', { requests: [exactly('gpu', gpu)] });
  await addUser(space, 'a', ['c']);
  const path = `/apis/resource.k8s.io/v1/namespaces/${space.namespace}/resourceclaims`;
  let wasAllocated = false;
  await until('the claim was given its device and gave it back', async () => {
    for await (const event of plane.auditEvents()) {
      if (event.requestURI.startsWith(`${path}/c/status`)) wasAllocated = true;
    }
    return wasAllocated && (await devices.claim('c')).status?.allocation === undefined;
  });
  await allowBinds();
  await untilPlaced(space, 'a');
  expect(devicesOf(await devices.claim('c'))).toEqual(['gpu-0']);
});
