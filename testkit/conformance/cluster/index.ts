export { clusterConformance } from './suite.ts';
export * from './world.ts';
