import type { ConnectionConfig } from '@springtide/adapters/kubernetes/client';

/** A connection without TLS and without credentials. */
export function plainConfig(server: string, more: Partial<ConnectionConfig> = {}): ConnectionConfig {
  return {
    server,
    serverName: '',
    isInsecure: false,
    authority: null,
    certificate: null,
    key: null,
    authentication: { kind: 'none' },
    impersonation: new Map(),
    proxy: '',
    namespace: 'default',
    cluster: '',
    ...more,
  };
}
