export * from './node-agents.ts';
export * from './pending-pod.ts';
export * from './to-allocate.ts';
export * from './vendors.ts';
export * from './churn.ts';
