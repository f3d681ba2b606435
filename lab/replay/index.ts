export * from './arrivals.ts';
export * from './curves.ts';
export * from './jobs.ts';
export * from './pool.ts';
export * from './remainder.ts';
export * from './run.ts';
export * from './traces.ts';
