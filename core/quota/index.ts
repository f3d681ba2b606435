export { faultsIn } from './faults.ts';
export * from './claims.ts';
export * from './lacks.ts';
export * from './needs.ts';
export * from './quota.ts';
export * from './quota-tree.ts';
export * from './shares.ts';
export * from './use.ts';
