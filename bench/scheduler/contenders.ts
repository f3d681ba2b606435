import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DEFAULT_NAMESPACE, manifestsOf, SCHEDULER, yamlOf } from '@springtide/adapters/kubernetes/install';
import { type ControlPlane, type Usage, usageOf } from '@springtide/testkit/controlplane';

/** A scheduler that runs as a process of its own. */
export interface Running {
  readonly usage: () => Promise<Usage>;
  readonly stop: () => Promise<void>;
}

export interface Contender {
  readonly name: 'springtide' | 'kube-scheduler';
  readonly schedulerName: string;
  readonly start: (plane: ControlPlane) => Promise<Running>;
}

const NOTHING: Usage = { cpuMs: 0, rssBytes: 0, rssPeakBytes: 0 };

/** With the request rate lifted, as large clusters set it: its default of 50 a second would be what is measured. */
const kubeScheduler: Contender = {
  name: 'kube-scheduler',
  schedulerName: 'default-scheduler',
  start: async (plane) => {
    const scheduler = await plane.startKubeScheduler({ qps: 5000, burst: 10_000 });
    return { usage: async () => (await scheduler.usage()) ?? NOTHING, stop: () => scheduler.stop() };
  },
};

const PROGRAM = fileURLToPath(new URL('../../cli/springtide.js', import.meta.url));

/** As it is installed: by its service account, which may do what it needs and nothing else. */
const springtide: Contender = {
  name: 'springtide',
  schedulerName: 'springtide',
  start: async (plane) => {
    const kubeconfig = plane.kubeconfigWithToken('springtide', await installAccount(plane));
    const logFile = join(plane.folder, 'springtide.log');
    const log = openSync(logFile, 'a');
    // Any port that is free: several may run on one machine.
    const flags = ['scheduler', '--kubeconfig', kubeconfig, '--listen', '127.0.0.1:0'];
    const child = spawn(process.execPath, [PROGRAM, ...flags], { stdio: ['ignore', log, log] });
    const end = (): boolean => child.kill('SIGKILL');
    process.once('exit', end);
    return {
      usage: () => {
        const usage = usageOf(child.pid ?? 0);
        // Nobody has to wait for pods that it will never bind.
        if (usage === null || child.exitCode !== null)
          throw new Error(`springtide has ended: ${readFileSync(logFile, 'utf8').trim()}`);
        return Promise.resolve(usage);
      },
      stop: async () => {
        process.off('exit', end);
        if (child.exitCode !== null || child.signalCode !== null) return;
        const exit = once(child, 'exit');
        child.kill();
        await exit;
      },
    };
  },
};

export const CONTENDERS: readonly Contender[] = [springtide, kubeScheduler];

/** A token of the account as it is installed; only the Deployment is left out, since its program runs here. */
async function installAccount(plane: ControlPlane): Promise<string> {
  const options = { namespace: DEFAULT_NAMESPACE, image: 'none.invalid/springtide:bench', version: 'bench' };
  const objects = manifestsOf(options).filter(({ kind }) => kind !== 'Deployment');
  await plane.kubectl(['apply', '--server-side', '-f', '-'], yamlOf(objects));
  const path = `/api/v1/namespaces/${DEFAULT_NAMESPACE}/serviceaccounts/${SCHEDULER}/token`;
  return (await plane.api.create(path, { spec: { expirationSeconds: 86_400 } })).status.token;
}
