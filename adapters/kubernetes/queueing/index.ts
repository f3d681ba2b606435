export { ClusterQueueing } from './cluster-queueing.ts';
export { readLiveQueueing, readQueueing, readSubmissions } from './snapshot.ts';
