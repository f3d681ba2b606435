import type { Space } from '../controlplane/fixtures/index.ts';
import type { ControlPlane } from '../controlplane/index.ts';

/** What the API server itself says of one test's part of the cluster. */
export interface ClusterState {
  readonly pods: readonly any[];
  readonly nodes: readonly any[];
  /** Events about its objects. */
  readonly events: readonly any[];
  /** How often each pod, `namespace/name`, was created and bound with success, as the audit log has it. */
  readonly created: ReadonlyMap<string, number>;
  readonly bound: ReadonlyMap<string, number>;
}

/** Reads pods, nodes and events with a plain client, and who bound what in the audit log. */
export async function readState(plane: ControlPlane, space: Space): Promise<ClusterState> {
  const [[label, value] = ['', '']] = Object.entries(space.nodeLabels);
  const [pods, nodes, events] = await Promise.all([
    plane.api.get(`${space.path}/pods`),
    plane.api.get(`/api/v1/nodes?labelSelector=${encodeURIComponent(`${label}=${value}`)}`),
    plane.api.get(`/apis/events.k8s.io/v1/namespaces/${space.namespace}/events`),
  ]);
  const writes = await readWrites(plane, space.namespace);
  return { pods: pods.items, nodes: nodes.items, events: events.items, ...writes };
}

/** Successful creations and bindings of the pods of a namespace. */
export async function readWrites(
  plane: ControlPlane,
  namespace: string,
): Promise<Pick<ClusterState, 'created' | 'bound'>> {
  const created = new Map<string, number>();
  const bound = new Map<string, number>();
  for await (const { verb, objectRef, responseStatus, stage } of plane.auditEvents()) {
    if (verb !== 'create' || stage !== 'ResponseComplete' || objectRef?.namespace !== namespace) continue;
    if (objectRef.resource !== 'pods' || (responseStatus?.code ?? 500) >= 300) continue;
    const counts = { '': created, binding: bound }[objectRef.subresource ?? ''];
    const id = `${namespace}/${objectRef.name ?? ''}`;
    counts?.set(id, (counts.get(id) ?? 0) + 1);
  }
  return { created, bound };
}
