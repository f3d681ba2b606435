export * from './faults.ts';
export * from './lab-cluster.ts';
export * from './lab-world.ts';
