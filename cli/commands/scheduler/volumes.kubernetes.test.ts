import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { readKubeconfig } from '@springtide/adapters/kubernetes/client';
import type { SchedulerService } from '@springtide/services/scheduler';
import { controlPlane, type Space, spaceForTest, until } from '@springtide/testkit/controlplane/fixtures';
import { schedulerOn } from './index.ts';

const NAME = 'springtide-volumes';
const plane = controlPlane();
let service: SchedulerService;

beforeAll(async () => {
  const config = readKubeconfig({ path: plane.adminKubeconfig });
  if (!config.ok) throw new Error(config.error.message);
  service = schedulerOn(config.value, { name: NAME, leaseNamespace: 'kube-system' });
  service.start();
  await until('the scheduler leads', async () => Promise.resolve(service.isLeading));
});

afterAll(async () => service.stop());

/** A class whose volumes somebody has made beforehand, and that are bound when a pod comes. */
async function addClass(name: string): Promise<void> {
  const path = '/apis/storage.k8s.io/v1/storageclasses';
  const late = { provisioner: 'kubernetes.io/no-provisioner', volumeBindingMode: 'WaitForFirstConsumer' };
  const kind = { apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass' };
  await plane.api.create(path, { ...kind, metadata: { name }, ...late });
  onTestFinished(() => plane.api.delete(`${path}/${name}`));
}

async function addLocalVolume(storageClassName: string, name: string, node: string): Promise<void> {
  const path = '/api/v1/persistentvolumes';
  const onNode = { key: 'kubernetes.io/hostname', operator: 'In', values: [node] };
  const spec = {
    storageClassName,
    capacity: { storage: '10Gi' },
    accessModes: ['ReadWriteOnce'],
    persistentVolumeReclaimPolicy: 'Retain',
    local: { path: '/mnt/disk' },
    nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [onNode] }] } },
  };
  await plane.api.create(path, { apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name }, spec });
  onTestFinished(() => plane.api.delete(`${path}/${name}`));
}

async function addClaim(space: Space, storageClassName: string, name: string): Promise<void> {
  const resources = { requests: { storage: '5Gi' } };
  const spec = { storageClassName, accessModes: ['ReadWriteOnce'], resources };
  const claim = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name }, spec };
  await plane.api.create(`${space.path}/persistentvolumeclaims`, claim);
}

function usingClaim(claimName: string): object {
  return { schedulerName: NAME, spec: { volumes: [{ name: 'data', persistentVolumeClaim: { claimName } }] } };
}

test('pods go where their local volumes are, each with one of its own, and those are bound', async () => {
  const space = await spaceForTest(plane);
  const nodes = await space.addNodes(3);
  const storageClass = `local-${space.id}`;
  await addClass(storageClass);
  const [first = '', , last = ''] = nodes;
  for (const node of [first, last]) await addLocalVolume(storageClass, `volume-${node}`, node);
  for (const name of ['a', 'b']) await addClaim(space, storageClass, name);
  await Promise.all(['a', 'b'].map((name) => space.addPod(name, usingClaim(name))));
  const placed: string[] = [];
  for (const name of ['a', 'b']) {
    const pod = await space.untilPod(name, (seen) => seen.spec.nodeName !== undefined);
    placed.push(pod.spec.nodeName);
    await until(`claim ${name} is bound`, async () => {
      const claim = await plane.api.get(`${space.path}/persistentvolumeclaims/${name}`);
      return claim.status.phase === 'Bound' && claim.spec.volumeName === `volume-${pod.spec.nodeName}`;
    });
  }
  expect(placed.toSorted()).toEqual([first, last].toSorted());
});

test('a pod whose claim is missing waits, is told so, and is placed when the claim comes', async () => {
  const space = await spaceForTest(plane);
  const [node = ''] = await space.addNodes(1);
  const storageClass = `local-${space.id}`;
  await addClass(storageClass);
  await addLocalVolume(storageClass, `volume-${node}`, node);
  await space.addPod('waiter', usingClaim('data'));
  const told = await space.untilPod('waiter', (pod) => (pod.status.conditions ?? []).length > 0);
  expect(told.status.conditions[0].message).toContain('the volume claim data, which does not exist');
  await addClaim(space, storageClass, 'data');
  await space.untilPod('waiter', (pod) => pod.spec.nodeName === node);
});
