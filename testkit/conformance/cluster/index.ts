export { Observer } from './observer.ts';
export { clusterConformance } from './suite.ts';
export * from './world.ts';
