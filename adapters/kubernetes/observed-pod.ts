import type { Pod } from '@springtide/core/model';
import { type Fields, booleanAt, fieldsAt, has, itemsAt, listAt, requiredTextAt, textAt, textMapAt } from './fields.ts';
import { HAMI_POD_KEYS } from './hami/keys.ts';
import { fractionGroupsOf, isFraction, isReservation } from './kai.ts';
import { serviceOf } from './owner.ts';
import { podOf } from './pod.ts';
import { type ReplicaFacts, replicaFactsOf } from './replica-facts.ts';

/** A pod as read, before what it holds is made out (which takes the nodes too). */
export interface PodDraft {
  readonly pod: Pod;
  /** Null: it waits. */
  readonly machine: string | null;
  readonly phase: string;
  readonly isDeleting: boolean;
  /** It has scheduling gates: nothing may place it yet. */
  readonly isGated: boolean;
  /** It asks for devices by resource claims (DRA), which the dump does not resolve. */
  readonly hasClaims: boolean;
  readonly ownerKind: string;
  /** Null: no ReplicaSet or StatefulSet keeps it. */
  readonly replica: ReplicaFacts | null;
  /** It asks for a share of a card by KAI's annotations. */
  readonly isFraction: boolean;
  readonly fractionGroups: readonly string[];
  readonly isReservation: boolean;
  readonly initCount: number;
  readonly appCount: number;
  /** HAMi's annotations; null: none. */
  readonly allocations: ReadonlyMap<string, string> | null;
  /** Annotations that could not be read. */
  readonly malformed: readonly string[];
}

export interface PodOptions {
  /** Pod label whose value is the tenant; empty, or where the label is not set: the namespace is. */
  readonly tenantLabel: string;
}

export function podName(item: Fields): string {
  const metadata = fieldsAt(item, 'metadata');
  return `${textAt(metadata, 'namespace') || 'default'}/${requiredTextAt(metadata, 'name')}`;
}

/** Phases in which a pod holds nothing any more. */
export function isFinished(item: Fields): boolean {
  const phase = textAt(fieldsAt(item, 'status'), 'phase');
  return phase === 'Succeeded' || phase === 'Failed';
}

export function readPod(item: Fields, options: PodOptions): PodDraft {
  const metadata = fieldsAt(item, 'metadata');
  const spec = fieldsAt(item, 'spec');
  const namespace = textAt(metadata, 'namespace') || 'default';
  const labels = textMapAt(metadata, 'labels');
  const annotations = textMapAt(metadata, 'annotations');
  const machine = textAt(spec, 'nodeName') || null;
  const malformed: string[] = [];
  const pod = podOf(item, {
    name: requiredTextAt(metadata, 'name'),
    namespace,
    labels,
    annotations,
    service: serviceOf(metadata, namespace, labels),
    tenant: labels.get(options.tenantLabel) || namespace,
    isBound: machine !== null,
    complain: (annotation) => malformed.push(annotation),
  });
  const allocations = [...annotations].filter(([key]) => HAMI_POD_KEYS.has(key));
  return {
    pod,
    machine,
    phase: textAt(fieldsAt(item, 'status'), 'phase', 'Pending'),
    isDeleting: has(metadata, 'deletionTimestamp'),
    isGated: listAt(spec, 'schedulingGates').length > 0,
    hasClaims: listAt(spec, 'resourceClaims').length > 0,
    ownerKind: ownerKindOf(metadata),
    replica: replicaFactsOf(item),
    isFraction: isFraction(pod.request.cards, annotations),
    fractionGroups: fractionGroupsOf(labels),
    isReservation: isReservation(namespace, labels),
    initCount: listAt(spec, 'initContainers').length,
    appCount: listAt(spec, 'containers').length,
    allocations: allocations.length === 0 ? null : new Map(allocations),
    malformed,
  };
}

function ownerKindOf(metadata: Fields): string {
  const owners = itemsAt(metadata, 'ownerReferences');
  const owner = owners.find((item) => booleanAt(item, 'controller')) ?? owners[0];
  return owner === undefined ? '' : textAt(owner, 'kind');
}
