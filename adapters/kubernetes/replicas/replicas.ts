import { err, ok, type Result } from '@springtide/core/base';
import { type ClusterFailure, clusterFailure, type PodRef } from '@springtide/ports/cluster';
import type { MarkAnswer, MarkOrder, ReplicaPod, Replicas, ReplicaSet } from '@springtide/ports/replicas';
import type { ApiClient } from '../client/api-client.ts';
import { InputFault } from '../fault.ts';
import {
  booleanAt,
  type Fields,
  fieldsAt,
  fieldsOf,
  has,
  integerAt,
  itemsAt,
  requiredTextAt,
  textAt,
} from '../fields.ts';
import { listAll } from '../list-all.ts';
import { isFinished, readPod } from '../observed-pod.ts';
import { CHOSEN_COST, DELETION_COST, markText, SCALE_IN_MARK } from '../scale-in-mark.ts';
import { labelSelectorAt } from '../selectors.ts';
import { selectorText } from './selector-text.ts';

type Client = Pick<ApiClient, 'request'>;

/** Replicas as an API server has them. */
export function kubernetesReplicas(client: Client): Replicas {
  return {
    ofDeployment: (namespace, name) => setsOfDeployment(client, namespace, name),
    replicaSet: async (namespace, name) => {
      const object = await objectAt(client, pathOf(namespace, 'replicasets', name));
      return object.ok ? reading(() => replicaSetOf(object.value)) : object;
    },
    pods: (replicaSet) => podsOf(client, replicaSet),
    mark: (order) => markPod(client, order),
  };
}

function pathOf(namespace: string, plural: 'deployments' | 'replicasets', name = ''): string {
  const list = `/apis/apps/v1/namespaces/${encodeURIComponent(namespace)}/${plural}`;
  return name === '' ? list : `${list}/${encodeURIComponent(name)}`;
}

async function objectAt(client: Client, path: string): Promise<Result<Fields, ClusterFailure>> {
  const answer = await client.request({ method: 'GET', path });
  return answer.ok ? reading(() => fieldsOf(answer.value, null)) : answer;
}

/** An object that cannot be read is none that the API promises. */
function reading<T>(read: () => T): Result<T, ClusterFailure> {
  try {
    return ok(read());
  } catch (error) {
    if (!(error instanceof InputFault)) throw error;
    return err(clusterFailure('malformed', `expected ${error.expected}`));
  }
}

/** Objects of a list that a selector finds, each as it is read; empty ones are left out. */
async function listed<T>(
  client: Client,
  path: string,
  labelSelector: string,
  read: (object: Fields) => T | null,
): Promise<Result<readonly T[], ClusterFailure>> {
  const objects: Fields[] = [];
  const query = labelSelector === '' ? {} : { labelSelector };
  const answer = await listAll(client, path, (object) => objects.push(object) > 0, query);
  return answer.ok ? reading(() => objects.flatMap((object) => read(object) ?? [])) : answer;
}

const COUNT = { absent: 1, min: 0, max: 2 ** 31 };

function replicaSetOf(object: Fields): ReplicaSet {
  const metadata = fieldsAt(object, 'metadata');
  const spec = fieldsAt(object, 'spec');
  return {
    uid: requiredTextAt(metadata, 'uid'),
    namespace: requiredTextAt(metadata, 'namespace'),
    name: requiredTextAt(metadata, 'name'),
    replicas: integerAt(spec, 'replicas', COUNT),
    selector: selectorText(labelSelectorAt(spec, 'selector') ?? []),
  };
}

async function setsOfDeployment(
  client: Client,
  namespace: string,
  name: string,
): Promise<Result<readonly ReplicaSet[], ClusterFailure>> {
  const deployment = await objectAt(client, pathOf(namespace, 'deployments', name));
  if (!deployment.ok) return deployment;
  const wanted = reading(() => ({
    uid: requiredTextAt(fieldsAt(deployment.value, 'metadata'), 'uid'),
    selector: selectorText(labelSelectorAt(fieldsAt(deployment.value, 'spec'), 'selector') ?? []),
  }));
  if (!wanted.ok) return wanted;
  const { uid, selector } = wanted.value;
  return listed(client, pathOf(namespace, 'replicasets'), selector, (object) =>
    isKeptBy(object, uid) && hasReplicas(object) ? replicaSetOf(object) : null,
  );
}

function hasReplicas(replicaSet: Fields): boolean {
  const wanted = integerAt(fieldsAt(replicaSet, 'spec'), 'replicas', COUNT);
  const present = integerAt(fieldsAt(replicaSet, 'status'), 'replicas', { ...COUNT, absent: 0 });
  return wanted > 0 || present > 0;
}

function isKeptBy(object: Fields, uid: string): boolean {
  const owners = itemsAt(fieldsAt(object, 'metadata'), 'ownerReferences');
  return owners.some((owner) => booleanAt(owner, 'controller') && textAt(owner, 'uid') === uid);
}

function podsOf(client: Client, { uid, namespace, selector }: ReplicaSet): ReturnType<Replicas['pods']> {
  const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods`;
  return listed(client, path, selector, (object) => {
    const isActive = !isFinished(object) && !has(fieldsAt(object, 'metadata'), 'deletionTimestamp');
    return isActive && isKeptBy(object, uid) ? replicaPodOf(object) : null;
  });
}

function replicaPodOf(object: Fields): ReplicaPod | null {
  const { pod, machine, replica: facts } = readPod(object, { tenantLabel: '' });
  if (facts === null) return null;
  const { mark, owner: _, ...others } = facts;
  const metadata = fieldsAt(object, 'metadata');
  const ref = { uid: facts.uid, namespace: pod.namespace, name: requiredTextAt(metadata, 'name') };
  const resourceVersion = requiredTextAt(metadata, 'resourceVersion');
  return { ref, resourceVersion, mark, replica: { ...others, pod, machine } };
}

/** The version makes it a change of the pod as it was seen: whoever wrote a cost since is not overruled. */
async function markPod(client: Client, { pod, resourceVersion, mark }: MarkOrder): Promise<MarkAnswer> {
  const annotations = {
    [DELETION_COST]: mark === null ? null : CHOSEN_COST,
    [SCALE_IN_MARK]: mark === null ? null : markText(mark),
  };
  const answer = await client.request({
    method: 'PATCH',
    path: podPath(pod),
    contentType: 'application/merge-patch+json',
    body: { metadata: { uid: pod.uid, resourceVersion, annotations } },
  });
  return answer.ok ? { answer: 'written' } : markFailure(answer.error);
}

function markFailure(failure: ClusterFailure): MarkAnswer {
  if (failure.code === 'not-found') return { answer: 'gone' };
  return failure.code === 'conflict' ? { answer: 'changed' } : { answer: 'failed', failure };
}

function podPath({ namespace, name }: PodRef): string {
  return `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(name)}`;
}
