import type { Result } from '@springtide/core/base';
import {
  type BindAnswer,
  type BindOrder,
  type ClusterFailure,
  type EvictAnswer,
  type EvictOrder,
  type KeepVolumeOrder,
  type NominateOrder,
  type PodRef,
  type PodWhereabouts,
  type ReportOrder,
  type WriteAnswer,
} from '@springtide/ports/cluster';
import type { ApiRequest } from '../client/api-client.ts';
import { readOr } from '../fault.ts';
import type { HamiAllocation } from '../hami/allocation.ts';
import { fieldsAt, fieldsOf, has, textAt } from '../fields.ts';

/** The requests that orders become, and what their answers mean. */

type Answered = Result<unknown, ClusterFailure>;

const MERGE_PATCH = 'application/merge-patch+json';
/**
 * Conditions are merged by type. Not server-side apply: a pod's status has many owners already, and bookkeeping of
 * who set what costs the API server more than the change itself.
 */
const STRATEGIC_PATCH = 'application/strategic-merge-patch+json';

function podPath({ namespace, name }: PodRef, subresource = ''): string {
  const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(name)}`;
  return subresource === '' ? path : `${path}/${subresource}`;
}

/** What the API server copies to a pod as it binds it. Labels since Kubernetes 1.35. */
export type Words = Pick<HamiAllocation, 'annotations' | 'labels'>;

/** The uid makes it an order for this incarnation only. */
export function bindRequest({ pod, machine }: BindOrder, words: Words | null): ApiRequest {
  const { name, namespace, uid } = pod;
  const { annotations = [], labels = [] } = words ?? {};
  const notes =
    words === null ? {} : { annotations: Object.fromEntries(annotations), labels: Object.fromEntries(labels) };
  const target = { apiVersion: 'v1', kind: 'Node', name: machine };
  const metadata = { name, namespace, uid, ...notes };
  return {
    method: 'POST',
    path: podPath(pod, 'binding'),
    body: { apiVersion: 'v1', kind: 'Binding', metadata, target },
  };
}

export function bindAnswer(answer: Answered): BindAnswer {
  if (answer.ok) return { answer: 'bound' };
  const failure = answer.error;
  if (isGone(failure)) return { answer: 'gone', failure };
  if (failure.code === 'conflict' || failure.code === 'exists') return { answer: 'conflict', failure };
  return otherAnswer(failure);
}

/** The API server itself tries for ten seconds before it says that the pod is another one. */
const EVICTION_TIMEOUT_MS = 20_000;

export function evictRequest({ pod, graceMs }: EvictOrder): ApiRequest {
  const { name, namespace, uid } = pod;
  const grace = typeof graceMs === 'number' ? { gracePeriodSeconds: Math.ceil(graceMs / 1000) } : {};
  const deleteOptions = { preconditions: { uid }, ...grace };
  const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace }, deleteOptions };
  return { method: 'POST', path: podPath(pod, 'eviction'), body, timeoutMs: EVICTION_TIMEOUT_MS };
}

export function evictAnswer(answer: Answered): EvictAnswer {
  if (answer.ok) return { answer: 'evicted' };
  const failure = answer.error;
  if (isGone(failure)) return { answer: 'gone', failure };
  return failure.code === 'budget' ? { answer: 'blocked', failure } : otherAnswer(failure);
}

/** `sinceWallMs` when the condition was not there before; the time stays as it is otherwise. */
export function reportRequest({ pod, reason, message }: ReportOrder, sinceWallMs: number | null): ApiRequest {
  const since =
    sinceWallMs === null ? {} : { lastTransitionTime: `${new Date(sinceWallMs).toISOString().slice(0, 19)}Z` };
  const condition = { type: 'PodScheduled', status: 'False', reason, message, ...since };
  return statusPatch(pod, { conditions: [condition] });
}

export function nominateRequest({ pod, machine }: NominateOrder): ApiRequest {
  return statusPatch(pod, { nominatedNodeName: machine });
}

function statusPatch(pod: PodRef, status: Readonly<Record<string, unknown>>): ApiRequest {
  const body = { metadata: { uid: pod.uid }, status };
  return { method: 'PATCH', path: podPath(pod, 'status'), contentType: STRATEGIC_PATCH, body };
}

/** Tells a claim that waits for its first consumer where that will be. */
export function selectMachineRequest(claim: string, machine: string): ApiRequest {
  const [namespace = '', name = ''] = claim.split('/');
  const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/persistentvolumeclaims/${encodeURIComponent(name)}`;
  const metadata = { annotations: { 'volume.kubernetes.io/selected-node': machine } };
  return { method: 'PATCH', path, contentType: MERGE_PATCH, body: { metadata } };
}

/** As kube-scheduler does it: the annotation lets the controller take it back when the claim goes. */
export function keepVolumeRequest({ volume, resourceVersion, claim, claimUid: uid }: KeepVolumeOrder): ApiRequest {
  const [namespace = '', name = ''] = claim.split('/');
  const annotations = { 'pv.kubernetes.io/bound-by-controller': 'yes' };
  const claimRef = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace, name, uid };
  const path = `/api/v1/persistentvolumes/${encodeURIComponent(volume)}`;
  const body = { metadata: { resourceVersion, annotations }, spec: { claimRef } };
  return { method: 'PATCH', path, contentType: MERGE_PATCH, body };
}

export interface LockWrite {
  readonly machine: string;
  /** Nothing is written when the node is no longer in this version. */
  readonly version: string;
  readonly annotation: string;
  /** Null takes the lock away. */
  readonly value: string | null;
}

export function lockRequest({ machine, version, annotation, value }: LockWrite): ApiRequest {
  const metadata = { resourceVersion: version, annotations: { [annotation]: value } };
  return {
    method: 'PATCH',
    path: `/api/v1/nodes/${encodeURIComponent(machine)}`,
    contentType: MERGE_PATCH,
    body: { metadata },
  };
}

export function writeAnswer(answer: Answered): WriteAnswer {
  if (answer.ok) return { answer: 'written' };
  return isGone(answer.error) ? { answer: 'gone', failure: answer.error } : otherAnswer(answer.error);
}

export function lookUpRequest(pod: PodRef): ApiRequest {
  return { method: 'GET', path: podPath(pod) };
}

export function whereabouts(answer: Answered, { uid }: PodRef): PodWhereabouts {
  if (!answer.ok) {
    return answer.error.code === 'not-found' ? { answer: 'gone' } : { answer: 'unknown', failure: answer.error };
  }
  return readOr<PodWhereabouts>({ answer: 'gone' }, () => {
    const pod = fieldsOf(answer.value, null);
    const metadata = fieldsAt(pod, 'metadata');
    if (textAt(metadata, 'uid') !== uid) return { answer: 'gone' };
    const machine = textAt(fieldsAt(pod, 'spec'), 'nodeName') || null;
    return { answer: 'found', machine, isDeleting: has(metadata, 'deletionTimestamp') };
  });
}

/** It, or this incarnation of it, is not there: the API server tells a wrong uid as a conflict. */
function isGone({ code, message }: ClusterFailure): boolean {
  return code === 'not-found' || (code === 'conflict' && message.includes('UID in precondition'));
}

type OtherAnswer = { readonly answer: 'forbidden' | 'refused' | 'unknown'; readonly failure: ClusterFailure };

function otherAnswer(failure: ClusterFailure): OtherAnswer {
  if (failure.code === 'forbidden') return { answer: 'forbidden', failure };
  return { answer: failure.retry === 'read-back' ? 'unknown' : 'refused', failure };
}
