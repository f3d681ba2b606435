import type {
  Constraints,
  LabelSelector,
  Machine,
  NodeSelectorTerm,
  SelectorExpression,
  Taint,
  Toleration,
  VolumeNeed,
} from '@springtide/core/model';

/** Kubernetes' node filters, written from its API documentation, one sentence a line. */

type Labels = ReadonlyMap<string, string>;

const HOLDS: Readonly<
  Record<SelectorExpression['operator'], (value: string | undefined, values: readonly string[]) => boolean>
> = {
  In: (value, values) => values.some((one) => one === value),
  NotIn: (value, values) => values.every((one) => one !== value),
  Exists: (value) => value !== undefined,
  DoesNotExist: (value) => value === undefined,
  Gt: (value, [bound]) => isInteger(value) && isInteger(bound) && Number(value) > Number(bound),
  Lt: (value, [bound]) => isInteger(value) && isInteger(bound) && Number(value) < Number(bound),
};

function isInteger(text: string | undefined): text is string {
  return text !== undefined && text.trim() === text && text !== '' && Number.isInteger(Number(text));
}

export function selects(selector: LabelSelector | null, labels: Labels): boolean {
  if (selector === null) return false;
  return selector.filter(({ key, operator, values }) => !HOLDS[operator](labels.get(key), values)).length === 0;
}

function termSelects(term: NodeSelectorTerm, machine: Machine): boolean {
  const isEmpty = term.expressions.length + term.fields.length === 0;
  const name = new Map([['metadata.name', machine.id]]);
  return !isEmpty && selects(term.expressions, machine.labels) && selects(term.fields, name);
}

export function nodeAffinityAdmits({ nodeSelector, nodeTerms }: Constraints, machine: Machine): boolean {
  const isSelected = [...nodeSelector].every(([key, value]) => machine.labels.get(key) === value);
  return isSelected && (nodeTerms === null || nodeTerms.filter((term) => termSelects(term, machine)).length > 0);
}

/** Claims are served in order: by the first volume that is left and can be used there, else by making one. */
export function volumesServe(needs: readonly VolumeNeed[], machine: Machine): boolean {
  const canUse = (terms: readonly NodeSelectorTerm[] | null): boolean =>
    terms === null || terms.filter((term) => termSelects(term, machine)).length > 0;
  let left = [...new Set(needs.flatMap(({ volumes }) => volumes.map(({ volume }) => volume)))];
  let served = 0;
  for (const { volumes, machines, trouble } of needs) {
    const usable = volumes.filter(({ volume, machines: places }) => left.includes(volume) && canUse(places));
    left = left.filter((volume) => volume !== usable[0]?.volume);
    if (trouble === null && (usable.length > 0 || canUse(machines))) served += 1;
  }
  return served === needs.length;
}

function isTolerated(taint: Taint, tolerations: readonly Toleration[]): boolean {
  return tolerations.some(({ key, operator, value, effect }) => {
    const sameEffect = effect === '' || effect === taint.effect;
    const sameKey = key === '' ? operator === 'Exists' : key === taint.key;
    return sameEffect && sameKey && (operator === 'Exists' || value === taint.value);
  });
}

/** All taints that keep pods from being scheduled are tolerated. */
export function taintsAdmit(tolerations: readonly Toleration[], taints: readonly Taint[]): boolean {
  return taints.every((taint) => taint.effect === 'PreferNoSchedule' || isTolerated(taint, tolerations));
}

/** A cordoned node is tainted so. */
export const CORDON: Taint = { key: 'node.kubernetes.io/unschedulable', value: '', effect: 'NoSchedule' };
