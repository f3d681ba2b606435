import type { NodeSelectorTerm, SelectorExpression } from '@springtide/core/model';
import type { StorageClass, Volume, VolumeClaim } from '@springtide/ports/cluster';
import { type Fields, fieldsAt, has, itemsAt, requiredTextAt, textAt, textMapAt, textsAt } from '../fields.ts';
import { amountsAt } from '../resources.ts';
import { labelSelectorAt, nodeTermsAt } from '../selectors.ts';

const SELECTED = 'volume.kubernetes.io/selected-node';
const OLD_CLASS = 'volume.beta.kubernetes.io/storage-class';
const BIND_COMPLETED = 'pv.kubernetes.io/bind-completed';
const NO_PROVISIONER = 'kubernetes.io/no-provisioner';

/** Labels of a volume that say where it is, the old ones beside those of now. */
const PLACES: readonly (readonly [label: string, old: string])[] = [
  ['topology.kubernetes.io/zone', 'failure-domain.beta.kubernetes.io/zone'],
  ['topology.kubernetes.io/region', 'failure-domain.beta.kubernetes.io/region'],
];

export function claimOf(object: Fields): VolumeClaim {
  const metadata = fieldsAt(object, 'metadata');
  const spec = fieldsAt(object, 'spec');
  const annotations = textMapAt(metadata, 'annotations');
  const volume = textAt(spec, 'volumeName');
  return {
    uid: requiredTextAt(metadata, 'uid'),
    id: `${textAt(metadata, 'namespace')}/${requiredTextAt(metadata, 'name')}`,
    volume,
    isBound: volume !== '' && annotations.has(BIND_COMPLETED),
    isLost: textAt(fieldsAt(object, 'status'), 'phase') === 'Lost',
    storageClass: classOf(spec, annotations),
    selector: labelSelectorAt(spec, 'selector'),
    mode: textAt(spec, 'volumeMode', FILESYSTEM),
    attributesClass: textAt(spec, 'volumeAttributesClassName'),
    bytes: amountsAt(fieldsAt(spec, 'resources'), 'requests').get('storage') ?? 0,
    accessModes: textsAt(spec, 'accessModes'),
    selectedMachine: annotations.get(SELECTED) ?? '',
    isDeleting: has(metadata, 'deletionTimestamp'),
  };
}

export function volumeOf(object: Fields): Volume {
  const metadata = fieldsAt(object, 'metadata');
  const spec = fieldsAt(object, 'spec');
  const claim = fieldsAt(spec, 'claimRef');
  const labels = textMapAt(metadata, 'labels');
  return {
    name: requiredTextAt(metadata, 'name'),
    resourceVersion: textAt(metadata, 'resourceVersion'),
    labels,
    machines: affinityOf(spec),
    zones: zonesOf(labels),
    storageClass: classOf(spec, textMapAt(metadata, 'annotations')),
    bytes: amountsAt(spec, 'capacity').get('storage') ?? 0,
    accessModes: textsAt(spec, 'accessModes'),
    claim: textAt(claim, 'name') === '' ? '' : `${textAt(claim, 'namespace')}/${textAt(claim, 'name')}`,
    claimUid: textAt(claim, 'uid'),
    isFree: textAt(fieldsAt(object, 'status'), 'phase') === 'Available',
    isDeleting: has(metadata, 'deletionTimestamp'),
    mode: textAt(spec, 'volumeMode', FILESYSTEM),
    attributesClass: textAt(spec, 'volumeAttributesClassName'),
  };
}

const FILESYSTEM = 'Filesystem';

/** The annotation of old wins over the field, as in Kubernetes. */
function classOf(spec: Fields, annotations: ReadonlyMap<string, string>): string {
  return annotations.get(OLD_CLASS) ?? textAt(spec, 'storageClassName');
}

function affinityOf(spec: Fields): NodeSelectorTerm[] | null {
  const affinity = fieldsAt(spec, 'nodeAffinity');
  return nodeTermsAt(affinity, 'required');
}

/**
 * Where the labels of a volume say that it is: every one has to match the machine's own. An old label may match the
 * new one of a machine that has not the old one. A machine that tells no place at all is in the only one there is.
 */
function zonesOf(labels: ReadonlyMap<string, string>): NodeSelectorTerm[] | null {
  let alternatives: SelectorExpression[][] = [[]];
  for (const [label, old] of PLACES) {
    const values = placesAt(labels, label);
    const oldValues = placesAt(labels, old);
    if (values.length > 0) alternatives = crossed(alternatives, [[isIn(label, values)]]);
    if (oldValues.length === 0) continue;
    const here = [[isIn(old, oldValues)], [lacks(old), isIn(label, oldValues)]];
    alternatives = crossed(alternatives, here);
  }
  if (alternatives[0]?.length === 0) return null;
  const nowhere = PLACES.flatMap(([label, old]) => [lacks(label), lacks(old)]);
  return [...alternatives, nowhere].map((expressions) => ({ expressions, fields: [] }));
}

/** Several zones are joined by two underscores; a label with an empty one says nothing. */
function placesAt(labels: ReadonlyMap<string, string>, key: string): string[] {
  const values = labels.get(key)?.split('__') ?? [];
  return values.some((value) => value.trim() === '') ? [] : values.map((value) => value.trim());
}

function crossed(
  left: readonly SelectorExpression[][],
  right: readonly SelectorExpression[][],
): SelectorExpression[][] {
  return left.flatMap((one) => right.map((other) => [...one, ...other]));
}

function isIn(key: string, values: readonly string[]): SelectorExpression {
  return { key, operator: 'In', values };
}

function lacks(key: string): SelectorExpression {
  return { key, operator: 'DoesNotExist', values: [] };
}

export function storageClassOf(object: Fields): StorageClass {
  const topologies = itemsAt(object, 'allowedTopologies').map((term) => ({
    fields: [],
    expressions: itemsAt(term, 'matchLabelExpressions').map((item): SelectorExpression => {
      return { key: textAt(item, 'key'), operator: 'In', values: textsAt(item, 'values') };
    }),
  }));
  return {
    name: requiredTextAt(fieldsAt(object, 'metadata'), 'name'),
    isLate: textAt(object, 'volumeBindingMode') === 'WaitForFirstConsumer',
    isProvisioned: textAt(object, 'provisioner') !== NO_PROVISIONER,
    machines: topologies.length === 0 ? null : topologies,
  };
}
