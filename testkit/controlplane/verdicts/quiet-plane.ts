import type { ControlPlane } from '../control-plane.ts';
import type { ControlPlaneOptions } from '../options.ts';
import { startControlPlane } from '../start.ts';

/** They would change what is made: taints, tokens, priorities, overhead, finalizers that nobody takes off. */
const disabledPlugins = [
  'DefaultTolerationSeconds',
  'Priority',
  'RuntimeClass',
  'ServiceAccount',
  'StorageObjectInUseProtection',
  'TaintNodesByCondition',
];

/**
 * A control plane in which nothing happens by itself: objects stay as they were made, volumes that nobody bound stay
 * unbound. For comparing what schedulers make of one and the same cluster.
 */
export function startQuietPlane(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  return startControlPlane({
    ...options,
    auditLevel: 'None',
    controllers: ['serviceaccount-controller'],
    flags: { apiServer: [`--disable-admission-plugins=${disabledPlugins.join(',')}`] },
  });
}
