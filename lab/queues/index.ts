export * from './machines.ts';
export * from './policies.ts';
export * from './queue-job.ts';
export * from './replay-events.ts';
export * from './run-times.ts';
export * from './score.ts';
export * from './slices.ts';
export * from './waiting-line.ts';
