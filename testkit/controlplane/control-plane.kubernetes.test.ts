import { describe, expect, test } from 'vitest';
import { readRecipe } from './assets/recipe.ts';
import { controlPlane, spaceForTest, until } from './fixtures/index.ts';
import { type AuditEvent, isDenied } from './index.ts';

const plane = controlPlane();

describe('the control plane is real', () => {
  test('and calls itself by the version that was built', async () => {
    const { gitVersion } = await plane.api.get('/version');
    expect(gitVersion).toBe(plane.version);
    if (!process.env.KUBEBUILDER_ASSETS) expect(gitVersion).toBe(readRecipe().kubernetesVersion);
    expect(await plane.kubectl(['version'])).toContain(`Server Version: ${plane.version}`);
  });

  test('refuses what is no object, and says why', async () => {
    const space = await spaceForTest(plane);
    const call = { method: 'POST', path: `${space.path}/pods` } as const;
    expect(await plane.api.send({ ...call, body: 'no pod' })).toMatchObject({ status: 400 });
    expect(await plane.api.send({ ...call, body: { kind: 'Pod', metadata: { name: 'UPPER' } } })).toMatchObject({
      status: 422,
      body: { reason: 'Invalid' },
    });
    await expect(space.addPod('a', { cpu: 'much' })).rejects.toThrow('quantities must match');
    await expect(plane.kubectl(['get', 'nothing'])).rejects.toThrow(
      'the server doesn\'t have a resource type "nothing"',
    );
  });

  test('collects what has lost its owner', async () => {
    const space = await spaceForTest(plane);
    const owner = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      name: 'never-was',
      uid: '00000000-0000-0000-0000-000000000000',
    };
    const metadata = { name: 'orphan', ownerReferences: [owner] };
    await plane.api.create(`${space.path}/configmaps`, { apiVersion: 'v1', kind: 'ConfigMap', metadata });
    await until('the orphan is gone', async () => {
      return (await plane.api.send({ method: 'GET', path: `${space.path}/configmaps/orphan` })).status === 404;
    });
  });

  test('says what its parts use', async () => {
    const usage = await plane.usage();
    if (process.platform !== 'linux') return;
    expect(Object.keys(usage)).toEqual(
      expect.arrayContaining(['etcd', 'kube-apiserver', 'kube-controller-manager', 'kwok']),
    );
    expect(Object.values(usage).every((part) => part.cpuMs > 0 && part.rssBytes > 2 ** 20)).toBe(true);
  });
});

describe('who may do what', () => {
  test('is nothing for an account without rights', async () => {
    const space = await spaceForTest(plane);
    const token = await space.addAccount('poor');
    const answer = await plane.api.send({ method: 'GET', path: '/api/v1/nodes', token });
    expect(answer).toMatchObject({ status: 403, body: { reason: 'Forbidden' } });
    expect(answer.body.message).toContain(`system:serviceaccount:${space.namespace}:poor`);
  });

  test('is nothing for a token that nobody has', async () => {
    expect(await plane.api.send({ method: 'GET', path: '/api/v1/nodes', token: 'made-up' })).toMatchObject({
      status: 401,
    });
  });

  test('is what a role says, for a service account', async () => {
    const space = await spaceForTest(plane);
    const token = await space.addAccount('reader');
    const rules = ['--verb=get,list', '--resource=pods'];
    const inSpace = ['--namespace', space.namespace];
    await plane.kubectl(['create', 'role', 'reader', ...rules, ...inSpace]);
    const subject = `--serviceaccount=${space.namespace}:reader`;
    await plane.kubectl(['create', 'rolebinding', 'reader', '--role=reader', subject, ...inSpace]);
    await until('the role is known', async () => {
      return (await plane.api.send({ method: 'GET', path: `${space.path}/pods`, token })).status === 200;
    });
    expect(await plane.api.send({ method: 'DELETE', path: `${space.path}/pods/a`, token })).toMatchObject({
      status: 403,
    });
  });

  test('depends on user and groups of a client certificate', async () => {
    const kubeconfig = await plane.kubeconfigWithCertificate({ commonName: 'jane', organizations: ['dev', 'ops'] });
    const who = JSON.parse(await plane.kubectl(['auth', 'whoami', '-o', 'json', '--kubeconfig', kubeconfig]));
    expect(who.status.userInfo).toMatchObject({ username: 'jane', groups: ['dev', 'ops', 'system:authenticated'] });
  });

  test('works with a kubeconfig that has a token', async () => {
    const space = await spaceForTest(plane);
    const kubeconfig = plane.kubeconfigWithToken('poor', await space.addAccount('poor'));
    const listing = plane.kubectl(['get', 'nodes', '--kubeconfig', kubeconfig]);
    await expect(listing).rejects.toThrow('cannot list resource "nodes"');
  });
});

describe('the audit log', () => {
  test('has who asked for what, and what was denied', async () => {
    const space = await spaceForTest(plane);
    const token = await space.addAccount('poor');
    await plane.api.send({ method: 'GET', path: `${space.path}/secrets`, token });
    await plane.api.get(`${space.path}/secrets`);
    const events: AuditEvent[] = [];
    await until('both are written', async () => {
      const all = await Array.fromAsync(plane.auditEvents());
      events.splice(0, events.length, ...all.filter((event) => event.requestURI === `${space.path}/secrets`));
      return events.length === 2;
    });
    expect(events[0]).toMatchObject({
      verb: 'list',
      user: { username: `system:serviceaccount:${space.namespace}:poor` },
      responseStatus: { code: 403 },
    });
    expect(events.map(isDenied)).toEqual([true, false]);
    expect(events[1]?.user.username).toBe('admin');
  });
});
