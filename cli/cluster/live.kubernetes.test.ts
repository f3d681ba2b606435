import { isDenied } from '@springtide/testkit/controlplane';
import { controlPlane, type Space, spaceForTest } from '@springtide/testkit/controlplane/fixtures';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

/** A live cluster is told of as a dump of it is, and nothing is changed in it. */

const PROGRAM = join(import.meta.dirname, '..', 'springtide.js');
const plane = controlPlane();

function folderForTest(): string {
  const folder = mkdtempSync(join(tmpdir(), 'live-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

function springtide(words: readonly string[], kubeconfig = plane.adminKubeconfig): ReturnType<typeof spawnSync> {
  const env = { ...process.env, KUBECONFIG: kubeconfig, LC_ALL: 'C' };
  return spawnSync(process.execPath, [PROGRAM, ...words], { encoding: 'utf8', env });
}

async function work(space: Space): Promise<void> {
  const [node = ''] = await space.addNodes(2, { cards: 4, labels: { 'nvidia.com/gpu.product': 'Tesla-T4' } });
  await space.addPod('held', { cards: 3 });
  await space.bind('held', node);
  await space.addPod('waits', { cards: 4 });
  await space.addPod('vast', { cards: 64 });
  await space.untilPod('held', (pod) => pod.status.phase === 'Running');
}

test('inspect, place and explain say the same of a live cluster and of a dump of it', async () => {
  const space = await spaceForTest(plane);
  await work(space);
  const folder = folderForTest();
  const [dump, request] = [join(folder, 'dump.json'), join(folder, 'pod.yaml')];
  writeFileSync(dump, await plane.kubectl(['get', 'nodes,pods', '-A', '-o', 'json']));
  const resources = { limits: { 'nvidia.com/gpu': '2' } };
  writeFileSync(
    request,
    JSON.stringify({ kind: 'Pod', metadata: { name: 'p' }, spec: { containers: [{ resources }] } }),
  );
  const pod = (name: string): string => `pod/${space.namespace}/${name}`;
  const asked: readonly (readonly [string, ...string[]])[] = [
    ['inspect', '--json'],
    ['place', request, '--json'],
    ['explain', pod('held'), '--lang', 'zh'],
    ['explain', pod('vast'), '--json'],
  ];
  for (const [command, ...rest] of asked) {
    const live = springtide([command, ...rest, '--context', 'testbed']);
    const dumped = springtide([command, dump, ...rest]);
    expect([live.status, live.stderr]).toEqual([dumped.status, '']);
    expect(live.stdout).toBe(dumped.stdout);
    expect(live.stdout).toContain(command === 'place' ? space.id : space.namespace);
  }
});

test('a pod without a namespace is in that of the context; who may read nodes and pods may ask, and no more is asked', async () => {
  const space = await spaceForTest(plane);
  await work(space);
  const role = {
    metadata: { name: `view-${space.id}` },
    rules: [{ apiGroups: [''], resources: ['nodes', 'pods'], verbs: ['list'] }],
  };
  const rbac = '/apis/rbac.authorization.k8s.io/v1';
  await plane.api.create(`${rbac}/clusterroles`, role);
  const token = await space.addAccount('reader');
  const subjects = [{ kind: 'ServiceAccount', name: 'reader', namespace: space.namespace }];
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role.metadata.name };
  await plane.api.create(`${rbac}/clusterrolebindings`, { metadata: role.metadata, subjects, roleRef });
  onTestFinished(async () => {
    await plane.api.delete(`${rbac}/clusterrolebindings/${role.metadata.name}`);
    await plane.api.delete(`${rbac}/clusterroles/${role.metadata.name}`);
  });
  const kubeconfig = plane.kubeconfigWithToken('reader', token);
  await plane.kubectl(['--kubeconfig', kubeconfig, 'config', 'set-context', 'testbed', '--namespace', space.namespace]);
  expect(springtide(['explain', 'pod/vast'], kubeconfig)).toMatchObject({
    status: 1,
    stdout: expect.stringContaining(`${space.namespace}/vast waits`),
  });
  const asked: string[] = [];
  for await (const event of plane.auditEvents()) {
    if (event.user.username?.endsWith(`:${space.namespace}:reader`) !== true) continue;
    expect(isDenied(event)).toBe(false);
    asked.push(`${event.verb} ${event.objectRef?.resource}`);
  }
  expect([...new Set(asked)]).toEqual(['list nodes', 'list pods']);
});

test('what cannot be read is told in one line', async () => {
  const jane = await plane.kubeconfigWithCertificate({ commonName: 'jane', organizations: [] });
  const cases: readonly (readonly [string[], string, RegExp])[] = [
    [['inspect', '--context', 'none'], plane.adminKubeconfig, /no context "none"/],
    [['inspect'], jane, /cannot read the cluster https:\S+: nodes is forbidden/],
    [['inspect'], join(folderForTest(), 'none'), /ENOENT|no kubeconfig/],
    [['inspect', 'dump.json', '--context', 'testbed'], plane.adminKubeconfig, /only one cluster can be read/],
  ];
  for (const [words, kubeconfig, want] of cases) {
    const { status, stdout, stderr } = springtide(words, kubeconfig);
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(want);
    expect(stderr).not.toMatch(/^\s+at /m);
  }
});
