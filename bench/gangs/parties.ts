import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { manifestsOf, SCHEDULER, yamlOf } from '@springtide/adapters/kubernetes/install';
import { type ControlPlane, type Usage, usageOf } from '@springtide/testkit/controlplane';
import type { Space } from '@springtide/testkit/controlplane/fixtures';

/** A scheduler that runs, as a process of its own. */
export interface Running {
  /** What it has used so far; null: not known here. */
  readonly usage: () => Promise<Usage | null>;
  readonly stop: () => Promise<void>;
}

/** A scheduler that takes part. */
export interface Party {
  readonly schedulerName: string;
  /** Does what is done once, before the time that counts, and returns what starts it. */
  readonly prepare: (plane: ControlPlane, space: Space) => Promise<() => Promise<Running>>;
}

/** The program `springtide scheduler`, with a service account that may do what the program needs. */
export const springtide: Party = {
  schedulerName: 'springtide',
  prepare: async (plane, space) => {
    const kubeconfig = await accountFor(plane, space);
    return () => Promise.resolve(startSpringtide(kubeconfig, join(plane.folder, `springtide-${space.id}.log`)));
  },
};

/** kube-scheduler with gangs of its own. */
export const kubeScheduler: Party = {
  schedulerName: 'kube-gangs',
  prepare: (plane) =>
    Promise.resolve(async () => {
      const featureGates = { GenericWorkload: true };
      const scheduler = await plane.startKubeScheduler({ name: 'kube-gangs', featureGates });
      return { usage: () => scheduler.usage(), stop: () => scheduler.stop() };
    }),
};

function startSpringtide(kubeconfig: string, logFile: string): Running {
  const program = fileURLToPath(new URL('../../cli/springtide.js', import.meta.url));
  const words = ['scheduler', '--kubeconfig', kubeconfig, '--listen', '127.0.0.1:0'];
  const log = openSync(logFile, 'a');
  const child = spawn(process.execPath, [program, ...words], { stdio: ['ignore', log, log] });
  closeSync(log);
  const kill = (): void => void child.kill('SIGKILL');
  process.once('exit', kill);
  return {
    usage: () => Promise.resolve(child.pid === undefined ? null : usageOf(child.pid)),
    stop: async () => {
      process.off('exit', kill);
      await ended(child);
    },
  };
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}

/** The account of an installed scheduler with its roles; the kubeconfig of it. */
async function accountFor(plane: ControlPlane, { namespace, path }: Space): Promise<string> {
  const isOfAccount = ({ kind }: { readonly kind: string }): boolean =>
    /^(ServiceAccount|.*Role(Binding)?)$/.test(kind);
  const objects = manifestsOf({ namespace, image: 'none.invalid/none:0', version: '0' }).filter(isOfAccount);
  await plane.kubectl(['apply', '-f', '-'], yamlOf(objects));
  const wish = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} };
  const { status } = await plane.api.create(`${path}/serviceaccounts/${SCHEDULER}/token`, wish);
  return plane.kubeconfigWithToken(SCHEDULER, status.token);
}
