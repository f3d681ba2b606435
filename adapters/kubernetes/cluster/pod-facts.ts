import type { ClusterPod, PodDeviceClaim, PodOwner, PodPhase, PodVerdict } from '@springtide/ports/cluster';
import { booleanAt, type Fields, fieldsAt, itemsAt, requiredTextAt, textAt, textMapAt } from '../fields.ts';
import type { NodeOptions } from '../node.ts';
import { type PodDraft, type PodOptions, readPod } from '../observed-pod.ts';
import { refuseBadParts } from '../hami/bad-parts.ts';
import { markOf } from '../scale-in-mark.ts';
import { gangOf } from './gang-membership.ts';

/** All of a pod but what depends on its machine. */
export type PodFacts = Omit<ClusterPod, 'pod' | 'held' | 'fractionGroups'>;

export interface ReadPod {
  readonly draft: PodDraft;
  readonly facts: PodFacts;
}

export type ClusterPodOptions = PodOptions & Pick<NodeOptions, 'rackLabels'>;

/** Throws an `InputFault` where the pod cannot be read. */
export function readClusterPod(object: Fields, options: ClusterPodOptions): ReadPod {
  const draft = readPod(object, options);
  const metadata = fieldsAt(object, 'metadata');
  const spec = fieldsAt(object, 'spec');
  const status = fieldsAt(object, 'status');
  const name = requiredTextAt(metadata, 'name');
  const { namespace, labels } = draft.pod;
  const malformed = [...draft.malformed];
  const annotations = textMapAt(metadata, 'annotations');
  // A pod that is on a machine holds what it holds, whatever it asked for.
  if (draft.machine === null) refuseBadParts(spec, annotations);
  const { rackLabels } = options;
  const gang = gangOf({ spec, namespace, labels, annotations, rackLabels, complain: (key) => malformed.push(key) });
  const conditions = itemsAt(status, 'conditions');
  const { machine, isDeleting, isGated } = draft;
  const facts: PodFacts = {
    uid: requiredTextAt(metadata, 'uid'),
    namespace,
    name,
    resourceVersion: textAt(metadata, 'resourceVersion'),
    machine,
    phase: phaseOf(status),
    isReady: conditions.some((item) => textAt(item, 'type') === 'Ready' && textAt(item, 'status') === 'True'),
    isDeleting,
    isGated,
    deviceClaims: deviceClaimsOf(spec, status),
    volumeClaims: volumeClaimsOf(spec, name),
    schedulerName: textAt(spec, 'schedulerName', 'default-scheduler'),
    createdAtMs: timeAt(metadata, 'creationTimestamp') ?? 0,
    startedAtMs: timeAt(status, 'startTime'),
    preemptionPolicy: textAt(spec, 'preemptionPolicy') === 'Never' ? 'Never' : 'PreemptLowerPriority',
    nominatedMachine: textAt(status, 'nominatedNodeName') || null,
    gang,
    owner: ownerOf(metadata),
    verdict: verdictOf(conditions),
    scaleInMark: markOf(annotations),
    malformed,
  };
  return { draft, facts };
}

const PHASES: ReadonlySet<string> = new Set<PodPhase>(['Pending', 'Running', 'Succeeded', 'Failed', 'Unknown']);

function isPhase(text: string): text is PodPhase {
  return PHASES.has(text);
}

export function phaseOf(status: Fields): PodPhase {
  const phase = textAt(status, 'phase', 'Pending');
  return isPhase(phase) ? phase : 'Unknown';
}

/** An ephemeral volume has a claim of its own, named after the pod and the volume. */
function volumeClaimsOf(spec: Fields, pod: string): string[] {
  return itemsAt(spec, 'volumes').flatMap((volume) => {
    const claim = textAt(fieldsAt(volume, 'persistentVolumeClaim'), 'claimName');
    if (claim !== '') return [claim];
    return 'ephemeral' in volume.values ? [`${pod}-${textAt(volume, 'name')}`] : [];
  });
}

/** Claims that name a template have been made when the status names them; one that turned out needless has no name. */
function deviceClaimsOf(spec: Fields, status: Fields): PodDeviceClaim[] {
  const asked = itemsAt(spec, 'resourceClaims');
  if (asked.length === 0) return [];
  const made = new Map(
    itemsAt(status, 'resourceClaimStatuses').map((item) => [textAt(item, 'name'), textAt(item, 'resourceClaimName')]),
  );
  return asked.flatMap((item): PodDeviceClaim[] => {
    const name = textAt(item, 'name');
    const own = textAt(item, 'resourceClaimName');
    if (own !== '') return [{ name, claim: own, isOwn: false }];
    const claim = made.get(name);
    return claim === '' ? [] : [{ name, claim: claim ?? '', isOwn: true }];
  });
}

function timeAt(from: Fields, key: string): number | null {
  const text = textAt(from, key);
  const time = text === '' ? Number.NaN : Date.parse(text);
  return Number.isNaN(time) ? null : time;
}

function ownerOf(metadata: Fields): PodOwner | null {
  const owners = itemsAt(metadata, 'ownerReferences');
  const owner = owners.find((item) => booleanAt(item, 'controller')) ?? owners[0];
  if (owner === undefined) return null;
  const [apiVersion, kind] = [textAt(owner, 'apiVersion'), textAt(owner, 'kind')];
  return { apiVersion, kind, name: textAt(owner, 'name'), uid: textAt(owner, 'uid') };
}

function verdictOf(conditions: readonly Fields[]): PodVerdict | null {
  const condition = conditions.find((item) => textAt(item, 'type') === 'PodScheduled');
  if (condition === undefined || textAt(condition, 'status') !== 'False') return null;
  return { reason: textAt(condition, 'reason'), message: textAt(condition, 'message') };
}
