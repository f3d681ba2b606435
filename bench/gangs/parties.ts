import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CLUSTER_PERMISSIONS, leasePermissions, rulesOf } from '@springtide/adapters/kubernetes/client';
import { leaseNameOf, SCHEDULER_NAME } from '@springtide/adapters/kubernetes/install';
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
  readonly start: (plane: ControlPlane, space: Space) => Promise<Running>;
}

/** The program `springtide scheduler`, with a service account that may do what the program needs. */
export const springtide: Party = { schedulerName: 'springtide', start: startSpringtide };

/** kube-scheduler with gangs of its own. */
export const kubeScheduler: Party = {
  schedulerName: 'kube-gangs',
  start: async (plane) => {
    const scheduler = await plane.startKubeScheduler({ name: 'kube-gangs', featureGates: { GenericWorkload: true } });
    return { usage: () => scheduler.usage(), stop: () => scheduler.stop() };
  },
};

async function startSpringtide(plane: ControlPlane, space: Space): Promise<Running> {
  const kubeconfig = await accountFor(plane, space);
  const program = fileURLToPath(new URL('../../cli/springtide.js', import.meta.url));
  const words = ['scheduler', '--kubeconfig', kubeconfig, '--name', 'springtide', '--lease-namespace', space.namespace];
  const log = openSync(join(plane.folder, `springtide-${space.id}.log`), 'a');
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

const RBAC = '/apis/rbac.authorization.k8s.io/v1';

async function accountFor(plane: ControlPlane, space: Space): Promise<string> {
  const { api } = plane;
  const { namespace } = space;
  const account = 'scheduler';
  const token = await space.addAccount(account);
  const metadata = { name: `scheduler-${space.id}` };
  const roleRef = (kind: string): object => ({ apiGroup: 'rbac.authorization.k8s.io', kind, name: metadata.name });
  const subjects = [{ kind: 'ServiceAccount', name: account, namespace }];
  await api.create(`${RBAC}/clusterroles`, { metadata, rules: rulesOf(CLUSTER_PERMISSIONS) });
  await api.create(`${RBAC}/clusterrolebindings`, { metadata, roleRef: roleRef('ClusterRole'), subjects });
  const own = `${RBAC}/namespaces/${namespace}`;
  await api.create(`${own}/roles`, { metadata, rules: rulesOf(leasePermissions(leaseNameOf(SCHEDULER_NAME))) });
  await api.create(`${own}/rolebindings`, { metadata, roleRef: roleRef('Role'), subjects });
  return plane.kubeconfigWithToken(metadata.name, token);
}
