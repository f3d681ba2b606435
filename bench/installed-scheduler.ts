import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DEFAULT_NAMESPACE, manifestsOf, SCHEDULER, yamlOf } from '@springtide/adapters/kubernetes/install';
import type { ControlPlane } from '@springtide/testkit/controlplane';
import { type Running, startProgram } from './program.ts';

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
  // Any port that is free: several may run on one machine.
  const words = ['scheduler', '--kubeconfig', kubeconfig, '--listen', '127.0.0.1:0'];
  return startProgram({ name: 'springtide', command: process.execPath, words: [PROGRAM, ...words], logFile });
}
