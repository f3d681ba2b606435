import { ok, type Result } from '@springtide/core/base';
import type { ClusterFailure } from '@springtide/ports/cluster';
import type { QueueingEvent } from '@springtide/ports/queueing';
import { unreadableEvent } from '../cluster/unreadable.ts';
import type { Discovery } from '../client/discovery.ts';
import { InputFault } from '../fault.ts';
import type { Fields } from '../fields.ts';
import { JOB_KINDS, type JobKind } from '../jobs/kinds.ts';
import { KUEUE_QUEUE_LABEL, QUEUE_LABEL } from '../jobs/labels.ts';
import { headOf, type ObjectRef } from '../watch/known-objects.ts';
import type { ReflectedResource } from '../watch/reflected.ts';
import { cohortOf } from './cohort.ts';
import { flavorOf } from './flavor.ts';
import type { QueuedObjects } from './queued-objects.ts';
import { queueOf } from './queue.ts';
import { QUEUEING_VERSION } from './version.ts';

/** One thing that is watched, and what its objects become. */
export interface QueueingSource {
  readonly name: string;
  readonly resource: ReflectedResource;
  readonly seen: (object: Fields) => void;
  readonly gone: (object: ObjectRef) => void;
}

export interface QueueingSourceTools {
  readonly put: (event: QueueingEvent) => void;
  readonly discovery: Discovery;
  readonly objects: QueuedObjects;
  readonly seeWorkload: (object: Fields) => void;
  readonly loseWorkload: (object: ObjectRef) => void;
}

export function queueingSources(tools: QueueingSourceTools): QueueingSource[] {
  return [
    ...ownSources(tools),
    ...JOB_KINDS.flatMap((kind) => kind.versions.map((version) => jobSource(tools, kind, version))),
    podSource(tools, QUEUE_LABEL),
    podSource(tools, `${KUEUE_QUEUE_LABEL},!${QUEUE_LABEL}`),
    ...LOCAL_QUEUES.map((version) => localQueueSource(tools, version)),
  ];
}

function ownSources({ put, seeWorkload, loseWorkload }: QueueingSourceTools): QueueingSource[] {
  const source = (
    kind: string,
    plural: string,
    see: (object: Fields) => void,
    gone: (object: ObjectRef) => void,
  ): QueueingSource => ({
    name: plural,
    resource: { path: `/apis/${QUEUEING_VERSION}/${plural}`, query: {}, isOptional: false },
    ...guarded(kind, put, see, gone),
  });
  return [
    source(
      'Flavor',
      'flavors',
      (object) => put({ kind: 'flavor-seen', flavor: flavorOf(object) }),
      ({ id }) => put({ kind: 'flavor-gone', flavor: id }),
    ),
    source(
      'Cohort',
      'cohorts',
      (object) => put({ kind: 'cohort-seen', cohort: cohortOf(object) }),
      ({ id }) => put({ kind: 'cohort-gone', cohort: id }),
    ),
    source(
      'Queue',
      'queues',
      (object) => put({ kind: 'queue-seen', queue: queueOf(object) }),
      ({ id }) => put({ kind: 'queue-gone', queue: id }),
    ),
    source('Workload', 'workloads', seeWorkload, loseWorkload),
  ];
}

/** The first of a kind's versions that is served. */
function firstServed(
  discovery: Discovery,
  versions: readonly string[],
  version: string,
): ReflectedResource['isServed'] {
  return async (): Promise<Result<boolean, ClusterFailure>> => {
    const served = await discovery.served();
    return served.ok ? ok(versions.find((each) => served.value.has(each)) === version) : served;
  };
}

function jobSource({ put, discovery, objects }: QueueingSourceTools, kind: JobKind, version: string): QueueingSource {
  const isServed = firstServed(discovery, kind.versions, version);
  return {
    name: `${version} ${kind.plural}`,
    resource: { path: `/apis/${version}/${kind.plural}`, query: {}, isOptional: true, ...(isServed && { isServed }) },
    ...guarded(
      kind.kind,
      put,
      (object) => objects.seeJob(kind, version, object),
      (object) => objects.loseJob(kind, object),
    ),
  };
}

function podSource({ put, objects }: QueueingSourceTools, labelSelector: string): QueueingSource {
  return {
    name: `pods ${labelSelector}`,
    resource: { path: '/api/v1/pods', query: { labelSelector }, isOptional: false },
    ...guarded(
      'Pod',
      put,
      (object) => objects.seePod(object),
      (object) => objects.losePod(object),
    ),
  };
}

/** Where Kueue runs too, what belongs to its queues is left to it. */
const LOCAL_QUEUES = ['kueue.x-k8s.io/v1beta2', 'kueue.x-k8s.io/v1beta1'];

function localQueueSource({ put, discovery }: QueueingSourceTools, version: string): QueueingSource {
  const isServed = firstServed(discovery, LOCAL_QUEUES, version);
  return {
    name: `${version} localqueues`,
    resource: { path: `/apis/${version}/localqueues`, query: {}, isOptional: true, ...(isServed && { isServed }) },
    seen: (object) => put({ kind: 'foreign-queue-seen', queue: idOf(object) }),
    gone: ({ id }) => put({ kind: 'foreign-queue-gone', queue: id }),
  };
}

function idOf({ values }: Fields): string {
  const { namespace, name } = values['metadata'] as { readonly namespace: string; readonly name: string };
  return `${namespace}/${name}`;
}

/** What cannot be read is told so, and is no longer there. */
function guarded(
  kind: string,
  put: QueueingSourceTools['put'],
  see: (object: Fields) => void,
  gone: (object: ObjectRef) => void,
): Pick<QueueingSource, 'seen' | 'gone'> {
  const seen = (object: Fields): void => {
    try {
      see(object);
    } catch (error) {
      if (!(error instanceof InputFault)) throw error;
      const told = unreadableEvent(kind, object, error);
      if (told.kind === 'unreadable') put({ kind: 'unreadable', object: told.object });
      const { id, uid } = headOf(object);
      gone({ id, uid });
    }
  };
  return { seen, gone };
}
