import { ok } from '@springtide/core/base';
import type { ClusterEvent, GangSource, Namespace, WatchedKind } from '@springtide/ports/cluster';
import type { Discovery } from '../client/discovery.ts';
import { InputFault } from '../fault.ts';
import { type Fields, fieldsAt, requiredTextAt, textMapAt } from '../fields.ts';
import { headOf, type ObjectRef } from '../watch/known-objects.ts';
import type { ReflectedResource } from '../watch/reflected.ts';
import type { Fleet } from './fleet.ts';
import type { NodeLocks } from './node-locks.ts';
import { gangId } from './gang-membership.ts';
import {
  coschedulingPodGroup,
  type GangReader,
  indexedJob,
  jobSet,
  kubeflowJob,
  leaderWorkerSet,
  nativePodGroup,
  volcanoPodGroup,
} from './gang-objects.ts';
import { RESOURCE_VERSION } from '../devices/claim-requests.ts';
import type { DeviceObjects } from '../devices/device-objects.ts';
import { budgetOf, priorityClassOf } from './policies.ts';
import { cardQuotaOf } from '../hami/card-quota.ts';
import { POOL_VERSION, poolOf } from './pools.ts';
import { unreadableEvent } from './unreadable.ts';
import { claimOf, storageClassOf, volumeOf } from './volumes.ts';

interface Handlers {
  readonly seen: (object: Fields) => void;
  readonly gone: (object: ObjectRef, last: Fields | null) => void;
}

type Put = (event: ClusterEvent) => void;
type Gone = (object: ObjectRef) => ClusterEvent;

/** One thing that is watched, and what its objects become. */
export interface Source extends Handlers {
  readonly watched: WatchedKind;
  readonly name: string;
  readonly resource: ReflectedResource;
}

export interface SourceTools {
  readonly fleet: Fleet;
  readonly locks: NodeLocks;
  readonly devices: DeviceObjects;
  readonly put: Put;
  readonly discovery: Discovery;
  readonly rackLabels: readonly string[];
}

export function sourcesOf(tools: SourceTools): readonly Source[] {
  return [
    ...fleetSources(tools),
    ...policySources(tools),
    ...volumeSources(tools),
    namespaceSource(tools),
    quotaSource(tools),
    ...gangSources(tools),
    poolSource(tools),
    ...deviceSources(tools),
  ];
}

function always(path: string): ReflectedResource {
  return { path, query: {}, isOptional: false };
}

/** The cluster may lack the version, and then all kinds of it. */
function whereServed(discovery: Discovery, version: string, plural: string): ReflectedResource {
  const isServed = async (): ReturnType<NonNullable<ReflectedResource['isServed']>> => {
    const served = await discovery.served();
    return served.ok ? ok(served.value.has(version)) : served;
  };
  return { path: `/apis/${version}/${plural}`, query: {}, isOptional: true, isServed };
}

function poolSource({ put, discovery }: SourceTools): Source {
  return {
    watched: 'pools',
    name: 'pools',
    resource: whereServed(discovery, POOL_VERSION, 'pools'),
    ...reading(
      'Pool',
      put,
      (object) => ({ kind: 'pool-seen', pool: poolOf(object) }),
      ({ id }) => ({ kind: 'pool-gone', pool: id }),
    ),
  };
}

function fleetSources({ fleet, locks }: SourceTools): Source[] {
  return [
    {
      watched: 'machines',
      name: 'nodes',
      resource: always('/api/v1/nodes'),
      seen: (object) => {
        locks.see(object);
        fleet.seeNode(object);
      },
      gone: (object) => {
        locks.lose(object.id);
        fleet.loseNode(object);
      },
    },
    {
      watched: 'pods',
      name: 'pods',
      resource: always('/api/v1/pods'),
      seen: (object) => fleet.seePod(object),
      gone: (object, last) => fleet.losePod(object, last),
    },
  ];
}

/** Devices of Dynamic Resource Allocation, and what asks for them. */
function deviceSources({ devices, put, discovery }: SourceTools): Source[] {
  const source = (
    watched: WatchedKind,
    plural: string,
    kind: string,
    see: Taking,
    lose: (id: string) => void,
  ): Source => {
    return {
      watched,
      name: plural,
      resource: whereServed(discovery, RESOURCE_VERSION, plural),
      seen: (object) => guarded(kind, put, object, see, lose),
      gone: ({ id }) => lose(id),
    };
  };
  return [
    source('devices', 'resourceslices', 'ResourceSlice', devices.seeSlice, devices.loseSlice),
    source('devices', 'deviceclasses', 'DeviceClass', devices.seeClass, devices.loseClass),
    source('devices', 'devicetaintrules', 'DeviceTaintRule', devices.seeTaintRule, devices.loseTaintRule),
    source('device-claims', 'resourceclaims', 'ResourceClaim', devices.seeClaim, devices.loseClaim),
  ];
}

function policySources({ put }: SourceTools): Source[] {
  return [
    {
      watched: 'budgets',
      name: 'poddisruptionbudgets',
      resource: always('/apis/policy/v1/poddisruptionbudgets'),
      ...reading(
        'PodDisruptionBudget',
        put,
        (object) => ({ kind: 'budget-seen', budget: budgetOf(object) }),
        ({ id }) => ({ kind: 'budget-gone', budget: id }),
      ),
    },
    {
      watched: 'priority-classes',
      name: 'priorityclasses',
      resource: always('/apis/scheduling.k8s.io/v1/priorityclasses'),
      ...reading(
        'PriorityClass',
        put,
        (object) => ({ kind: 'priority-class-seen', priorityClass: priorityClassOf(object) }),
        ({ id }) => ({ kind: 'priority-class-gone', priorityClass: id }),
      ),
    },
  ];
}

function volumeSources({ put }: SourceTools): Source[] {
  return [
    {
      watched: 'claims',
      name: 'persistentvolumeclaims',
      resource: always('/api/v1/persistentvolumeclaims'),
      ...reading(
        'PersistentVolumeClaim',
        put,
        (object) => ({ kind: 'claim-seen', claim: claimOf(object) }),
        ({ id }) => ({ kind: 'claim-gone', claim: id }),
      ),
    },
    {
      watched: 'volumes',
      name: 'persistentvolumes',
      resource: always('/api/v1/persistentvolumes'),
      ...reading(
        'PersistentVolume',
        put,
        (object) => ({ kind: 'volume-seen', volume: volumeOf(object) }),
        ({ id }) => ({ kind: 'volume-gone', volume: id }),
      ),
    },
    {
      watched: 'storage-classes',
      name: 'storageclasses',
      resource: always('/apis/storage.k8s.io/v1/storageclasses'),
      ...reading(
        'StorageClass',
        put,
        (object) => ({ kind: 'storage-class-seen', storageClass: storageClassOf(object) }),
        ({ id }) => ({ kind: 'storage-class-gone', storageClass: id }),
      ),
    },
  ];
}

function namespaceSource({ put }: SourceTools): Source {
  return {
    watched: 'namespaces',
    name: 'namespaces',
    resource: always('/api/v1/namespaces'),
    ...reading(
      'Namespace',
      put,
      (object) => ({ kind: 'namespace-seen', namespace: namespaceOf(object) }),
      ({ id }) => ({ kind: 'namespace-gone', namespace: id }),
    ),
  };
}

function quotaSource({ put }: SourceTools): Source {
  return {
    watched: 'quotas',
    name: 'resourcequotas',
    resource: always('/api/v1/resourcequotas'),
    ...reading(
      'ResourceQuota',
      put,
      (object) => ({ kind: 'quota-seen', quota: cardQuotaOf(object) }),
      ({ id }) => ({ kind: 'quota-gone', quota: id }),
    ),
  };
}

export function namespaceOf(object: Fields): Namespace {
  const metadata = fieldsAt(object, 'metadata');
  return { name: requiredTextAt(metadata, 'name'), labels: textMapAt(metadata, 'labels') };
}

interface GangKind {
  readonly source: GangSource;
  /** Versions that are understood, the best first: the first that is served is read. */
  readonly versions: readonly string[];
  readonly plural: string;
  readonly read: GangReader;
}

const KUBEFLOW_JOBS = ['pytorchjobs', 'tfjobs', 'xgboostjobs', 'paddlejobs', 'jaxjobs'];

/** Where gangs are described. Those that a cluster does not have are not asked for. */
const GANG_KINDS: readonly GangKind[] = [
  {
    source: 'pod-group',
    versions: ['scheduling.k8s.io/v1beta1', 'scheduling.k8s.io/v1alpha3', 'scheduling.k8s.io/v1alpha2'],
    plural: 'podgroups',
    read: nativePodGroup,
  },
  {
    source: 'coscheduling',
    versions: ['scheduling.x-k8s.io/v1alpha1'],
    plural: 'podgroups',
    read: coschedulingPodGroup,
  },
  { source: 'volcano', versions: ['scheduling.volcano.sh/v1beta1'], plural: 'podgroups', read: volcanoPodGroup },
  { source: 'indexed-job', versions: ['batch/v1'], plural: 'jobs', read: indexedJob },
  { source: 'job-set', versions: ['jobset.x-k8s.io/v1alpha2'], plural: 'jobsets', read: jobSet },
  {
    source: 'leader-worker-set',
    versions: ['leaderworkerset.x-k8s.io/v1'],
    plural: 'leaderworkersets',
    read: leaderWorkerSet,
  },
  { source: 'kubeflow', versions: ['kubeflow.org/v2beta1', 'kubeflow.org/v1'], plural: 'mpijobs', read: kubeflowJob },
  ...KUBEFLOW_JOBS.map(
    (plural): GangKind => ({ source: 'kubeflow', versions: ['kubeflow.org/v1'], plural, read: kubeflowJob }),
  ),
];

function gangSources(tools: SourceTools): Source[] {
  return GANG_KINDS.flatMap((kind) => kind.versions.map((version) => gangSource(kind, version, tools)));
}

function gangSource(kind: GangKind, version: string, { put, discovery, rackLabels }: SourceTools): Source {
  const isServed = async (): ReturnType<NonNullable<ReflectedResource['isServed']>> => {
    const served = await discovery.served();
    return served.ok ? ok(kind.versions.find((each) => served.value.has(each)) === version) : served;
  };
  return {
    watched: 'gangs',
    name: `${version} ${kind.plural}`,
    resource: { path: `/apis/${version}/${kind.plural}`, query: {}, isOptional: true, isServed },
    ...reading(
      kind.plural,
      put,
      (object) => {
        const gang = kind.read(object, rackLabels);
        return gang === null ? null : { kind: 'gang-seen', gang };
      },
      ({ id }) => {
        const [namespace = '', name = ''] = id.split('/');
        return { kind: 'gang-gone', gang: gangId(kind.source, namespace, name) };
      },
    ),
  };
}

type Taking = (object: Fields) => void;

/** Takes an object in; what cannot be read is told so, and is no longer there. */
function guarded(kind: string, put: Put, object: Fields, see: Taking, lose: (id: string) => void): void {
  try {
    see(object);
  } catch (error) {
    if (!(error instanceof InputFault)) throw error;
    put(unreadableEvent(kind, object, error));
    lose(headOf(object).id);
  }
}

/** Puts what a reader makes of an object; what it refuses is told as unreadable, and is no longer there. */
function reading(kind: string, put: Put, read: (object: Fields) => ClusterEvent | null, gone: Gone): Handlers {
  const see = (object: Fields): void => {
    const event = read(object);
    if (event !== null) put(event);
  };
  const seen = (object: Fields): void => guarded(kind, put, object, see, () => put(gone(headOf(object))));
  return { seen, gone: (object) => put(gone(object)) };
}
