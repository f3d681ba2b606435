export * from './run-time.ts';
export * from './run-time-history.ts';
export * from './run-time-traits.ts';
export * from './survival.ts';
