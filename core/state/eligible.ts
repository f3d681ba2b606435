import { hasChosenCard } from './choice.ts';
import {
  FILTER_CODE,
  type Constraints,
  type Machine,
  type NodeSelectorTerm,
  type Request,
  type SelectorExpression,
  type Taint,
  type Toleration,
  type VolumeNeed,
} from '../model/index.ts';

/** Kubernetes' reading of one expression on a set of labels; Gt and Lt compare integers. */
export function matchesExpression(expression: SelectorExpression, labels: ReadonlyMap<string, string>): boolean {
  const value = labels.get(expression.key);
  switch (expression.operator) {
    case 'In':
      return value !== undefined && expression.values.includes(value);
    case 'NotIn':
      return value === undefined || !expression.values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    case 'Gt':
    case 'Lt':
      return comparesAsInteger(expression, value);
  }
}

const INTEGER = /^[+-]?\d+$/;

function comparesAsInteger(expression: SelectorExpression, value: string | undefined): boolean {
  const bound = expression.values[0];
  if (value === undefined || bound === undefined || !INTEGER.test(value) || !INTEGER.test(bound)) return false;
  return expression.operator === 'Gt' ? BigInt(value) > BigInt(bound) : BigInt(value) < BigInt(bound);
}

/** A label selector: one without expressions matches everything, null matches nothing, as in Kubernetes. */
export function matchesSelector(
  selector: readonly SelectorExpression[] | null,
  labels: ReadonlyMap<string, string>,
): boolean {
  return selector !== null && selector.every((expression) => matchesExpression(expression, labels));
}

/** A term with no expression at all matches nothing, as in Kubernetes. */
export function matchesTerm(term: NodeSelectorTerm, machine: Machine): boolean {
  if (term.expressions.length === 0 && term.fields.length === 0) return false;
  const fields = new Map([['metadata.name', machine.id]]);
  return (
    term.expressions.every((expression) => matchesExpression(expression, machine.labels)) &&
    term.fields.every((expression) => matchesExpression(expression, fields))
  );
}

export function matchesNodeAffinity(constraints: Constraints, machine: Machine): boolean {
  if (constraints.nodeSelector.size === 0 && constraints.nodeTerms === null) return true;
  for (const [key, value] of constraints.nodeSelector) if (machine.labels.get(key) !== value) return false;
  return constraints.nodeTerms === null || constraints.nodeTerms.some((term) => matchesTerm(term, machine));
}

/**
 * Whether every claim of a pod finds its volume on a machine, or one can be made there. Claims take theirs in order,
 * and none is taken twice. Method: kube-scheduler, VolumeBinding.
 */
export function volumesAdmit(needs: readonly VolumeNeed[], machine: Machine): boolean {
  const taken = new Set<string>();
  return needs.every(({ volumes, machines, trouble }) => {
    if (trouble !== null) return false;
    const found = volumes.find(({ volume, machines: places }) => !taken.has(volume) && isAmong(places, machine));
    if (found !== undefined) taken.add(found.volume);
    return found !== undefined || isAmong(machines, machine);
  });
}

function isAmong(places: readonly NodeSelectorTerm[] | null, machine: Machine): boolean {
  return places === null || places.some((term) => matchesTerm(term, machine));
}

function tolerates(toleration: Toleration, taint: Taint): boolean {
  if (toleration.effect !== '' && toleration.effect !== taint.effect) return false;
  if (toleration.key !== '' && toleration.key !== taint.key) return false;
  return toleration.operator === 'Exists' || (toleration.key !== '' && toleration.value === taint.value);
}

/** The first taint that keeps the pod away, or null. PreferNoSchedule never does. */
export function untolerated(tolerations: readonly Toleration[], taints: readonly Taint[]): Taint | null {
  if (taints.length === 0) return null;
  const hard = taints.filter((taint) => taint.effect !== 'PreferNoSchedule');
  return hard.find((taint) => !tolerations.some((toleration) => tolerates(toleration, taint))) ?? null;
}

/** Whether a PreferNoSchedule taint asks the pod to go elsewhere if it can. */
export function untoleratedSoftly(tolerations: readonly Toleration[], taints: readonly Taint[]): boolean {
  const soft = taints.filter((taint) => taint.effect === 'PreferNoSchedule');
  return soft.some((taint) => !tolerations.some((toleration) => tolerates(toleration, taint)));
}

const UNSCHEDULABLE: Taint = { key: 'node.kubernetes.io/unschedulable', value: '', effect: 'NoSchedule' };

function isUnschedulable(constraints: Constraints, machine: Machine): boolean {
  return machine.cordoned && untolerated(constraints.tolerations, [UNSCHEDULABLE]) !== null;
}

/** Whether a machine's pool is open to the pod: the common one is to all. */
export function isOpenPool({ pools = [] }: Constraints, { pool }: Machine): boolean {
  return pool === undefined || pools.includes(pool.name);
}

/** Whether a machine is in the pool that the pod names, where it names one. */
export function isPoolAsked({ pool }: Constraints, machine: Machine): boolean {
  return pool === undefined || machine.pool?.name === pool;
}

/**
 * Whether a machine can ever take the request, whatever it holds: the first filter that refuses it for its
 * labels, taints or kinds of card, or 0. `kinds` are the machine's card kinds.
 */
export function staticRefusal(
  request: Request,
  machine: Machine,
  kinds: readonly number[],
  kindRefusal: Uint8Array,
): number {
  const { constraints, cards } = request;
  if (isUnschedulable(constraints, machine)) return FILTER_CODE.unschedulable;
  if (constraints.machine !== '' && constraints.machine !== machine.id) return FILTER_CODE.machine;
  if (untolerated(constraints.tolerations, machine.taints) !== null) return FILTER_CODE.taint;
  if (!matchesNodeAffinity(constraints, machine)) return FILTER_CODE.selector;
  if (!volumesAdmit(constraints.volumes, machine)) return FILTER_CODE.volume;
  if (!isOpenPool(constraints, machine)) return FILTER_CODE.pool;
  if (!isPoolAsked(constraints, machine)) return FILTER_CODE['pool-asked'];
  if (cards.kind === 'none') return 0;
  let refusal: number = FILTER_CODE['card-resource'];
  for (const kind of kinds) {
    const code = kindRefusal[kind] as number;
    if (code === 0) return hasChosenCard(cards, machine) ? 0 : FILTER_CODE['card-choice'];
    if (code > refusal) refusal = code;
  }
  return refusal;
}
