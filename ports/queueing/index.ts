export * from './jobs.ts';
export * from './objects.ts';
export * from './queueing.ts';
export * from './seen-cluster.ts';
