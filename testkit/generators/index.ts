export * from './families.ts';
export * from './pods.ts';
export * from './quotas.ts';
export * from './scenes.ts';
export * from './steps.ts';
