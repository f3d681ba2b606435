import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DEFAULT_NAMESPACE, manifestsOf, SCHEDULER, yamlOf } from '@springtide/adapters/kubernetes/install';
import { type ControlPlane, type Usage, usageOf } from '@springtide/testkit/controlplane';

/** A scheduler that runs as a process of its own. */
export interface Running {
  readonly usage: () => Promise<Usage>;
  readonly stop: () => Promise<void>;
}

/** What runs here itself, and what is of the webhook. */
const NOT_NEEDED: ReadonlySet<string> = new Set([
  'Deployment',
  'MutatingWebhookConfiguration',
  'ValidatingWebhookConfiguration',
  'CardTemplate',
]);

const PROGRAM = fileURLToPath(new URL('../cli/springtide.js', import.meta.url));

/**
 * Installs a control plane with all but the Deployment, whose program runs here, by the service account that is
 * installed and may do what it needs and nothing else. Returns what starts it.
 */
export async function installScheduler(plane: ControlPlane): Promise<() => Running> {
  const options = { namespace: DEFAULT_NAMESPACE, image: 'none.invalid/springtide:bench', version: 'bench' };
  const objects = manifestsOf(options).filter(({ kind }) => !NOT_NEEDED.has(kind));
  await plane.kubectl(['apply', '--server-side', '-f', '-'], yamlOf(objects));
  const path = `/api/v1/namespaces/${DEFAULT_NAMESPACE}/serviceaccounts/${SCHEDULER}/token`;
  const { status } = await plane.api.create(path, { spec: { expirationSeconds: 86_400 } });
  const kubeconfig = plane.kubeconfigWithToken(SCHEDULER, status.token);
  return () => startScheduler(kubeconfig, join(plane.folder, `${SCHEDULER}.log`));
}

function startScheduler(kubeconfig: string, logFile: string): Running {
  const log = openSync(logFile, 'a');
  // Any port that is free: several may run on one machine.
  const words = ['scheduler', '--kubeconfig', kubeconfig, '--listen', '127.0.0.1:0'];
  const child = spawn(process.execPath, [PROGRAM, ...words], { stdio: ['ignore', log, log] });
  closeSync(log);
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
}
