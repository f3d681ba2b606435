export { type ClusterCounts, KubernetesCluster, type KubernetesClusterOptions } from './cluster.ts';
export { View, type ViewOptions } from './view.ts';
