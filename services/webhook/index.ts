export * from './metrics.ts';
export { scheduledPod } from './scheduled-pods.ts';
export { templatedPods } from './templated-pods.ts';
export * from './scale-in/index.ts';
