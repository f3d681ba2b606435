import { compareText } from '../base/index.ts';
import type { Replica } from './replica.ts';

const PHASES = { Pending: 0, Unknown: 1, Running: 2 } as const;

/** What goes before any deletion cost: a replica of a lower step is deleted first, whatever the costs. */
function stepOf({ machine, phase, isReady }: Replica): number {
  return (machine === null ? 0 : 6) + 2 * PHASES[phase] + Number(isReady);
}

/**
 * Replicas among which the ReplicaSet controller looks at nothing we cannot set. `isOurs`: a lower cost may be
 * written, for nobody else gave them one. Groups come in the order of deletion.
 */
export interface DeletionGroup {
  readonly isOurs: boolean;
  /** Not ready, pending or without a machine: they go before all that are ready. */
  readonly isUnready: boolean;
  readonly replicas: readonly Replica[];
}

/**
 * The order that a cost of ours cannot change: without a machine, pending, unknown, not ready, then costs of
 * others. What has no cost counts as 0 and goes before a 0 that somebody wrote.
 * Method: `ActivePodsWithRanks` of kube-controller-manager 1.37, steps 1 to 4.
 */
export function deletionGroups(replicas: readonly Replica[]): DeletionGroup[] {
  const sorted = replicas.toSorted((left, right) => compareFixed(left, right) || compareText(left.uid, right.uid));
  const groups: Replica[][] = [];
  for (const replica of sorted) {
    const last = groups.at(-1);
    if (last !== undefined && compareFixed(last[0] as Replica, replica) === 0) last.push(replica);
    else groups.push([replica]);
  }
  return groups.map((group) => {
    const first = group[0] as Replica;
    return { isOurs: first.cost === null, isUnready: stepOf(first) < READY, replicas: group };
  });
}

const READY = 6 + 2 * PHASES.Running + 1;

function compareFixed(left: Replica, right: Replica): number {
  return (
    stepOf(left) - stepOf(right) ||
    (left.cost ?? 0) - (right.cost ?? 0) ||
    Number(left.cost !== null) - Number(right.cost !== null)
  );
}

/** What the ReplicaSet controller looks at beside the replicas themselves. */
export interface OrderContext {
  /** Active pods of all ReplicaSets of the same Deployment, by machine. */
  readonly siblingsOn: ReadonlyMap<string, number>;
  readonly nowMs: number;
}

/**
 * Kubernetes' own order among replicas: the first `count` of it are deleted where nobody steers. More siblings on
 * the machine, then ready for a shorter time, more restarts, newer; times by powers of two, then by uid.
 * Method: `ActivePodsWithRanks` of kube-controller-manager 1.37; restarts of sidecars are not told apart.
 */
export function kubernetesOrder(replicas: readonly Replica[], context: OrderContext): Replica[] {
  const siblings = ({ machine }: Replica): number => context.siblingsOn.get(machine ?? '') ?? 0;
  return replicas.toSorted(
    (left, right) =>
      stepOf(left) - stepOf(right) ||
      (left.cost ?? 0) - (right.cost ?? 0) ||
      siblings(right) - siblings(left) ||
      compareAges(left, right, left.isReady && right.isReady, context.nowMs) ||
      compareText(left.uid, right.uid),
  );
}

function compareAges(left: Replica, right: Replica, areReady: boolean, nowMs: number): number {
  const ready = areReady ? compareTimes(left, right, [left.readySinceMs ?? 0, right.readySinceMs ?? 0], nowMs) : 0;
  return (
    ready || right.restarts - left.restarts || compareTimes(left, right, [left.createdAtMs, right.createdAtMs], nowMs)
  );
}

/** The later first, by powers of two of the age; equal ages say nothing, similar ones leave it to the uid. */
function compareTimes(left: Replica, right: Replica, times: readonly [number, number], nowMs: number): number {
  const [leftMs, rightMs] = times;
  if (leftMs === rightMs) return 0;
  if (leftMs === 0 || rightMs === 0) return leftMs === 0 ? -1 : 1;
  return ageRank(nowMs - leftMs) - ageRank(nowMs - rightMs) || compareText(left.uid, right.uid);
}

/** The binary logarithm of an age in nanoseconds, as the controller counts it. */
function ageRank(ageMs: number): number {
  return ageMs <= 0 ? -1 : Math.floor(Math.log2(ageMs * 1e6));
}
