export * from './arrivals.ts';
export * from './curves.ts';
export * from './run.ts';
