import { readKubeconfig } from '@springtide/adapters/kubernetes/client';
import type { SchedulerService } from '@springtide/services/scheduler';
import { controlPlane, DeviceScene, type DeviceWish, exactly, until } from '@springtide/testkit/controlplane/fixtures';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { schedulerOn } from './index.ts';

/** What claims are given: cases from the documentation of `resource.k8s.io/v1`, in the order of its fields. */

const plane = controlPlane();

interface Contender {
  readonly name: string;
  readonly start: (name: string) => Promise<{ readonly stop: () => Promise<void> }>;
  /** Part of what it tells a pod that waits for devices. */
  readonly noDevices: string;
}

/** Kube-scheduler shows that the cases are what the API means, and not only what we think it does. */
const CONTENDERS: readonly Contender[] = [
  { name: 'springtide-devices', start: startOurs, noDevices: 'no free devices for its resource claims' },
  {
    name: 'kube-devices',
    start: (name) => plane.startKubeScheduler({ name }),
    noDevices: 'cannot allocate all claims',
  },
];

async function startOurs(name: string): Promise<SchedulerService> {
  const config = readKubeconfig({ path: plane.adminKubeconfig });
  if (!config.ok) throw new Error(config.error.message);
  const service = schedulerOn(config.value, { name, leaseNamespace: 'kube-system' });
  service.start();
  await until('the scheduler leads', async () => Promise.resolve(service.isLeading));
  return service;
}

describe.each(CONTENDERS)('$name', ({ name: schedulerName, start, noDevices }) => {
  let scheduler: Awaited<ReturnType<Contender['start']>>;

  beforeAll(async () => {
    scheduler = await start(schedulerName);
  });

  afterAll(async () => scheduler.stop());

  describe('exactly', () => {
    test('DRA: so many devices of a class are allocated on one node, reserved for the pod, and free again after it', async () => {
      const scene = await DeviceScene.open(plane, schedulerName, 2);
      const { space, devices, nodes } = scene;
      const [, second = ''] = nodes;
      await devices.publishOn(second, 4);
      const gpu = await devices.addClass();
      await devices.addClaim('two', { requests: [exactly('gpus', gpu, { count: 2 })] });
      const { metadata } = await scene.addUser('a', ['two']);
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
      await scene.deletePod('a');
      await scene.untilFree('two');
      await scene.addUser('b', ['two']);
      await scene.untilPlaced('b');
    });

    test("DRA: claims of a template are the pod's own, and gone with it; pods get each device once", async () => {
      const scene = await DeviceScene.open(plane, schedulerName, 2);
      const { space, devices, nodes } = scene;
      for (const node of nodes) await devices.publishOn(node, 2);
      const gpu = await devices.addClass();
      await devices.addClaim('one', { requests: [exactly('gpu', gpu)] }, true);
      const names = ['a', 'b', 'c', 'd', 'e', 'f'];
      await Promise.all(names.map((name) => scene.addUser(name, ['one'], true)));
      await until('four are placed', async () => {
        return (await space.pods()).filter((pod) => pod.spec.nodeName !== undefined).length === 4;
      });
      const waiting = (await space.pods()).filter((pod) => pod.spec.nodeName === undefined);
      for (const { metadata } of waiting) await scene.untilTold(metadata.name, noDevices);
      const held: string[] = (await devices.claims()).flatMap((claim) => {
        return (claim.status?.allocation?.devices.results ?? []).map(({ pool, device }: any) => `${pool}/${device}`);
      });
      expect(held.toSorted()).toEqual(nodes.flatMap((node) => [`${node}/gpu-0`, `${node}/gpu-1`]).toSorted());
      const running = (await space.pods()).find((pod) => pod.spec.nodeName !== undefined);
      await scene.deletePod(running.metadata.name);
      await until('a fifth is placed', async () => {
        return (await space.pods()).filter((pod) => pod.spec.nodeName !== undefined).length === 4;
      });
    });

    test('DRA: of two pods that race for the last device one gets it, and the other when that one goes', async () => {
      const scene = await DeviceScene.open(plane, schedulerName);
      const { space, devices, nodes } = scene;
      await devices.publishOn(nodes[0] ?? '', 1);
      const gpu = await devices.addClass();
      for (const name of ['x', 'y']) await devices.addClaim(name, { requests: [exactly('gpu', gpu)] });
      await Promise.all([scene.addUser('a', ['x']), scene.addUser('b', ['y'])]);
      await until('one is placed', async () => (await space.pods()).some((pod) => pod.spec.nodeName !== undefined));
      const pods = await space.pods();
      const loser = pods.find((pod) => pod.spec.nodeName === undefined);
      const winner = pods.find((pod) => pod.spec.nodeName !== undefined);
      await scene.untilTold(loser.metadata.name, noDevices);
      await scene.deletePod(winner.metadata.name);
      await scene.untilPlaced(loser.metadata.name);
    });

    test('DRA: selectors of class and request choose by attributes and capacity', async () => {
      const scene = await DeviceScene.open(plane, schedulerName);
      const { devices, nodes } = scene;
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
      await scene.addUser('a', ['c']);
      await scene.untilPlaced('a');
      expect(await scene.given('c')).toEqual(['large']);
    });

    test('DRA: All takes every device that a node has, and none where one is taken', async () => {
      const scene = await DeviceScene.open(plane, schedulerName, 2);
      const { devices, nodes } = scene;
      for (const node of nodes) await devices.publishOn(node, 3);
      const gpu = await devices.addClass();
      await devices.addClaim('one', { requests: [exactly('gpu', gpu)] });
      await scene.addUser('single', ['one']);
      const { nodeName } = (await scene.untilPlaced('single')).spec;
      const all = { requests: [exactly('gpus', gpu, { allocationMode: 'All' })] };
      for (const name of ['x', 'y']) await devices.addClaim(name, all);
      await scene.addUser('a', ['x']);
      const first = await scene.untilPlaced('a');
      expect(first.spec.nodeName).not.toBe(nodeName);
      expect(await scene.given('x')).toEqual(['gpu-0', 'gpu-1', 'gpu-2']);
      await scene.addUser('b', ['y']);
      await scene.untilTold('b', noDevices);
      await scene.deletePod('single');
      expect((await scene.untilPlaced('b')).spec.nodeName).toBe(nodeName);
    });

    test('DRA: admin access is to devices that others hold', async () => {
      const scene = await DeviceScene.open(plane, schedulerName);
      const { space, devices, nodes } = scene;
      const labels = { 'resource.kubernetes.io/admin-access': 'true' };
      await plane.api.patch(`/api/v1/namespaces/${space.namespace}`, { metadata: { labels } });
      await devices.publishOn(nodes[0] ?? '', 2);
      const gpu = await devices.addClass();
      await devices.addClaim('one', { requests: [exactly('gpu', gpu)] });
      await scene.addUser('a', ['one']);
      await scene.untilPlaced('a');
      const more = { allocationMode: 'All', adminAccess: true };
      await devices.addClaim('watch', { requests: [exactly('gpus', gpu, more)] });
      await scene.addUser('monitor', ['watch']);
      await scene.untilPlaced('monitor');
      const { results } = (await devices.claim('watch')).status.allocation.devices;
      expect(results.map(({ device, adminAccess }: any) => [device, adminAccess])).toEqual([
        ['gpu-0', true],
        ['gpu-1', true],
      ]);
      await devices.addClaim('other', { requests: [exactly('gpu', gpu)] });
      await scene.addUser('b', ['other']);
      await scene.untilPlaced('b');
    });
  });

  describe('taints', () => {
    test('DRA: a tainted device is given to those that tolerate it, whoever tainted it', async () => {
      const scene = await DeviceScene.open(plane, schedulerName);
      const { space, devices, nodes } = scene;
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
      await scene.addUser('a', ['plain']);
      await scene.untilTold('a', noDevices);
      const tolerations = [{ key: 'example.com/sick', operator: 'Exists' }];
      await devices.addClaim('brave', { requests: [exactly('gpu', gpu, { tolerations })] });
      await scene.addUser('b', ['brave']);
      await scene.untilPlaced('b');
      const [result] = (await devices.claim('brave')).status.allocation.devices.results;
      expect(result).toMatchObject({ device: 'sick', tolerations });
      await plane.api.delete(`/apis/resource.k8s.io/v1/devicetaintrules/rule-${space.id}`);
      await scene.untilPlaced('a');
      expect(await scene.given('plain')).toEqual(['well']);
    });
  });

  describe('firstAvailable', () => {
    test('DRA: the first that can be had is taken, and named in the allocation', async () => {
      const scene = await DeviceScene.open(plane, schedulerName);
      const { devices, nodes } = scene;
      const sized = (name: string, size: string): DeviceWish => ({ name, attributes: { size } });
      await devices.publish('pool', [sized('s0', 's'), sized('s1', 's'), sized('l0', 'l')], { nodeName: nodes[0] });
      const large = await devices.addClass('large', [`device.attributes["${devices.driver}"].size == "l"`]);
      const small = await devices.addClass('small', [`device.attributes["${devices.driver}"].size == "s"`]);
      const firstAvailable = [
        { name: 'large', deviceClassName: large },
        { name: 'small', deviceClassName: small, count: 2 },
      ];
      for (const name of ['x', 'y']) await devices.addClaim(name, { requests: [{ name: 'gpu', firstAvailable }] });
      await scene.addUser('a', ['x']);
      await scene.untilPlaced('a');
      await scene.addUser('b', ['y']);
      await scene.untilPlaced('b');
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
      const scene = await DeviceScene.open(plane, schedulerName);
      const { devices, nodes } = scene;
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
      await scene.addUser('a', ['near']);
      await scene.untilPlaced('a');
      expect(await scene.given('near')).toEqual(['gpu-b', 'nic-a']);
      await devices.addClaim('apart', {
        requests: [exactly('gpus', gpu, { count: 2 })],
        constraints: [{ distinctAttribute: numa }],
      });
      await scene.addUser('b', ['apart']);
      await scene.untilPlaced('b');
      expect(await scene.given('apart')).toEqual(['gpu-a', 'gpu-c']);
    });
  });

  describe('config', () => {
    test('DRA: what class and claim tell drivers is copied, for the requests that it is for', async () => {
      const scene = await DeviceScene.open(plane, schedulerName);
      const { devices, nodes } = scene;
      await devices.publishOn(nodes[0] ?? '', 2);
      const opaque = (mode: string): object => ({ opaque: { driver: devices.driver, parameters: { mode } } });
      const gpu = await devices.addClass('gpu', [], { config: [opaque('class')] });
      await devices.addClaim('c', {
        requests: [exactly('one', gpu), exactly('two', gpu)],
        config: [opaque('every'), { requests: ['two'], ...opaque('second') }],
      });
      await scene.addUser('a', ['c']);
      await scene.untilPlaced('a');
      expect((await devices.claim('c')).status.allocation.devices.config).toEqual([
        { source: 'FromClass', ...opaque('class') },
        { source: 'FromClaim', ...opaque('every') },
        { source: 'FromClaim', requests: ['two'], ...opaque('second') },
      ]);
    });
  });

  describe('pools', () => {
    test('DRA: nothing is taken from a pool before all of its slices are there', async () => {
      const scene = await DeviceScene.open(plane, schedulerName);
      const { devices, nodes } = scene;
      const pool = { name: 'pool', generation: 2, resourceSliceCount: 2 };
      await devices.publish('pool-1', [{ name: 'a' }], { nodeName: nodes[0], pool });
      const gpu = await devices.addClass();
      await devices.addClaim('c', { requests: [exactly('gpu', gpu)] });
      await scene.addUser('a', ['c']);
      await scene.untilTold('a', noDevices);
      await devices.publish('pool-2', [{ name: 'b' }], { nodeName: nodes[0], pool });
      await scene.untilPlaced('a');
      expect(await scene.given('c')).toEqual(['a']);
    });

    test('DRA: devices for all nodes, or for those of a selector, are given wherever they can be used', async () => {
      const scene = await DeviceScene.open(plane, schedulerName, 3);
      const { space, devices, nodes } = scene;
      const [first = '', second = ''] = nodes;
      await devices.publish('everywhere', [{ name: 'net', attributes: { type: 'net' } }], { allNodes: true });
      const some = { key: 'kubernetes.io/hostname', operator: 'In', values: [first, second] };
      const nodeSelector = { nodeSelectorTerms: [{ matchExpressions: [some] }] };
      await devices.publish('some', [{ name: 'disk', attributes: { type: 'disk' } }], { nodeSelector });
      const of = (type: string): Promise<string> =>
        devices.addClass(type, [`device.attributes["${devices.driver}"].type == "${type}"`]);
      await devices.addClaim('c', { requests: [exactly('net', await of('net')), exactly('disk', await of('disk'))] });
      await scene.addUser('a', ['c']);
      expect([first, second]).toContain((await scene.untilPlaced('a')).spec.nodeName);
      expect((await devices.claim('c')).status.allocation.nodeSelector).toEqual(nodeSelector);
      await devices.addClaim('d', { requests: [exactly('net', `net-${space.id}`)] });
      await scene.addUser('b', ['d']);
      await scene.untilTold('b', noDevices);
      await scene.deletePod('a');
      await scene.untilPlaced('b');
      expect((await devices.claim('d')).status.allocation.nodeSelector).toBeUndefined();
    });

    test('DRA: devices cut from one card share its counters', async () => {
      const scene = await DeviceScene.open(plane, schedulerName);
      const { devices, nodes } = scene;
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
        await scene.addUser(pod, [claim]);
        await scene.untilPlaced(pod);
      }
      await scene.addUser('c', ['z']);
      await scene.untilTold('c', noDevices);
      await scene.deletePod('a');
      await scene.deletePod('b');
      await scene.untilPlaced('c');
      expect(await scene.given('z')).toEqual(['whole']);
    });
  });
});
