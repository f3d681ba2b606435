export { queueSnapshotOf, type QueueSnapshot, type SnapshotJob } from './snapshot.ts';
export { QueueService, type QueueServiceOptions } from './service.ts';
