export * from './jobs.ts';
export * from './objects.ts';
