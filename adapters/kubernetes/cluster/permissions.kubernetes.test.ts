import { Observer } from '@springtide/testkit/conformance/cluster';
import { configOf, RealWorld } from '@springtide/testkit/conformance/real-cluster';
import { type AuditEvent, isDenied } from '@springtide/testkit/controlplane';
import { controlPlane } from '@springtide/testkit/controlplane/fixtures';
import { expect, onTestFinished, test } from 'vitest';
import { CLUSTER_PERMISSIONS, OWN_NAMESPACE_PERMISSIONS, type Permission } from '../client/permissions.ts';

const plane = controlPlane();
const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const ACCOUNT = 'scheduler';

function rulesOf(permissions: readonly Permission[]): object[] {
  return permissions
    .filter(({ isOptional }) => !isOptional)
    .map(({ apiGroup, resources, verbs }) => ({ apiGroups: [apiGroup], resources, verbs }));
}

/** Gives the account of the world what the list says, and nothing else. The kubeconfig of the account. */
async function grant(world: RealWorld): Promise<string> {
  const { namespace, space } = world;
  const token = await space.addAccount(ACCOUNT);
  const name = `scheduler-${space.id}`;
  const of = (kind: string): object => ({ apiGroup: 'rbac.authorization.k8s.io', kind, name });
  const subjects = [{ kind: 'ServiceAccount', name: ACCOUNT, namespace }];
  const metadata = { name };
  await plane.api.create(`${RBAC}/clusterroles`, {
    kind: 'ClusterRole',
    metadata,
    rules: rulesOf(CLUSTER_PERMISSIONS),
  });
  await plane.api.create(`${RBAC}/clusterrolebindings`, {
    kind: 'ClusterRoleBinding',
    metadata,
    roleRef: of('ClusterRole'),
    subjects,
  });
  const own = `${RBAC}/namespaces/${namespace}`;
  await plane.api.create(`${own}/roles`, { kind: 'Role', metadata, rules: rulesOf(OWN_NAMESPACE_PERMISSIONS) });
  await plane.api.create(`${own}/rolebindings`, { kind: 'RoleBinding', metadata, roleRef: of('Role'), subjects });
  onTestFinished(async () => {
    await plane.api.delete(`${RBAC}/clusterrolebindings/${name}`);
    await plane.api.delete(`${RBAC}/clusterroles/${name}`);
  });
  return plane.kubeconfigWithToken(`${name}-account`, token);
}

/** Everything that the port does, once. */
async function doEverything(world: RealWorld, observer: Observer): Promise<void> {
  const machine = await world.addMachine();
  const [bound, waiting] = [await world.addPod('bound'), await world.addPod('waiting')];
  const claim = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: 'c' } };
  const spec = {
    accessModes: ['ReadWriteOnce'],
    resources: { requests: { storage: '1Gi' } },
    storageClassName: 'late',
  };
  await plane.api.create(`${world.space.path}/persistentvolumeclaims`, { ...claim, spec });
  const orders = observer.cluster.orders(await observer.lead());
  const note = {
    about: { kind: 'pod', pod: waiting },
    type: 'Warning',
    reason: 'FailedScheduling',
    action: 'Scheduling',
  } as const;
  observer.cluster.record({ ...note, note: 'no card' });
  const answers = [
    await orders.bind({ pod: bound, machine }),
    await orders.lookUp(bound),
    await orders.report({ pod: waiting, reason: 'Unschedulable', message: 'no card' }),
    await orders.nominate({ pod: waiting, machine }),
    await orders.selectMachine(`${world.namespace}/c`, machine),
    await orders.evict({ pod: bound, reason: 'Preempted', message: 'for another' }),
  ];
  expect(answers.map(({ answer }) => answer)).toEqual(['bound', 'found', 'written', 'written', 'written', 'evicted']);
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

test('the permissions in the list are enough, and every one of them is used', async () => {
  const world = await RealWorld.open(plane);
  onTestFinished(() => world.close());
  const kubeconfig = await grant(world);
  const recorderTimes = { keysMax: 100, spacingMs: 100, forgetMs: 600_000 };
  world.defaults = { config: configOf(kubeconfig), recorderTimes };
  const observer = await new Observer(world, 'a').sync();
  await doEverything(world, observer);
  await observer.await(observer.cluster.stop());
  const [used, denied] = [new Set<string>(), [] as string[]];
  for await (const event of plane.auditEvents()) {
    if (event.user.username !== `system:serviceaccount:${world.namespace}:${ACCOUNT}`) continue;
    if (isDenied(event)) denied.push(event.requestURI);
    else if (event.objectRef !== undefined) used.add(permissionOf(event));
  }
  const listed = [...CLUSTER_PERMISSIONS, ...OWN_NAMESPACE_PERMISSIONS]
    .filter(({ isOptional }) => !isOptional)
    .flatMap(({ apiGroup, resources, verbs }) => verbs.map((verb) => `${verb} ${apiGroup}/${resources.join()}`));
  expect(denied).toEqual([]);
  expect([...used].toSorted()).toEqual(listed.toSorted());
});
