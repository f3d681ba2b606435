import { fileIn, type Layout } from './layout.ts';
import type { ControlPlaneOptions, KubeSchedulerOptions } from './options.ts';

const accountIssuer = 'https://kubernetes.default.svc.cluster.local';
/** Far above what a test bed asks for, so that no client of ours waits for itself. */
const unlimited = { qps: 5_000, burst: 10_000 } as const;

export function etcdFlags(layout: Layout, options: ControlPlaneOptions): string[] {
  const clients = `http://127.0.0.1:${layout.ports.etcd}`;
  const peers = `http://127.0.0.1:${layout.ports.etcdPeers}`;
  return [
    `--data-dir=${fileIn(layout, 'etcd')}`,
    `--listen-client-urls=${clients}`,
    `--advertise-client-urls=${clients}`,
    `--listen-peer-urls=${peers}`,
    `--initial-advertise-peer-urls=${peers}`,
    `--initial-cluster=default=${peers}`,
    // The data need to survive the process, not the machine.
    '--unsafe-no-fsync',
    `--quota-backend-bytes=${8 * 1024 ** 3}`,
    '--log-level=warn',
    ...(options.flags?.etcd ?? []),
  ];
}

/** All but the one that writes on every node, as the cluster grows, for kubelets that are not there. */
const ordinaryControllers = ['*', '-ttl-controller'];

/** As kubeadm sets it up, but for what a lone machine has no use of. */
export function apiServerFlags(layout: Layout, options: ControlPlaneOptions): string[] {
  return [
    `--etcd-servers=http://127.0.0.1:${layout.ports.etcd}`,
    '--bind-address=127.0.0.1',
    `--secure-port=${layout.ports.apiServer}`,
    `--tls-cert-file=${fileIn(layout, 'serverCertificate')}`,
    `--tls-private-key-file=${fileIn(layout, 'serverKey')}`,
    `--client-ca-file=${fileIn(layout, 'authority')}`,
    `--token-auth-file=${fileIn(layout, 'tokens')}`,
    '--authorization-mode=Node,RBAC',
    '--enable-admission-plugins=NodeRestriction',
    `--service-account-issuer=${accountIssuer}`,
    `--service-account-key-file=${fileIn(layout, 'accountPublicKey')}`,
    `--service-account-signing-key-file=${fileIn(layout, 'accountKey')}`,
    '--service-cluster-ip-range=10.96.0.0/16',
    // Nobody finds the API server through its service, and an endpoint may not be a loopback address.
    '--endpoint-reconciler-type=none',
    '--allow-privileged=true',
    // Without it, an API server that is asked to stop waits for every watch to end by itself.
    '--shutdown-watch-termination-grace-period=1s',
    ...auditFlags(layout, options),
    ...mapFlag('feature-gates', options.featureGates),
    ...mapFlag('runtime-config', options.runtimeConfig),
    ...(options.flags?.apiServer ?? []),
  ];
}

function auditFlags(layout: Layout, options: ControlPlaneOptions): string[] {
  if (options.auditLevel === 'None') return [];
  // Written before the answer is sent, so that who has the answer can read the event; never cut into several files.
  return [
    `--audit-policy-file=${fileIn(layout, 'auditPolicy')}`,
    `--audit-log-path=${fileIn(layout, 'audit')}`,
    '--audit-log-mode=blocking',
    '--audit-log-maxsize=100000',
  ];
}

export function controllerManagerFlags(layout: Layout, options: ControlPlaneOptions): string[] {
  return [
    `--kubeconfig=${fileIn(layout, 'controllerManagerUser')}`,
    '--use-service-account-credentials=true',
    `--service-account-private-key-file=${fileIn(layout, 'accountKey')}`,
    `--root-ca-file=${fileIn(layout, 'authority')}`,
    `--cluster-signing-cert-file=${fileIn(layout, 'authority')}`,
    `--cluster-signing-key-file=${fileIn(layout, 'authorityKey')}`,
    // Alone, it would only lose the lease when etcd is stopped on purpose, and end.
    '--leader-elect=false',
    '--secure-port=0',
    ...requestRate(unlimited),
    // Nodes show that they are alive every ten minutes: KWOK's own stage does.
    '--node-monitor-grace-period=30m',
    `--controllers=${(options.controllers ?? ordinaryControllers).join(',')}`,
    ...mapFlag('feature-gates', options.featureGates),
    ...(options.flags?.controllerManager ?? []),
  ];
}

export function kwokFlags(layout: Layout): string[] {
  return [
    `--kubeconfig=${fileIn(layout, 'kwokUser')}`,
    `--config=${fileIn(layout, 'kwok')}`,
    '--manage-all-nodes=false',
    '--manage-nodes-with-annotation-selector=kwok.x-k8s.io/node=fake',
    // Ten thousand nodes that renew a lease each would keep the API server busier than everything that is tested.
    '--node-lease-duration-seconds=0',
    '--node-port=0',
    `--server-address=127.0.0.1:${layout.ports.kwok}`,
  ];
}

export interface SchedulerFiles {
  readonly configFile: string;
  readonly port: number;
}

export function schedulerFlags(layout: Layout, options: KubeSchedulerOptions, files: SchedulerFiles): string[] {
  return [
    `--config=${files.configFile}`,
    '--bind-address=127.0.0.1',
    `--secure-port=${files.port}`,
    `--tls-cert-file=${fileIn(layout, 'serverCertificate')}`,
    `--tls-private-key-file=${fileIn(layout, 'serverKey')}`,
    `--authentication-kubeconfig=${fileIn(layout, 'schedulerUser')}`,
    `--authorization-kubeconfig=${fileIn(layout, 'schedulerUser')}`,
    ...mapFlag('feature-gates', options.featureGates),
  ];
}

/** The file for `--config`; with it, the flags for the kubeconfig and the request rate would be ignored. */
export function schedulerConfiguration(layout: Layout, options: KubeSchedulerOptions): object {
  const { name = 'default-scheduler', qps = unlimited.qps, burst = unlimited.burst } = options;
  const { profile = {}, extenders = [] } = options;
  return {
    apiVersion: 'kubescheduler.config.k8s.io/v1',
    kind: 'KubeSchedulerConfiguration',
    leaderElection: { leaderElect: false },
    clientConnection: { kubeconfig: fileIn(layout, 'schedulerUser'), qps, burst },
    profiles: [{ schedulerName: name, ...profile }],
    ...(extenders.length === 0 ? {} : { extenders }),
  };
}

function requestRate({ qps, burst }: { readonly qps: number; readonly burst: number }): string[] {
  return [`--kube-api-qps=${qps}`, `--kube-api-burst=${burst}`];
}

function mapFlag(name: string, entries: Readonly<Record<string, boolean>> | undefined): string[] {
  const pairs = Object.entries(entries ?? {}).map(([key, value]) => `${key}=${value}`);
  return pairs.length === 0 ? [] : [`--${name}=${pairs.join(',')}`];
}
