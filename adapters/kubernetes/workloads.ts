import { type Fields, below, fieldsAt, integerAt, listAt, requiredTextAt, textAt, textMapAt } from './fields.ts';
import { InputFault } from './fault.ts';
import { refuseBadParts } from './hami/bad-parts.ts';
import { type JobKind, JOB_KINDS } from './jobs/kinds.ts';
import { isFraction } from './kai.ts';
import { podOf } from './pod.ts';
import type { RequestedPods, RequestedWorkload } from './request.ts';
import { topologyOf } from './topology.ts';

export interface RequestOptions {
  readonly rackLabels: readonly string[];
  /** Pod label whose value is the tenant; where it is not set the namespace is. */
  readonly tenantLabel: string;
}

/** A part of a workload before its pods are read. */
interface Part {
  readonly name: string;
  readonly count: number;
  /** The pod template, or the pod itself. */
  readonly template: Fields;
}

interface Shape {
  readonly parts: readonly Part[];
  /** Its pods are replicas of one service. */
  readonly isService: boolean;
  readonly isGang: boolean;
}

type Reader = (item: Fields) => Shape;

/** More copies than any cluster runs are taken for a mistake. */
const COPIES = { absent: 1, min: 0, max: 1_000_000 };

const READERS: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ['Pod', (item) => ({ parts: [{ name: '', count: 1, template: item }], isService: false, isGang: false })],
  ['Deployment', service],
  ['ReplicaSet', service],
  ['StatefulSet', service],
  ...JOB_KINDS.map((kind): [string, Reader] => [kind.kind, job(kind)]),
  ['LeaderWorkerSet', leaderWorkerSet],
]);

export const WORKLOAD_KINDS: readonly string[] = [...READERS.keys()];

export function isWorkload(kind: string): boolean {
  return READERS.has(kind);
}

const GANG = 'springtide.io/gang';
const GROUPS = [
  'scheduling.x-k8s.io/pod-group',
  'pod-group.scheduling.sigs.k8s.io/name',
  'scheduling.k8s.io/group-name',
  'scheduling.volcano.sh/group-name',
];

/** Reads an object whose kind is one of `WORKLOAD_KINDS`. */
export function workloadOf(item: Fields, options: RequestOptions): RequestedWorkload {
  const kind = textAt(item, 'kind');
  const shape = READERS.get(kind)?.(item);
  if (shape === undefined) throw new InputFault('not-a-workload', below(item, 'kind'), 'a workload', kind);
  const metadata = fieldsAt(item, 'metadata');
  const name = textAt(metadata, 'generateName').replace(/-$/, '') || requiredTextAt(metadata, 'name');
  const namespace = textAt(metadata, 'namespace') || 'default';
  const replicas = shape.parts.reduce((sum, part) => sum + part.count, 0);
  const serviceReplicas = shape.isService ? replicas : 0;
  const podSets = shape.parts.map((part) => podsOfPart(part, { name, namespace, serviceReplicas, options }));
  const first = fieldsAt(shape.parts[0]?.template ?? item, 'metadata');
  const annotations = new Map([...textMapAt(metadata, 'annotations'), ...textMapAt(first, 'annotations')]);
  const gang = startsTogether(shape, annotations, textMapAt(first, 'labels'), metadata);
  const topology = topologyOf(annotations, options.rackLabels);
  return { id: `${namespace}/${name}`, kind, replicas, gang, topology, podSets };
}

/** Said outright, or a group of another scheduler is named, or the kind itself implies it. */
function startsTogether(
  shape: Shape,
  annotations: ReadonlyMap<string, string>,
  labels: ReadonlyMap<string, string>,
  metadata: Fields,
): boolean {
  const said = annotations.get(GANG);
  if (said === 'true' || said === 'false') return said === 'true';
  if (said !== undefined) {
    const path = { parent: below(metadata, 'annotations'), key: GANG };
    throw new InputFault('value', path, 'true or false', said);
  }
  return shape.isGang || GROUPS.some((key) => annotations.has(key) || labels.has(key));
}

interface Owner {
  readonly name: string;
  readonly namespace: string;
  readonly serviceReplicas: number;
  readonly options: RequestOptions;
}

function podsOfPart(part: Part, owner: Owner): RequestedPods {
  const { namespace, serviceReplicas, options } = owner;
  const metadata = fieldsAt(part.template, 'metadata');
  const spec = fieldsAt(part.template, 'spec');
  if (listAt(spec, 'containers').length === 0) {
    throw new InputFault('missing', below(spec, 'containers'), 'a list with at least one container', undefined);
  }
  const labels = textMapAt(metadata, 'labels');
  const annotations = textMapAt(metadata, 'annotations');
  refuseBadParts(spec, annotations);
  const read = podOf(part.template, {
    name: part.name === '' ? owner.name : `${owner.name}-${part.name}`,
    namespace,
    labels,
    annotations,
    service: serviceReplicas === 0 ? '' : `${namespace}/${owner.name}`,
    tenant: labels.get(options.tenantLabel) || namespace,
    isBound: false,
    complain: (key, expected) => {
      const parent = below(metadata, annotations.has(key) ? 'annotations' : 'labels');
      throw new InputFault('value', { parent, key }, expected, annotations.get(key) ?? labels.get(key));
    },
  });
  const constraints = { ...read.request.constraints, machine: textAt(spec, 'nodeName') };
  const pod = { ...read, serviceReplicas, request: { ...read.request, constraints } };
  return {
    name: part.name,
    count: part.count,
    pod,
    hasClaims: listAt(spec, 'resourceClaims').length > 0,
    isFraction: isFraction(pod.request.cards, annotations),
  };
}

function service(item: Fields): Shape {
  const spec = fieldsAt(item, 'spec');
  const parts = [{ name: '', count: integerAt(spec, 'replicas', COPIES), template: fieldsAt(spec, 'template') }];
  return { parts, isService: true, isGang: false };
}

/** Pods of an indexed job know their rank, which is how training jobs find each other: they start together. */
function job(kind: JobKind): Reader {
  return (item) => {
    const templates = kind.templates(item);
    const isGang =
      kind.kind !== 'Job' ||
      (textAt(fieldsAt(item, 'spec'), 'completionMode') === 'Indexed' && templates.some(({ count }) => count > 1));
    const parts = templates.map(({ podSet, count, template }) => ({
      name: kind.kind === 'Job' ? '' : podSet,
      count,
      template,
    }));
    return { parts, isService: false, isGang };
  };
}

/** Every group is a leader and its workers; the leader's template is the workers' where it has none of its own. */
function leaderWorkerSet(item: Fields): Shape {
  const spec = fieldsAt(item, 'spec');
  const group = fieldsAt(spec, 'leaderWorkerTemplate');
  const groups = integerAt(spec, 'replicas', COPIES);
  const size = integerAt(group, 'size', { ...COPIES, min: 1 });
  const worker = fieldsAt(group, 'workerTemplate');
  if (!('leaderTemplate' in group.values)) {
    return { parts: [{ name: 'worker', count: groups * size, template: worker }], isService: false, isGang: true };
  }
  const leader = { name: 'leader', count: groups, template: fieldsAt(group, 'leaderTemplate') };
  const workers = { name: 'worker', count: groups * (size - 1), template: worker };
  return { parts: [leader, workers], isService: false, isGang: true };
}
