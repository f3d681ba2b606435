export { ClusterQueueing } from './cluster-queueing.ts';
