import { Observer, SLICED_CARD_MIB } from '@springtide/testkit/conformance/cluster';
import { configOf, RealWorld } from '@springtide/testkit/conformance/real-cluster';
import { type AuditEvent, type ControlPlane, isDenied, startControlPlane } from '@springtide/testkit/controlplane';
import { addCustomKinds, addPool, type CustomKind, until } from '@springtide/testkit/controlplane/fixtures';
import { expect, onTestFinished, test } from 'vitest';
import { applyObject } from '../client/apply.ts';
import { Reviews } from '../client/reviews.ts';
import { LEASE, manifestsOf, SCHEDULER } from '../install/index.ts';
import { idOf, pathOf } from '../install/kinds.ts';
import type { ClusterOrders, PodRef } from '@springtide/ports/cluster';
import type { KubernetesCluster } from './cluster.ts';

/** Gangs of other projects, so that every kind of gang is there. */
const GANG_KINDS: readonly CustomKind[] = [
  { group: 'scheduling.x-k8s.io', version: 'v1alpha1', plural: 'podgroups', kind: 'PodGroup' },
  { group: 'scheduling.volcano.sh', version: 'v1beta1', plural: 'podgroups', kind: 'PodGroup' },
  { group: 'jobset.x-k8s.io', version: 'v1alpha2', plural: 'jobsets', kind: 'JobSet' },
  { group: 'leaderworkerset.x-k8s.io', version: 'v1', plural: 'leaderworkersets', kind: 'LeaderWorkerSet' },
  ...['PyTorchJob', 'TFJob', 'MPIJob', 'XGBoostJob', 'PaddleJob', 'JAXJob'].map((kind) => {
    return { group: 'kubeflow.org', version: 'v1', plural: `${kind.toLowerCase()}s`, kind };
  }),
];

/** A control plane of its own, which serves native gangs too. */
async function planeForTest(): Promise<ControlPlane> {
  const plane = await startControlPlane({
    featureGates: { GenericWorkload: true },
    runtimeConfig: { 'scheduling.k8s.io/v1beta1': true },
  });
  onTestFinished(() => plane.stop());
  await addCustomKinds(plane, GANG_KINDS);
  return plane;
}

/** What runs elsewhere, is there, or is of the webhook. */
const NOT_NEEDED: ReadonlySet<string> = new Set([
  'Deployment',
  'Namespace',
  'CardTemplate',
  'MutatingWebhookConfiguration',
]);

/** Installs the manifests as they are, but for the Deployment. The kubeconfig of the account, and its name. */
async function installIn(world: RealWorld): Promise<{ kubeconfig: string; account: string }> {
  const { plane, namespace } = world;
  const client = world.connect('installer').client;
  for (const object of manifestsOf({ namespace, image: 'registry.example.com/springtide:1', version: '1' })) {
    if (NOT_NEEDED.has(object.kind)) continue;
    const id = idOf(object);
    const applied = await applyObject(client, object, { path: pathOf(id.kind, id.namespace), fieldManager: 'test' });
    if (!applied.ok) throw new Error(`${object.kind} ${object.metadata.name}: ${applied.error.message}`);
  }
  const path = `${world.space.path}/serviceaccounts/${SCHEDULER}/token`;
  const wish = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: 3600 } };
  const { status } = await plane.api.create(path, wish);
  const account = `system:serviceaccount:${namespace}:${SCHEDULER}`;
  return { kubeconfig: plane.kubeconfigWithToken('scheduler-account', status.token), account };
}

/** A volume that its controller has found free, and gives to nobody by itself. */
async function addVolume({ api }: ControlPlane): Promise<{ volume: string; resourceVersion: string }> {
  const capacity = { storage: '1Gi' };
  const spec = { capacity, accessModes: ['ReadWriteOnce'], storageClassName: 'other', hostPath: { path: '/mnt' } };
  const volume = { apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name: 'v' }, spec };
  await api.create('/api/v1/persistentvolumes', volume);
  let resourceVersion = '';
  await until('the volume is free', async () => {
    const { metadata, status } = await api.get('/api/v1/persistentvolumes/v');
    resourceVersion = metadata.resourceVersion;
    return status.phase === 'Available';
  });
  return { volume: 'v', resourceVersion };
}

/** Gives a claim for devices what it asks for, which is nothing, and takes it back. */
async function useClaim(world: RealWorld, observer: Observer, orders: ClusterOrders, pod: PodRef): Promise<void> {
  const path = `/apis/resource.k8s.io/v1/namespaces/${world.namespace}/resourceclaims`;
  const object = { apiVersion: 'resource.k8s.io/v1', kind: 'ResourceClaim', metadata: { name: 'd' }, spec: {} };
  const { uid, resourceVersion } = (await world.plane.api.create(path, object)).metadata;
  const claim = { uid, id: `${world.namespace}/d`, resourceVersion };
  const allocation = { claim: claim.id, devices: [], places: null };
  let written = '';
  await observer.until(async () => {
    const answer = await orders.reserveClaim({ claim, allocation, pod });
    if (answer.answer === 'written') written = answer.resourceVersion;
    return answer.answer === 'written';
  }, 'the claim is reserved');
  const freed = await orders.freeClaim({ claim: { ...claim, resourceVersion: written } });
  expect([freed.answer, (await orders.unreserveClaim({ claim, pod })).answer]).toEqual(['written', 'written']);
}

/** Everything that the port does, once. */
async function doEverything(world: RealWorld, observer: Observer): Promise<void> {
  const machine = await world.addMachine({ cards: 1, isSliced: true });
  const [bound, waiting] = [await world.addPod('bound', { cards: 1 }), await world.addPod('waiting')];
  const claim = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: 'c' } };
  const spec = {
    accessModes: ['ReadWriteOnce'],
    resources: { requests: { storage: '1Gi' } },
    storageClassName: 'late',
  };
  const { metadata } = await world.plane.api.create(`${world.space.path}/persistentvolumeclaims`, { ...claim, spec });
  const free = await addVolume(world.plane);
  const { metadata: pool } = await addPool(world.plane, 'apart', { labels: { team: 'a' } });
  const orders = observer.cluster.orders(await observer.lead());
  // A slice, for which the node is locked.
  await observer.until(() => observer.machines.has(machine) && observer.pods.has(bound.uid), 'they are seen');
  const cardId = observer.machines.get(machine)?.cards[0]?.id ?? '';
  const slices = [{ cardId, memoryMiB: SLICED_CARD_MIB, computeMilli: 1000, migStart: null }];
  const note = {
    about: { kind: 'pod', pod: waiting },
    type: 'Warning',
    reason: 'FailedScheduling',
    action: 'Scheduling',
  } as const;
  observer.cluster.record({ ...note, note: 'no card' });
  const answers = [
    await orders.bind({ pod: bound, machine, slices }),
    await orders.lookUp(bound),
    await orders.report({ pod: waiting, reason: 'Unschedulable', message: 'no card' }),
    await orders.nominate({ pod: waiting, machine }),
    await orders.selectMachine(`${world.namespace}/c`, machine),
    await orders.keepVolume({ ...free, claim: `${world.namespace}/c`, claimUid: metadata.uid }),
    await orders.evict({ pod: bound, reason: 'Preempted', message: 'for another' }),
    await orders.writePoolStatus({ pool, status: { machines: 0, cards: 0, conflict: '', conflictSinceMs: 0 } }),
  ];
  await useClaim(world, observer, orders, waiting);
  const written = ['written', 'written', 'written', 'written'];
  expect(answers.map(({ answer }) => answer)).toEqual(['bound', 'found', ...written, 'evicted', 'written']);
  await observer.until(async () => (await world.eventsOf(waiting)).length > 0, 'the event is told');
  // A repeat, so that a count is written.
  await observer.until(async () => {
    observer.cluster.record({ ...note, note: 'no card' });
    return (await world.eventsOf(waiting)).some(({ count }) => count > 1);
  }, 'the count is written');
}

function permissionOf({ verb, objectRef }: AuditEvent): string {
  const { apiGroup = '', resource = '', subresource } = objectRef ?? {};
  return `${verb} ${apiGroup}/${resource}${subresource === undefined ? '' : `/${subresource}`}`;
}

/** Every verb on every resource in the scheduler's roles that are installed, as the API server has them. */
async function granted({ api }: ControlPlane): Promise<string[]> {
  const rbac = '/apis/rbac.authorization.k8s.io/v1';
  const selector = '?labelSelector=app.kubernetes.io/part-of%3Dspringtide';
  const roles = [...(await api.get(`${rbac}/clusterroles${selector}`)).items];
  roles.push(...(await api.get(`${rbac}/roles${selector}`)).items);
  const own = roles.filter(({ metadata }) => metadata.name.startsWith(SCHEDULER));
  const rules = own.flatMap((role) => role.rules as any[]);
  return rules.flatMap(({ apiGroups, resources, verbs }) =>
    apiGroups.flatMap((group: string) =>
      resources.flatMap((resource: string) => verbs.map((verb: string) => `${verb} ${group}/${resource}`)),
    ),
  );
}

test('what is installed allows enough, and every verb of it is used', async () => {
  const plane = await planeForTest();
  const world = await RealWorld.open(plane);
  onTestFinished(() => world.close());
  const { kubeconfig, account } = await installIn(world);
  const recorderTimes = { keysMax: 100, spacingMs: 100, forgetMs: 600_000 };
  const lease = { namespace: LEASE.namespace, name: LEASE.name };
  world.defaults = { config: configOf(kubeconfig), recorderTimes, lease };
  const observer = await new Observer(world, 'a').sync();
  await doEverything(world, observer);
  const { client } = observer.cluster as KubernetesCluster;
  const review = await new Reviews(client, world.clock).mayGet(await world.space.addAccount('reader'), '/metrics');
  expect(review).toEqual({ ok: true, value: 'forbidden' });
  await observer.await(observer.cluster.stop());
  const [used, denied] = [new Set<string>(), [] as string[]];
  for await (const event of plane.auditEvents()) {
    if (event.user.username !== account) continue;
    if (isDenied(event)) denied.push(event.requestURI);
    else if (event.objectRef !== undefined) used.add(permissionOf(event));
  }
  // Asked for beside the status itself, and so not in the audit log.
  if (used.has('patch resource.k8s.io/resourceclaims/status')) {
    used.add('patch resource.k8s.io/resourceclaims/binding');
  }
  expect(denied).toEqual([]);
  expect([...used].toSorted()).toEqual((await granted(plane)).toSorted());
});
