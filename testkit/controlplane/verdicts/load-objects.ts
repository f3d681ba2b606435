import type { ApiClient } from '../api-client.ts';

/** A Kubernetes object as JSON. */
type KubeObject = Readonly<Record<string, any>>;

interface Kind {
  readonly api: string;
  readonly plural: string;
  readonly isNamespaced: boolean;
  /** Its status is dropped when it is made, and has to be written by itself. */
  readonly hasOwnStatus: boolean;
}

const kind = (api: string, plural: string, more: Partial<Kind> = {}): Kind => {
  return { api, plural, isNamespaced: false, hasOwnStatus: false, ...more };
};

/** What can be loaded, in the order in which it is made. */
const kinds: Readonly<Record<string, Kind>> = {
  Namespace: kind('/api/v1', 'namespaces'),
  Node: kind('/api/v1', 'nodes'),
  StorageClass: kind('/apis/storage.k8s.io/v1', 'storageclasses'),
  PersistentVolume: kind('/api/v1', 'persistentvolumes', { hasOwnStatus: true }),
  PersistentVolumeClaim: kind('/api/v1', 'persistentvolumeclaims', { isNamespaced: true, hasOwnStatus: true }),
  Pod: kind('/api/v1', 'pods', { isNamespaced: true, hasOwnStatus: true }),
};

/** Makes objects as they are given, with the status they have, whoever wrote it. On a quiet plane they stay so. */
export async function loadObjects(api: ApiClient, objects: readonly KubeObject[]): Promise<void> {
  for (const [name, what] of Object.entries(kinds)) {
    await Promise.all(objects.filter((object) => object['kind'] === name).map((object) => load(api, what, object)));
  }
}

async function load(api: ApiClient, what: Kind, object: KubeObject): Promise<void> {
  const { metadata, status } = object;
  const path = pathOf(what, metadata.namespace);
  const { namespace, name, labels, annotations, ownerReferences } = metadata;
  const own = { namespace, name, labels, annotations: unplayed(annotations), ownerReferences };
  const answer = await api.send({ method: 'POST', path, body: { ...object, metadata: own } });
  // Namespaces of the cluster itself are there already.
  if (answer.status === 409 && object['kind'] === 'Namespace') return;
  if (answer.status >= 400) throw new Error(`${object['kind']} ${name}: ${JSON.stringify(answer.body)}`);
  if (what.hasOwnStatus && status !== undefined) await api.patch(`${path}/${name}/status`, { status });
  if (metadata.deletionTimestamp !== undefined) await api.delete(`${path}/${name}`);
}

/** A node that KWOK plays would not stay as it is. */
function unplayed(annotations: KubeObject | undefined): KubeObject {
  return Object.fromEntries(Object.entries(annotations ?? {}).filter(([key]) => key !== 'kwok.x-k8s.io/node'));
}

/** Removes every object of the kinds that can be loaded, but namespaces, which take their time. */
export async function clearObjects(api: ApiClient, namespaces: readonly string[]): Promise<void> {
  const now = { apiVersion: 'v1', kind: 'DeleteOptions', gracePeriodSeconds: 0 };
  for (const what of Object.values(kinds).toReversed()) {
    if (what.plural === 'namespaces') continue;
    const paths = what.isNamespaced ? namespaces.map((name) => pathOf(what, name)) : [pathOf(what, '')];
    await Promise.all(paths.map((path) => api.delete(path, now)));
  }
}

function pathOf({ api, plural, isNamespaced }: Kind, namespace: string): string {
  return isNamespaced ? `${api}/namespaces/${namespace}/${plural}` : `${api}/${plural}`;
}
