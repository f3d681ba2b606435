export * from './api-client.ts';
export * from './apply.ts';
export type { ConnectionConfig } from './connection-config.ts';
export * from './gate.ts';
export { readConnection, readInCluster, SERVICE_ACCOUNT_FOLDER } from './in-cluster.ts';
export { type KubeconfigOptions, readKubeconfig } from './kubeconfig.ts';
export * from './permissions.ts';
export { type Review, Reviews } from './reviews.ts';
export { Transport } from './transport.ts';
