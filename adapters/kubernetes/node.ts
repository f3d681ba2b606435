import type { Location, Taint, TaintEffect } from '@springtide/core/model';
import { cardResource, isInstanceResource } from '@springtide/core/vendors';
import { booleanAt, type Fields, below, fieldsAt, itemsAt, requiredTextAt, textAt, textMapAt } from './fields.ts';
import { InputFault } from './fault.ts';
import { HAMI_KEYS, HAMI_NODE_KEYS } from './hami/keys.ts';
import { type Amounts, amountsAt } from './resources.ts';

/** A node as read, before its cards are made out (which takes the pods too). */
export interface NodeDraft {
  readonly name: string;
  readonly location: Location;
  readonly labels: ReadonlyMap<string, string>;
  readonly taints: readonly Taint[];
  readonly isCordoned: boolean;
  readonly capacity: Amounts;
  readonly allocatable: Amounts;
  /** Only those of HAMi and its like. */
  readonly annotations: ReadonlyMap<string, string>;
}

export interface NodeOptions {
  /** Labels that tell the rack; the first that is set wins. */
  readonly rackLabels: readonly string[];
  readonly cluster: string;
}

export const RACK_LABELS: readonly string[] = [
  'topology.example.com/rack',
  'topology.kubernetes.io/rack',
  'cloud.provider.com/topology-rack',
  'network.topology.nvidia.com/leaf',
];

/** More cards on one machine are taken for a mistake: each becomes a line of the book. */
const CARDS_PER_MACHINE_MAX = 4096;

const REGION_LABELS = ['topology.kubernetes.io/region', 'failure-domain.beta.kubernetes.io/region'];
const ZONE_LABELS = ['topology.kubernetes.io/zone', 'failure-domain.beta.kubernetes.io/zone'];

export function readNode(item: Fields, options: NodeOptions): NodeDraft {
  const metadata = fieldsAt(item, 'metadata');
  const spec = fieldsAt(item, 'spec');
  const status = fieldsAt(item, 'status');
  const labels = textMapAt(metadata, 'labels');
  const annotations = kept(textMapAt(metadata, 'annotations'));
  const capacity = cardsAt(status, 'capacity', annotations);
  const allocatable = cardsAt(status, 'allocatable', annotations);
  return {
    name: requiredTextAt(metadata, 'name'),
    location: {
      region: firstLabel(labels, REGION_LABELS),
      zone: firstLabel(labels, ZONE_LABELS),
      rack: firstLabel(labels, options.rackLabels),
      cluster: options.cluster,
    },
    labels,
    taints: itemsAt(spec, 'taints').map(taintOf),
    isCordoned: booleanAt(spec, 'unschedulable'),
    capacity: capacity.size === 0 ? allocatable : capacity,
    allocatable: allocatable.size === 0 ? capacity : allocatable,
    annotations,
  };
}

export function firstLabel(labels: ReadonlyMap<string, string>, keys: readonly string[]): string {
  for (const key of keys) {
    const value = labels.get(key);
    if (value !== undefined && value !== '') return value;
  }
  return '';
}

function isTaintEffect(text: string): text is TaintEffect {
  return text === 'NoSchedule' || text === 'PreferNoSchedule' || text === 'NoExecute';
}

function taintOf(item: Fields): Taint {
  const effect = textAt(item, 'effect');
  if (!isTaintEffect(effect)) {
    throw new InputFault('value', below(item, 'effect'), 'NoSchedule, PreferNoSchedule or NoExecute', effect);
  }
  return { key: textAt(item, 'key'), value: textAt(item, 'value'), effect };
}

/** The resource list, refused where it has more cards than a machine. Shares of registered cards are no cards. */
function cardsAt(status: Fields, key: string, annotations: ReadonlyMap<string, string>): Amounts {
  const amounts = amountsAt(status, key);
  for (const [name, amount] of amounts) {
    if (amount <= CARDS_PER_MACHINE_MAX || !(cardResource(name) !== null || isInstanceResource(name))) continue;
    if (HAMI_KEYS.some((keys) => keys.resource === name && annotations.has(keys.register))) continue;
    const expected = `at most ${CARDS_PER_MACHINE_MAX} cards on a machine`;
    throw new InputFault('absurd', { parent: below(status, key), key: name }, expected, amount);
  }
  return amounts;
}

function kept(annotations: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  return new Map([...annotations].filter(([key]) => HAMI_NODE_KEYS.has(key)));
}
