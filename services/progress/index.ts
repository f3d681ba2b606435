export { type Reply } from './answers.ts';
export * from './service.ts';
export * from './metrics.ts';
