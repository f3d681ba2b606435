import { ok, type Result } from '@springtide/core/base';
import type { ClusterFailure } from '@springtide/ports/cluster';
import { readAnswer } from '../client/read-answer.ts';
import { type Fields, booleanAt, fieldsAt, itemsAt, requiredTextAt, textAt, textsAt } from '../fields.ts';
import type { Client } from './installed.ts';

/** Where an object of a namespace is listed. */
interface Listed {
  readonly path: string;
  readonly kind: string;
}

/** What the control plane puts into every namespace, and what is no object of its own. */
const EVERYWHERE: readonly RegExp[] = [
  /^Event /,
  /^ConfigMap kube-root-ca\.crt$/,
  /^ServiceAccount default$/,
  // Of a Service, which is told itself; they go a moment after it.
  /^Endpoint(?:s|Slice) /,
];
const NOT_KEPT = 'metrics.k8s.io';

/** So many are told. */
const NAMES_MAX = 20;

/** Objects in a namespace that somebody would miss, as `Kind name`, of every kind that the cluster serves. */
export async function namespaceContents(client: Client, namespace: string): Promise<Result<string[], ClusterFailure>> {
  const served = await servedKinds(client);
  if (!served.ok) return served;
  const names: string[] = [];
  for (const { path, kind } of served.value(namespace)) {
    const query = { limit: String(NAMES_MAX) };
    const listed = await readAnswer(client, { method: 'GET', path, query }, (list) =>
      itemsAt(list, 'items').map((item) => `${kind} ${requiredTextAt(fieldsAt(item, 'metadata'), 'name')}`),
    );
    if (!listed.ok && !isAbsent(listed.error)) return listed;
    if (listed.ok) names.push(...listed.value.filter((name) => !EVERYWHERE.some((each) => each.test(name))));
    if (names.length >= NAMES_MAX) break;
  }
  return ok(names.slice(0, NAMES_MAX));
}

type PathsIn = (namespace: string) => Listed[];

async function servedKinds(client: Client): Promise<Result<PathsIn, ClusterFailure>> {
  const groups = await readAnswer(client, { method: 'GET', path: '/apis' }, (list) =>
    itemsAt(list, 'groups')
      .filter((group) => textAt(group, 'name') !== NOT_KEPT)
      .map((group) => `/apis/${textAt(fieldsAt(group, 'preferredVersion'), 'groupVersion')}`),
  );
  if (!groups.ok) return groups;
  const kinds: { readonly root: string; readonly plural: string; readonly kind: string }[] = [];
  for (const root of ['/api/v1', ...groups.value]) {
    const read = await readAnswer(client, { method: 'GET', path: root }, (list) =>
      itemsAt(list, 'resources')
        .filter(isListed)
        .map((item) => ({
          root,
          plural: requiredTextAt(item, 'name'),
          kind: requiredTextAt(item, 'kind'),
        })),
    );
    // A group of ours goes from the list a moment after its kinds have gone.
    if (!read.ok && !isAbsent(read.error)) return read;
    if (read.ok) kinds.push(...read.value);
  }
  return ok((namespace) =>
    kinds.map(({ root, plural, kind }) => ({ path: `${root}/namespaces/${namespace}/${plural}`, kind })),
  );
}

function isAbsent({ code }: ClusterFailure): boolean {
  return code === 'unsupported' || code === 'not-found';
}

function isListed(resource: Fields): boolean {
  return booleanAt(resource, 'namespaced') && textsAt(resource, 'verbs').includes('list');
}
