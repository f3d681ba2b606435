export { type ClusterCounts, KubernetesCluster, type KubernetesClusterOptions } from './cluster.ts';
