export * from './advice.ts';
export * from './jobs.ts';
export * from './progress.ts';
export * from './queue-advice.ts';
export * from './quotas.ts';
export * from './refusals.ts';
export * from './requests.ts';
export * from './units.ts';
