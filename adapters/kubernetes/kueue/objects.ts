import type { CohortSpec, Flavor, PreemptionRules } from '@springtide/core/model';
import type { SeenQueue } from '@springtide/ports/queueing';
import type { AppliedObject } from '../client/apply.ts';
import { tolerationsOf } from '../constraints.ts';
import { below, type Fields, fieldsAt, has, integerAt, itemsAt, requiredTextAt, textAt, textMapAt } from '../fields.ts';
import { taintOf, wordAt } from '../queueing/flavor.ts';
import { labelSelectorAt } from '../selectors.ts';
import type { Losses } from './losses.ts';
import { quotasOfGroups, weightOf } from './quotas.ts';

/** Objects of Kueue, each as what it is here. Each throws an `InputFault` where it cannot be read. */

export function flavorOfKueue(object: Fields, losses: Losses): Flavor {
  const spec = fieldsAt(object, 'spec');
  losses.unknownIn(spec, ['nodeLabels', 'nodeTaints', 'tolerations', 'topologyName']);
  if (has(spec, 'topologyName')) losses.add('topology', below(spec, 'topologyName'), textAt(spec, 'topologyName'));
  return {
    id: nameOf(object),
    nodeSelector: textMapAt(spec, 'nodeLabels'),
    taints: itemsAt(spec, 'nodeTaints').map(taintOf),
    tolerations: tolerationsOf(spec),
    cardModels: null,
    region: '',
    capacity: 'on-demand',
    cardMemoryMiB: 0,
    priceMicrosPerCardHour: 0,
  };
}

export function cohortOfKueue(object: Fields, losses: Losses): CohortSpec {
  const spec = fieldsAt(object, 'spec');
  // `parent` in v1alpha1.
  losses.unknownIn(spec, ['parentName', 'parent', 'resourceGroups', 'fairSharing']);
  const parent = textAt(spec, 'parentName') || textAt(spec, 'parent') || null;
  const { cells } = quotasOfGroups(spec, losses);
  return { id: nameOf(object), parent, weightMilli: weightOf(spec, losses), cells };
}

const QUEUE_FIELDS = [
  'resourceGroups',
  'cohort',
  'cohortName',
  'queueingStrategy',
  'namespaceSelector',
  'flavorFungibility',
  'preemption',
  'admissionChecks',
  'admissionChecksStrategy',
  'stopPolicy',
  'fairSharing',
];

/** A ClusterQueue, before the LocalQueues that lead to it. */
export function queueOfKueue(object: Fields, losses: Losses): SeenQueue {
  const spec = fieldsAt(object, 'spec');
  losses.unknownIn(spec, QUEUE_FIELDS);
  for (const key of ['admissionChecks', 'admissionChecksStrategy']) {
    if (has(spec, key)) losses.add('admission-check', below(spec, key));
  }
  tellFungibility(fieldsAt(spec, 'flavorFungibility'), losses);
  const id = nameOf(object);
  return {
    spec: {
      id,
      tenant: id,
      // `cohort` in v1beta1.
      cohort: textAt(spec, 'cohortName') || textAt(spec, 'cohort') || null,
      weightMilli: weightOf(spec, losses),
      workClass: 'training',
      strategy:
        wordAt(spec, 'queueingStrategy', ['BestEffortFIFO', 'StrictFIFO']) === 'StrictFIFO' ? 'strict' : 'best-effort',
      order: 'submission',
      isStopped: isStopped(spec, losses),
      ...quotasOfGroups(spec, losses),
      preemption: preemptionOf(fieldsAt(spec, 'preemption'), losses),
    },
    namespaces: namespacesOf(spec, losses),
    aliases: [],
  };
}

/** Whoever may use it in Kueue may do so through a LocalQueue only: its aliases say as much where any namespace may. */
function namespacesOf(spec: Fields, losses: Losses): SeenQueue['namespaces'] {
  const selector = labelSelectorAt(spec, 'namespaceSelector');
  if (selector === null) losses.add('no-namespace', below(spec, 'namespaceSelector'));
  if (selector === null || selector.length === 0) return null;
  losses.add('selector', below(spec, 'namespaceSelector'));
  return selector;
}

export function isStopped(spec: Fields, losses: Losses): boolean {
  const policy = wordAt(spec, 'stopPolicy', ['None', 'Hold', 'HoldAndDrain']);
  if (policy === 'HoldAndDrain') losses.add('drain', below(spec, 'stopPolicy'), policy);
  return policy !== 'None';
}

/** How Kueue goes through flavors where nothing is said; `Borrow` is what v1beta1 calls it. */
const USUAL: Readonly<Record<string, readonly string[]>> = {
  whenCanBorrow: ['MayStopSearch', 'Borrow'],
  whenCanPreempt: ['TryNextFlavor'],
  preference: ['BorrowingOverPreemption'],
};

function tellFungibility(from: Fields, losses: Losses): void {
  losses.unknownIn(from, Object.keys(USUAL));
  for (const [key, usual] of Object.entries(USUAL)) {
    const word = textAt(from, key);
    if (word !== '' && !usual.includes(word)) losses.add('flavor-order', below(from, key), word);
  }
}

/** In Kueue nothing is stopped where nothing is said. */
function preemptionOf(from: Fields, losses: Losses): PreemptionRules {
  losses.unknownIn(from, ['withinClusterQueue', 'reclaimWithinCohort', 'borrowWithinCohort']);
  const borrow = fieldsAt(from, 'borrowWithinCohort');
  losses.unknownIn(borrow, ['policy', 'maxPriorityThreshold']);
  const range = { absent: 0, min: -(2 ** 31), max: 2 ** 31 - 1 };
  return {
    withinQueue: OURS[wordAt(from, 'withinClusterQueue', ['Never', 'LowerPriority', 'LowerOrNewerEqualPriority'])],
    reclaimWithinCohort: OURS[wordAt(from, 'reclaimWithinCohort', ['Never', 'LowerPriority', 'Any'])],
    borrowWithinCohort: OURS[wordAt(borrow, 'policy', ['Never', 'LowerPriority'])],
    borrowMaxPriority: has(borrow, 'maxPriorityThreshold') ? integerAt(borrow, 'maxPriorityThreshold', range) : null,
  };
}

const OURS = {
  Never: 'none',
  LowerPriority: 'lower-priority',
  LowerOrNewerEqualPriority: 'lower-or-newer-equal-priority',
  Any: 'any',
} as const;

/** The highest value of a PriorityClass that is not the system's own. */
const PRIORITY_MAX = 1_000_000_000;

/** A WorkloadPriorityClass as the PriorityClass of its name; pods that do not name it keep their own. */
export function priorityClassOfKueue(object: Fields, losses: Losses): AppliedObject {
  losses.unknownIn(object, ['apiVersion', 'kind', 'metadata', 'value', 'description']);
  const asked = integerAt(object, 'value', { absent: 0, min: -(2 ** 31), max: 2 ** 31 - 1 });
  const value = Math.min(asked, PRIORITY_MAX);
  if (value < asked) losses.add('priority', below(object, 'value'), asked);
  const description = textAt(object, 'description');
  return {
    apiVersion: 'scheduling.k8s.io/v1',
    kind: 'PriorityClass',
    metadata: { name: nameOf(object) },
    value,
    // Kueue's classes order the queue; whether pods are evicted is the queue's to say.
    preemptionPolicy: 'Never',
    ...(description === '' ? {} : { description }),
  };
}

export function nameOf(object: Fields): string {
  return requiredTextAt(fieldsAt(object, 'metadata'), 'name');
}
