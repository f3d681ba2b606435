export { type Answer, ApiClient, ApiError, type Call } from './api-client.ts';
export { type AuditEvent, isDenied } from './audit.ts';
export { attachControlPlane, type ControlPlane } from './control-plane.ts';
export type { KubeScheduler } from './kube-scheduler.ts';
export type { AuditLevel, ControlPlaneOptions, KubeSchedulerOptions, RestartOptions } from './options.ts';
export { type Usage, usageOf } from './process/usage.ts';
export { startControlPlane } from './start.ts';
export { isNodeUsable, type NodeOptions, nodeObject } from './fixtures/nodes.ts';
export { type PodOptions, podObject } from './fixtures/pods.ts';
