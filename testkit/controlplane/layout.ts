import { join } from 'node:path';

export interface Ports {
  readonly etcd: number;
  readonly etcdPeers: number;
  readonly apiServer: number;
  readonly kwok: number;
}

/** Where everything of one control plane is. */
export interface Layout {
  readonly folder: string;
  readonly ports: Ports;
}

export const portsCount = 4;

export function layoutOf(
  folder: string,
  [etcd = 0, etcdPeers = 0, apiServer = 0, kwok = 0]: readonly number[],
): Layout {
  return { folder, ports: { etcd, etcdPeers, apiServer, kwok } };
}

export const fileNames = {
  authority: 'ca.crt',
  authorityKey: 'ca.key',
  serverCertificate: 'apiserver.crt',
  serverKey: 'apiserver.key',
  tokens: 'tokens.csv',
  accountKey: 'service-accounts.key',
  accountPublicKey: 'service-accounts.pub',
  auditPolicy: 'audit-policy.json',
  audit: 'audit.jsonl',
  adminUser: 'admin.kubeconfig',
  controllerManagerUser: 'controller-manager.kubeconfig',
  schedulerUser: 'scheduler.kubeconfig',
  kwok: 'kwok.yaml',
  kwokUser: 'kwok.kubeconfig',
  etcd: 'etcd',
  facts: 'control-plane.json',
  socket: 'control.sock',
} as const;

export function fileIn(layout: Layout, name: keyof typeof fileNames): string {
  return join(layout.folder, fileNames[name]);
}

export function urlOf(layout: Layout): string {
  return `https://127.0.0.1:${layout.ports.apiServer}`;
}
