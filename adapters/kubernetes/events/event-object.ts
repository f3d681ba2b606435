import type { EventRecord } from '@springtide/ports/cluster';
import type { ApiRequest } from '../client/api-client.ts';
import { microTime } from '../lease/lease-object.ts';

/** What the API takes; longer texts are cut, since an event that is refused helps nobody. */
const NOTE_BYTES_MAX = 1024;
const WORD_LENGTH_MAX = 128;
const NAME_LENGTH_MAX = 200;

const GANG_KINDS: Readonly<Record<string, readonly [apiVersion: string, kind: string]>> = {
  'pod-group': ['scheduling.k8s.io/v1beta1', 'PodGroup'],
  coscheduling: ['scheduling.x-k8s.io/v1alpha1', 'PodGroup'],
  volcano: ['scheduling.volcano.sh/v1beta1', 'PodGroup'],
  'indexed-job': ['batch/v1', 'Job'],
  'job-set': ['jobset.x-k8s.io/v1alpha2', 'JobSet'],
  'leader-worker-set': ['leaderworkerset.x-k8s.io/v1', 'LeaderWorkerSet'],
};

export interface Reporter {
  /** Such as `springtide.io/scheduler`, and which of its replicas. */
  readonly controller: string;
  readonly instance: string;
}

/** The name of an event object, and where it is. */
export interface EventPlace {
  readonly namespace: string;
  readonly name: string;
}

interface Regarding {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
  readonly uid: string;
}

/** Events about a machine are kept where kubectl looks for them, under its name as the uid as kubelets have it. */
function regardingOf({ about }: EventRecord): Regarding {
  switch (about.kind) {
    case 'pod':
      return { apiVersion: 'v1', kind: 'Pod', ...about.pod };
    case 'machine':
      return { apiVersion: 'v1', kind: 'Node', name: about.machine, uid: about.machine };
    case 'gang': {
      const [source = '', name = ''] = about.gang.split(':');
      const [apiVersion, kind] = GANG_KINDS[source] ?? ['v1', 'Pod'];
      return { apiVersion, kind, name: name.split('/')[1] ?? '', namespace: about.namespace, uid: about.uid };
    }
  }
}

/** What is told about one object in one word: repeats of it are folded. */
export function foldKey(event: EventRecord): string {
  const { kind, uid } = regardingOf(event);
  return [kind, uid, event.type, event.reason, event.action].join(' ');
}

export function placeOf(event: EventRecord, unique: string): EventPlace {
  const { name, namespace } = regardingOf(event);
  return { namespace: namespace ?? 'default', name: `${name.slice(0, NAME_LENGTH_MAX)}.${unique}` };
}

function path(namespace: string): string {
  return `/apis/events.k8s.io/v1/namespaces/${encodeURIComponent(namespace)}/events`;
}

export function createRequest(event: EventRecord, place: EventPlace, by: Reporter, wallMs: number): ApiRequest {
  const body = {
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata: place,
    eventTime: microTime(wallMs),
    reportingController: by.controller,
    reportingInstance: by.instance.slice(0, WORD_LENGTH_MAX),
    action: event.action.slice(0, WORD_LENGTH_MAX),
    reason: event.reason.slice(0, WORD_LENGTH_MAX),
    regarding: regardingOf(event),
    note: cut(event.note, NOTE_BYTES_MAX),
    type: event.type,
  };
  return { method: 'POST', path: path(place.namespace), body };
}

export function seriesRequest({ namespace, name }: EventPlace, count: number, wallMs: number): ApiRequest {
  const body = { series: { count, lastObservedTime: microTime(wallMs) } };
  const contentType = 'application/merge-patch+json';
  return { method: 'PATCH', path: `${path(namespace)}/${encodeURIComponent(name)}`, contentType, body };
}

/** At most so many bytes of UTF-8, with no character cut in two. */
export function cut(text: string, bytesMax: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= bytesMax) return text;
  let end = bytesMax - 3;
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return `${bytes.subarray(0, end).toString('utf8')}…`;
}
