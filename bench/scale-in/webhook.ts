import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DEFAULT_NAMESPACE, manifestsOf, WEBHOOK, yamlOf } from '@springtide/adapters/kubernetes/install';
import { type ControlPlane, freePorts } from '@springtide/testkit/controlplane';
import { askWebhookAt, SCALE_IN_CONFIGURATION, until, untilBelieved } from '@springtide/testkit/controlplane/fixtures';

const PROGRAM = fileURLToPath(new URL('../../cli/springtide.js', import.meta.url));
/** What makes pods, and what kinds it is made of that are only now made known. */
const NOT_NEEDED: ReadonlySet<string> = new Set(['Deployment', 'CardTemplate']);

/** Namespaces that the webhook is asked about. */
export const STEERED = { 'bench.springtide.io/scale-in': 'steered' } as const;

export interface RunningWebhook {
  readonly stop: () => Promise<void>;
}

/**
 * `springtide webhook` as a process of its own, by the account that is installed and may do what it needs and nothing
 * else, asked over loopback in the place of its Service. The control plane is left as it is: it is to be stopped.
 */
export async function startWebhook(plane: ControlPlane): Promise<RunningWebhook> {
  const options = { namespace: DEFAULT_NAMESPACE, image: 'none.invalid/springtide:bench', version: 'bench' };
  const objects = manifestsOf(options).filter(({ kind }) => !NOT_NEEDED.has(kind));
  await plane.kubectl(['apply', '--server-side', '-f', '-'], yamlOf(objects));
  const account = `/api/v1/namespaces/${DEFAULT_NAMESPACE}/serviceaccounts/${WEBHOOK}/token`;
  const { status } = await plane.api.create(account, { spec: { expirationSeconds: 86_400 } });
  const [port = 0] = await freePorts(1);
  const stop = startProgram(plane, ['--kubeconfig', plane.kubeconfigWithToken(WEBHOOK, status.token)], port);
  await until('the webhook is ready', () => isReady(port));
  await askAt(plane, port);
  return { stop };
}

function startProgram(plane: ControlPlane, words: readonly string[], port: number): () => Promise<void> {
  const log = openSync(join(plane.folder, `${WEBHOOK}.log`), 'a');
  const all = ['webhook', '--listen', `127.0.0.1:${port}`, ...words];
  const child = spawn(process.execPath, [PROGRAM, ...all], { stdio: ['ignore', log, log] });
  closeSync(log);
  const end = (): boolean => child.kill('SIGKILL');
  process.once('exit', end);
  return async () => {
    process.off('exit', end);
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exit = once(child, 'exit');
    child.kill();
    await exit;
  };
}

/** Makes the API server ask at a port, about namespaces labelled so. Without an authority the one it believes stays. */
export async function askAt(plane: ControlPlane, port: number, caBundle?: string): Promise<void> {
  const change = ({ clientConfig }: { readonly clientConfig: object }): object => ({
    namespaceSelector: { matchLabels: STEERED },
    ...(caBundle === undefined ? {} : { clientConfig: { ...clientConfig, caBundle } }),
  });
  await untilBelieved(plane, SCALE_IN_CONFIGURATION);
  await askWebhookAt(plane, port, change, SCALE_IN_CONFIGURATION);
}

function isReady(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    // Its authority is one of its own: only whether it answers is asked here.
    const options = { host: '127.0.0.1', port, path: '/readyz', rejectUnauthorized: false };
    const asked = request(options, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    asked.on('error', () => resolve(false));
    asked.end();
  });
}
