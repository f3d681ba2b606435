import { compareText } from '@springtide/core/base';
import type { PodSetPlacement, QueueingEvent, SeenJob } from '@springtide/ports/queueing';
import type { ApiRequest } from '../client/api-client.ts';
import { type Fields, fieldsAt, fieldsOf, textAt } from '../fields.ts';
import { groupKeyOf, jobOfPods, openGates, removePods } from '../jobs/pod-group.ts';
import type { JobKind } from '../jobs/kinds.ts';
import { type ReadJob, readJob } from '../jobs/read-job.ts';
import { type QueuedPod, readQueuedPod } from '../jobs/read-pod.ts';
import { startRequest, stopRequest } from '../jobs/steps.ts';
import type { ObjectRef } from '../watch/known-objects.ts';

/**
 * The objects whose pods wait for admission, as they were last seen: what is told of them, and the requests that start
 * and stop them. Of an object nothing is kept but its job and what its patches need.
 */
export class QueuedObjects {
  readonly #put: (event: QueueingEvent) => void;
  /** By the id of the job. */
  readonly #jobs = new Map<string, ReadJob>();
  /** The job that an object is, by `Kind namespace/name`. */
  readonly #idOf = new Map<string, string>();
  /** By the key of the group, by uid. */
  readonly #groups = new Map<string, Map<string, QueuedPod>>();
  readonly #groupOf = new Map<string, string>();
  /** The key of a group, by the id of its job. */
  readonly #keyOf = new Map<string, string>();

  constructor(put: (event: QueueingEvent) => void) {
    this.#put = put;
  }

  /** Throws an `InputFault` where it cannot be read; then it is as if it were gone. */
  seeJob(kind: JobKind, apiVersion: string, object: Fields): void {
    const typed = fieldsOf({ apiVersion, kind: kind.kind, ...object.values }, object.path);
    const read = readJob(typed, kind);
    const metadata = fieldsAt(object, 'metadata');
    const id = `${textAt(metadata, 'namespace')}/${textAt(metadata, 'name')}`;
    if (read === null) return this.loseJob(kind, { id });
    this.#jobs.set(read.job.id, read);
    this.#idOf.set(`${kind.kind} ${id}`, read.job.id);
    this.#put({ kind: 'job-seen', job: read.job });
  }

  loseJob(kind: JobKind, { id }: Pick<ObjectRef, 'id'>): void {
    const job = this.#idOf.get(`${kind.kind} ${id}`);
    if (job === undefined) return;
    this.#idOf.delete(`${kind.kind} ${id}`);
    this.#jobs.delete(job);
    this.#put({ kind: 'job-gone', job });
  }

  seePod(object: Fields): void {
    const pod = readQueuedPod(object);
    if (pod === null) return this.losePod({ uid: textAt(fieldsAt(object, 'metadata'), 'uid') });
    const key = groupKeyOf(pod);
    const group = this.#groups.get(key) ?? new Map<string, QueuedPod>();
    this.#groups.set(key, group.set(pod.source.uid, pod));
    this.#groupOf.set(pod.source.uid, key);
    this.#tellGroup(key, group);
  }

  losePod({ uid }: Pick<ObjectRef, 'uid'>): void {
    const key = this.#groupOf.get(uid);
    const group = this.#groups.get(key ?? '');
    if (key === undefined || group === undefined) return;
    const { id } = jobOfPods([...group.values()]);
    this.#groupOf.delete(uid);
    group.delete(uid);
    if (group.size > 0) return this.#tellGroup(key, group);
    this.#groups.delete(key);
    this.#keyOf.delete(id);
    this.#put({ kind: 'job-gone', job: id });
  }

  /** Empty: it goes on as it is. Undefined: it is not there. */
  startRequests(id: string, placements: readonly PodSetPlacement[]): ApiRequest[] | undefined {
    const read = this.#jobs.get(id);
    if (read !== undefined) return listOf(startRequest(read.job.source, read.shape, placements));
    const group = this.#groups.get(this.#keyOf.get(id) ?? '');
    return group === undefined ? undefined : openGates(inOrder(group), placements);
  }

  /** Empty: nothing is left to do, or others have to do something first. Undefined: it is not there. */
  stopRequests(id: string): ApiRequest[] | undefined {
    const read = this.#jobs.get(id);
    if (read !== undefined) return listOf(stopRequest(read.job.source, read.shape));
    const group = this.#groups.get(this.#keyOf.get(id) ?? '');
    return group === undefined ? undefined : removePods(inOrder(group));
  }

  #tellGroup(key: string, group: ReadonlyMap<string, QueuedPod>): void {
    const job: SeenJob = jobOfPods(inOrder(group));
    this.#keyOf.set(job.id, key);
    this.#put({ kind: 'job-seen', job });
  }
}

function inOrder(group: ReadonlyMap<string, QueuedPod>): QueuedPod[] {
  return [...group.values()].toSorted((left, right) => compareText(left.source.name, right.source.name));
}

function listOf(request: ApiRequest | null): ApiRequest[] {
  return request === null ? [] : [request];
}
