import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { controlPlane, spaceForTest, until } from './fixtures/index.ts';
import { startControlPlane } from './index.ts';

const plane = controlPlane();
const isRunning = (pod: any): boolean => pod.status.phase === 'Running';

describe('the API server', () => {
  test.each(['SIGTERM', 'SIGKILL'] as const)('keeps everything when it is restarted with %s', async (signal) => {
    const space = await spaceForTest(plane);
    const [name = ''] = await space.addNodes(1);
    const { metadata } = await space.addPod('a');
    await plane.restartApiServer({ signal });
    const pod = await space.pod('a');
    expect(pod.metadata).toMatchObject({ uid: metadata.uid, resourceVersion: metadata.resourceVersion });
    await space.bind('a', name);
    await space.untilPod('a', isRunning);
  });

  test('answers nobody while it is down', async () => {
    const restart = plane.restartApiServer({ downMs: 1_000 });
    await until('nobody answers', async () => {
      return plane.api.send({ method: 'GET', path: '/version' }).then(
        () => false,
        () => true,
      );
    });
    await restart;
    expect((await plane.api.get('/version')).gitVersion).toBe(plane.version);
  });
});

test('etcd can be stopped for a while', async () => {
  const space = await spaceForTest(plane);
  await space.addPod('a');
  await plane.stopEtcdFor(2_000);
  await space.addPod('b');
  expect((await space.pods()).map((pod) => pod.metadata.name)).toEqual(['a', 'b']);
});

/** Processes of this machine that have the folder in their command line. */
function processesOf(folder: string): string[] {
  const commands = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(commandOf);
  return commands.filter((command) => command.includes(folder));
}

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

describe.runIf(process.platform === 'linux')('nothing is left', () => {
  test('of a second control plane, which has features of its own, when it is stopped', async () => {
    const second = await startControlPlane({
      featureGates: { GenericWorkload: true },
      runtimeConfig: { 'scheduling.k8s.io/v1beta1': true },
      auditLevel: 'None',
    });
    expect(processesOf(second.folder)).toHaveLength(4);
    expect(await second.kubectl(['api-resources', '--api-group=scheduling.k8s.io'])).toContain('PodGroup');
    expect(await plane.kubectl(['api-resources', '--api-group=scheduling.k8s.io'])).not.toContain('PodGroup');
    await second.stop();
    expect(processesOf(second.folder)).toEqual([]);
    expect(existsSync(second.folder)).toBe(false);
  });

  test('of a control plane whose starter was killed', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'starter-'));
    const script = join(folder, 'starter.ts');
    writeFileSync(script, starterScript);
    const starter = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [said] = (await once(starter.stdout, 'data')) as [Buffer];
    const left = said.toString().trim();
    expect(processesOf(left)).toHaveLength(4);
    starter.kill('SIGKILL');
    await until('its processes are gone', async () => processesOf(left).length === 0);
    await until('its folder is gone', async () => !existsSync(left));
    rmSync(folder, { recursive: true });
  });
});

/** A process that starts a control plane, says where, and waits to be killed. */
const starterScript = `
import { startControlPlane } from '${join(import.meta.dirname, 'index.ts')}';
const { folder } = await startControlPlane();
process.stdout.write(folder);
setInterval(() => {}, 1000);
`;
