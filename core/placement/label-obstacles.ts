import type {
  Constraints,
  Machine,
  NodeSelectorTerm,
  Obstacle,
  SelectorExpression,
  Taint,
  Toleration,
} from '../model/index.ts';
import {
  isOpenPool,
  isPoolAsked,
  matchesExpression,
  matchesNodeAffinity,
  untolerated,
  volumesAdmit,
  type Book,
} from '../state/index.ts';

const CORDON_TAINT = 'node.kubernetes.io/unschedulable';
const CORDON: Taint = { key: CORDON_TAINT, value: '', effect: 'NoSchedule' };

/** Taints that Kubernetes puts on machines in trouble: to tolerate them would not help the pod. */
const TROUBLE =
  /^node\.kubernetes\.io\/(?:not-ready|unreachable|disk-pressure|memory-pressure|pid-pressure|network-unavailable|out-of-service)$/;

function isOfTrouble({ key }: Taint): boolean {
  return TROUBLE.test(key);
}

/** What of a machine's cordon, name, taints, labels and pool keeps a pod off it, each by itself. Taints of a machine in trouble are one. */
export function labelObstacles(book: Book, constraints: Constraints, rank: number): Obstacle[] {
  const machine = book.machines[rank] as Machine;
  const found: Obstacle[] = [];
  if (machine.cordoned && untolerated(constraints.tolerations, [CORDON]) !== null) {
    found.push(label('unschedulable', ''));
  }
  if (constraints.machine !== '' && constraints.machine !== machine.id) {
    found.push(label('machine', constraints.machine));
  }
  const taints = untoleratedTaints(constraints.tolerations, machine);
  for (const kind of [taints.filter(isOfTrouble), taints.filter((taint) => !isOfTrouble(taint))]) {
    if (kind.length > 0) found.push(label('taint', kind.map(taintText).join(', ')));
  }
  if (!matchesNodeAffinity(constraints, machine)) {
    found.push(label('selector', failingLabels(constraints, machine).join(', ')));
  }
  if (!volumesAdmit(constraints.volumes, machine)) found.push(label('volume', troublesOf(constraints)));
  const { pool } = machine;
  if (pool !== undefined && !isOpenPool(constraints, machine)) {
    found.push(label('pool', `${pool.name} of ${pool.owner} (${pool.reason})`));
  }
  if (!isPoolAsked(constraints, machine)) found.push(label('pool-asked', constraints.pool ?? ''));
  return found;
}

/** Claims with which something is wrong, as `kind claim`; empty where it is only that volumes are elsewhere. */
function troublesOf({ volumes }: Constraints): string {
  return volumes.flatMap(({ trouble }) => (trouble === null ? [] : [`${trouble.kind} ${trouble.claim}`]))[0] ?? '';
}

function label(filter: Obstacle['filter'], resource: string): Obstacle {
  return { filter, resource, missing: 0, isBeyond: false };
}

/** The taint that goes with a cordon says the same thing again, so it is not counted beside it. */
function untoleratedTaints(tolerations: readonly Toleration[], machine: Machine): Taint[] {
  return machine.taints.filter(
    (taint) => !(machine.cordoned && taint.key === CORDON_TAINT) && untolerated(tolerations, [taint]) !== null,
  );
}

/** As kubectl writes it: `dedicated=finance:NoSchedule`. */
export function taintText({ key, value, effect }: Taint): string {
  return `${value === '' ? key : `${key}=${value}`}:${effect}`;
}

/** The labels asked for that the machine has not; of several terms, those of the one that fails in fewest. */
function failingLabels({ nodeSelector, nodeTerms }: Constraints, machine: Machine): string[] {
  const failing = [...nodeSelector]
    .filter(([key, value]) => machine.labels.get(key) !== value)
    .map(([key, value]) => `${key}=${value}`);
  if (nodeTerms === null || nodeTerms.length === 0) return failing;
  const byTerm = nodeTerms.map((term) => failingExpressions(term, machine));
  const nearest = byTerm.reduce((best, next) => (next.length < best.length ? next : best));
  return [...failing, ...nearest.map(expressionText)];
}

function failingExpressions(term: NodeSelectorTerm, machine: Machine): SelectorExpression[] {
  const fields = new Map([['metadata.name', machine.id]]);
  return [
    ...term.expressions.filter((expression) => !matchesExpression(expression, machine.labels)),
    ...term.fields.filter((expression) => !matchesExpression(expression, fields)),
  ];
}

function expressionText({ key, operator, values }: SelectorExpression): string {
  switch (operator) {
    case 'In':
      return values.length === 1 ? `${key}=${values[0]}` : `${key} in (${values.join(' ')})`;
    case 'NotIn':
      return values.length === 1 ? `${key}!=${values[0]}` : `${key} notin (${values.join(' ')})`;
    case 'Exists':
      return key;
    case 'DoesNotExist':
      return `!${key}`;
    case 'Gt':
      return `${key}>${values[0] ?? ''}`;
    case 'Lt':
      return `${key}<${values[0] ?? ''}`;
  }
}
