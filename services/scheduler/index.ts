export * from './facts.ts';
export * from './health.ts';
export * from './metrics.ts';
export * from './service.ts';
export * from './translator.ts';
export * from './wait-message.ts';
