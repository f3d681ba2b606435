import { err, ok, type Result } from '@springtide/core/base';
import { type ClusterFailure, clusterFailure } from '@springtide/ports/cluster';
import { existsSync, readFileSync } from 'node:fs';
import { isIPv6 } from 'node:net';
import { join } from 'node:path';
import type { ConnectionConfig } from './connection-config.ts';
import { type KubeconfigOptions, readKubeconfig } from './kubeconfig.ts';

/** Where the kubelet puts what a pod needs to speak to its API server. */
export const SERVICE_ACCOUNT_FOLDER = '/var/run/secrets/kubernetes.io/serviceaccount';

export interface InClusterOptions {
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly folder?: string;
}

/** The connection of a pod to its own cluster, by its service account. */
export function readInCluster(options: InClusterOptions = {}): Result<ConnectionConfig, ClusterFailure> {
  const { env = process.env, folder = SERVICE_ACCOUNT_FOLDER } = options;
  const host = env['KUBERNETES_SERVICE_HOST'] ?? '';
  const port = env['KUBERNETES_SERVICE_PORT'] ?? '';
  const path = join(folder, 'token');
  if (host === '' || port === '') {
    return err(clusterFailure('config', 'not in a pod: KUBERNETES_SERVICE_HOST and _PORT are not set'));
  }
  if (!existsSync(path)) return err(clusterFailure('config', `the service account's token is missing: ${path}`));
  return ok({
    server: `https://${isIPv6(host) ? `[${host}]` : host}:${port}`,
    serverName: '',
    isInsecure: false,
    authority: { kind: 'file', path: join(folder, 'ca.crt') },
    certificate: null,
    key: null,
    authentication: { kind: 'token-file', path },
    impersonation: new Map(),
    proxy: '',
    namespace: namespaceIn(folder),
    cluster: '',
  });
}

function namespaceIn(folder: string): string {
  const path = join(folder, 'namespace');
  return existsSync(path) ? readFileSync(path, 'utf8').trim() || 'default' : 'default';
}

/** What kubectl would use: a kubeconfig where one is named or lies in its usual place, else the pod's own cluster. */
export function readConnection(
  options: KubeconfigOptions & InClusterOptions = {},
): Result<ConnectionConfig, ClusterFailure> {
  const kubeconfig = readKubeconfig(options);
  const isNamed = options.path !== undefined || options.context !== undefined;
  if (kubeconfig.ok || isNamed) return kubeconfig;
  const inCluster = readInCluster(options);
  return inCluster.ok ? inCluster : kubeconfig;
}
