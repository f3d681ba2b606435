export * from './faults.ts';
export * from './quota.ts';
export * from './quota-tree.ts';
