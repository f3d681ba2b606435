import type { KeyPair } from './certificates.ts';

export type Credentials = { readonly token: string } | { readonly keyPair: KeyPair };

export interface KubeconfigParts {
  readonly url: string;
  readonly authority: string;
  readonly user: string;
  readonly credentials: Credentials;
}

/** A kubeconfig that needs no other file. It is JSON, which every reader of YAML reads. */
export function kubeconfigOf({ url, authority, user, credentials }: KubeconfigParts): string {
  const cluster = { server: url, 'certificate-authority-data': base64(authority) };
  const kubeconfig = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'testbed', cluster }],
    users: [{ name: user, user: userOf(credentials) }],
    contexts: [{ name: 'testbed', context: { cluster: 'testbed', user } }],
    'current-context': 'testbed',
  };
  return `${JSON.stringify(kubeconfig, null, 2)}\n`;
}

function userOf(credentials: Credentials): object {
  if ('token' in credentials) return credentials;
  const { certificate, key } = credentials.keyPair;
  return { 'client-certificate-data': base64(certificate), 'client-key-data': base64(key) };
}

function base64(pem: string): string {
  return Buffer.from(pem).toString('base64');
}
