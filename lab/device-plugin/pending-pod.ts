import type { PodObject } from './api-objects.ts';

/** What a plug-in reads to find out for which pod it is asked: the kubelet does not say. */
export interface NodeView {
  readonly node: string;
  /** The lock's value; null: there is none. */
  readonly lock: string | null;
  /** Pods of all namespaces, as the API server has them. */
  readonly pods: readonly PodObject[];
}

export type PendingPod =
  | { readonly ok: true; readonly pod: PodObject }
  | { readonly ok: false; readonly error: string };

const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/;

/** The pod that the node's lock names; where it names none, the first whose annotations say that it is being bound. */
export function pendingPod({ node, lock, pods }: NodeView): PendingPod {
  if (lock !== null && lock !== '') {
    const [time = '', namespace, name] = lock.split(',');
    if (!TIME.test(time)) return { ok: false, error: `parsing time ${JSON.stringify(time)}` };
    if (name !== undefined) {
      const pod = pods.find(({ metadata }) => metadata.namespace === namespace && metadata.name === name);
      return pod === undefined ? { ok: false, error: `pods ${JSON.stringify(name)} not found` } : { ok: true, pod };
    }
  }
  const pod = pods.find((each) => isBeingBound(each, node));
  return pod === undefined ? { ok: false, error: `no binding pod found on node ${node}` } : { ok: true, pod };
}

function isBeingBound({ metadata, status }: PodObject, node: string): boolean {
  const annotations = metadata.annotations ?? {};
  const phase = annotations['hami.io/bind-phase'];
  return (
    status.phase === 'Pending' &&
    annotations['hami.io/vgpu-node'] === node &&
    annotations['hami.io/bind-time'] !== undefined &&
    (phase === 'allocating' || phase === 'success')
  );
}
