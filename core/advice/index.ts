export * from './queue-advice.ts';
