export * from './job-facts.ts';
export * from './levels.ts';
export * from './simple-orders.ts';
export * from './tide.ts';
