export * from './fleet.ts';
export * from './objects.ts';
export * from './queues.ts';
export * from './read.ts';
export * from './random/index.ts';
