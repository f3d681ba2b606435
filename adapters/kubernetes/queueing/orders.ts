import type { JobRecord } from '@springtide/core/model';
import type { ClusterFailure, Term } from '@springtide/ports/cluster';
import type { QueueingAnswer, QueueingOrders, SeenWorkload, WaitNote } from '@springtide/ports/queueing';
import type { ApiRequest } from '../client/api-client.ts';
import type { Urgency } from '../client/gate.ts';
import { type Answer, type SendTools, sendUnder } from '../cluster/sending.ts';
import { readOr } from '../fault.ts';
import { fieldsAt, fieldsOf, textAt } from '../fields.ts';
import type { QueuedObjects } from './queued-objects.ts';
import { recordStatus } from './record.ts';
import { timeText } from './times.ts';
import { QUEUEING_VERSION } from './version.ts';
import { workloadFor } from './workload.ts';
import type { WorkloadVersions } from './workload-versions.ts';

export interface QueueingOrderTools extends SendTools {
  readonly objects: QueuedObjects;
  readonly versions: WorkloadVersions;
}

const DONE: QueueingAnswer = { answer: 'done' };
const GONE: QueueingAnswer = { answer: 'gone' };
const MERGE_PATCH = 'application/merge-patch+json';

/** Orders under one time in office. Whether it still holds is asked when an order is sent, not when it is given. */
export function queueingOrders(term: Term, tools: QueueingOrderTools): QueueingOrders {
  const { objects, versions } = tools;
  const send = (urgency: Urgency, key: string, request: () => ApiRequest, read = answerOf): Promise<QueueingAnswer> =>
    sendUnder<QueueingAnswer>(term, tools, { urgency, key, request, read, refused: failed, replaced: DONE });
  const sendAll = async (
    urgency: Urgency,
    id: string,
    requests: readonly ApiRequest[] | undefined,
  ): Promise<QueueingAnswer> => {
    if (requests === undefined) return GONE;
    const answers = await Promise.all(
      requests.map((request, index) => send(urgency, `${urgency} ${id} ${index}`, () => request)),
    );
    return answers.find(({ answer }) => answer !== 'done') ?? DONE;
  };
  const write = (workload: SeenWorkload, status: object, isVersioned: boolean): Promise<QueueingAnswer> => {
    const { uid } = workload;
    const request = (): ApiRequest => statusPatch(workload, status, isVersioned ? versions.of(workload) : undefined);
    const read = (answer: Answer): QueueingAnswer => {
      // Only where nobody else can have written in between.
      if (answer.ok && isVersioned) versions.wrote(uid, versionOf(answer.value));
      return answerOf(answer);
    };
    return send(isVersioned ? 'bind' : 'status', `workload ${uid}`, request, read);
  };
  return {
    create: (job, queue) =>
      send(
        'bind',
        `create ${job.id}`,
        () => ({ method: 'POST', path: pathOf(job.source.namespace), body: workloadFor(job, queue) }),
        createAnswer,
      ),
    keep: (workload, record, note) => write(workload, keptStatus(record, note), true),
    tell: (workload, note) => write(workload, noteStatus(note), false),
    start: (id, placements) => sendAll('bind', id, objects.startRequests(id, placements)),
    stop: (id) => sendAll('evict', id, objects.stopRequests(id)),
    remove: ({ id, uid }) => {
      const request: ApiRequest = { method: 'DELETE', path: pathOfWorkload(id), body: { preconditions: { uid } } };
      return send('status', `remove ${uid}`, () => request);
    },
    tellQueue: (queue, fault) => {
      const path = `/apis/${QUEUEING_VERSION}/queues/${encodeURIComponent(queue)}/status`;
      const body = { status: { fault: fault === '' ? null : fault.slice(0, 1024) } };
      return send('status', `queue ${queue}`, () => ({ method: 'PATCH', path, contentType: MERGE_PATCH, body }));
    },
  };
}

/** Why it waits stands beside what was decided only while it waits. */
function keptStatus(record: JobRecord, note: WaitNote | null): object {
  return { ...noteStatus(note), ...recordStatus(record) };
}

function noteStatus(note: WaitNote | null): object {
  const { position = 0, waiting = 0, reason = '', message = '', promisedStartMs = null, forecast = null } = note ?? {};
  const { p50AtMs = null, p90AtMs = null, madeAtMs = null } = forecast ?? {};
  return {
    position: position || null,
    waiting: waiting || null,
    reason: reason || null,
    message: message.slice(0, 1024) || null,
    promisedStart: promisedStartMs === null ? null : timeText(promisedStartMs),
    startP50: p50AtMs === null ? null : timeText(p50AtMs),
    startP90: p90AtMs === null ? null : timeText(p90AtMs),
    foretoldAt: madeAtMs === null ? null : timeText(madeAtMs),
  };
}

function statusPatch({ id, uid }: SeenWorkload, status: object, resourceVersion: string | undefined): ApiRequest {
  const body = { metadata: { uid, ...(resourceVersion === undefined ? {} : { resourceVersion }) }, status };
  return { method: 'PATCH', path: `${pathOfWorkload(id)}/status`, contentType: MERGE_PATCH, body };
}

function pathOf(namespace: string): string {
  return `/apis/${QUEUEING_VERSION}/namespaces/${encodeURIComponent(namespace)}/workloads`;
}

function pathOfWorkload(id: string): string {
  const [namespace = '', name = ''] = id.split('/');
  return `${pathOf(namespace)}/${encodeURIComponent(name)}`;
}

function versionOf(body: unknown): string {
  return readOr('', () => textAt(fieldsAt(fieldsOf(body, null), 'metadata'), 'resourceVersion'));
}

function createAnswer(answer: Answer): QueueingAnswer {
  return !answer.ok && answer.error.code === 'exists' ? DONE : answerOf(answer);
}

function answerOf(answer: Answer): QueueingAnswer {
  if (answer.ok) return DONE;
  return failed(answer.error);
}

function failed(failure: ClusterFailure): QueueingAnswer {
  if (failure.code === 'not-found') return GONE;
  return {
    answer: failure.retry === 'never' && failure.code !== 'fenced' && failure.code !== 'stopped' ? 'refused' : 'later',
    failure,
  };
}
