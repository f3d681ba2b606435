export * from './cluster-pod.ts';
export * from './machine-builder.ts';
export * from './pod-builder.ts';
export * from './products.ts';
export * from './request-builder.ts';
export * from './seen-pod.ts';
export * from './selectors.ts';
export * from './workload-builder.ts';
