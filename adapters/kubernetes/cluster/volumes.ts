import type { NodeSelectorTerm, SelectorExpression } from '@springtide/core/model';
import type { StorageClass, Volume, VolumeClaim } from '@springtide/ports/cluster';
import { type Fields, fieldsAt, has, itemsAt, requiredTextAt, textAt, textMapAt, textsAt } from '../fields.ts';
import { amountsAt } from '../resources.ts';
import { expressionsAt } from '../selectors.ts';

const SELECTED = 'volume.kubernetes.io/selected-node';
const OLD_CLASS = 'volume.beta.kubernetes.io/storage-class';
const NO_PROVISIONER = 'kubernetes.io/no-provisioner';

/** Labels of a volume that say where it is, and what the same is called on a node. */
const PLACE_LABELS: ReadonlyMap<string, string> = new Map([
  ['topology.kubernetes.io/zone', 'topology.kubernetes.io/zone'],
  ['topology.kubernetes.io/region', 'topology.kubernetes.io/region'],
  ['failure-domain.beta.kubernetes.io/zone', 'topology.kubernetes.io/zone'],
  ['failure-domain.beta.kubernetes.io/region', 'topology.kubernetes.io/region'],
]);

export function claimOf(object: Fields): VolumeClaim {
  const metadata = fieldsAt(object, 'metadata');
  const spec = fieldsAt(object, 'spec');
  const annotations = textMapAt(metadata, 'annotations');
  return {
    uid: requiredTextAt(metadata, 'uid'),
    id: `${textAt(metadata, 'namespace')}/${requiredTextAt(metadata, 'name')}`,
    volume: textAt(spec, 'volumeName'),
    storageClass: textAt(spec, 'storageClassName') || (annotations.get(OLD_CLASS) ?? ''),
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
  return {
    name: requiredTextAt(metadata, 'name'),
    machines: placesOf(spec, textMapAt(metadata, 'labels')),
    storageClass: textAt(spec, 'storageClassName'),
    bytes: amountsAt(spec, 'capacity').get('storage') ?? 0,
    accessModes: textsAt(spec, 'accessModes'),
    claim: textAt(claim, 'name') === '' ? '' : `${textAt(claim, 'namespace')}/${textAt(claim, 'name')}`,
  };
}

/** Its affinity, with what its labels say and-ed into every term. */
function placesOf(spec: Fields, labels: ReadonlyMap<string, string>): NodeSelectorTerm[] | null {
  const byLabels = [...labels].flatMap(([key, value]): SelectorExpression[] => {
    const label = PLACE_LABELS.get(key);
    return label === undefined ? [] : [{ key: label, operator: 'In', values: value.split('__') }];
  });
  const affinity = fieldsAt(spec, 'nodeAffinity');
  const required = has(affinity, 'required') ? itemsAt(fieldsAt(affinity, 'required'), 'nodeSelectorTerms') : null;
  if (required === null) return byLabels.length === 0 ? null : [{ expressions: byLabels, fields: [] }];
  return required.map((term) => ({
    expressions: [...expressionsAt(term, 'matchExpressions'), ...byLabels],
    fields: expressionsAt(term, 'matchFields'),
  }));
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
