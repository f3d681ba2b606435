import { compareText } from '@springtide/core/base';
import { type Constraints, type Machine, POOL_LABEL } from '@springtide/core/model';
import { matchesSelector } from '@springtide/core/state';
import type { ClusterPod, IsolatedPool, PoolStatus, PoolStatusOrder } from '@springtide/ports/cluster';

/**
 * Which machine is in which isolated pool (P9), and who may use it. Of several pools that select a machine the oldest
 * has it. A pool with namespaces is open to their pods; one without to every pod that names it.
 */
export class Pools {
  readonly #machines = new Map<string, Machine>();
  /** The oldest first. */
  #pools: readonly IsolatedPool[] = [];

  /** The machine with the pool that it is in. */
  seeMachine(machine: Machine): Machine {
    this.#machines.set(machine.id, machine);
    return this.#withPool(machine);
  }

  loseMachine(id: string): void {
    this.#machines.delete(id);
  }

  /** Whether that changes what machines and pods may do; a status alone does not. */
  see(pool: IsolatedPool): boolean {
    const before = this.#pools.find(({ name }) => name === pool.name);
    this.#pools = [...this.#pools.filter(({ name }) => name !== pool.name), pool].toSorted(oldestFirst);
    return before === undefined || ruleOf(before) !== ruleOf(pool);
  }

  /** Whether there was one. */
  lose(name: string): boolean {
    const before = this.#pools.length;
    this.#pools = this.#pools.filter((pool) => pool.name !== name);
    return this.#pools.length < before;
  }

  /** All machines as they are now. */
  machines(): Machine[] {
    return Array.from(this.#machines.values(), (machine) => this.#withPool(machine));
  }

  /** What a pod asks, with the pools that it may use and the one it names. */
  constrain({ namespace, pod }: ClusterPod, constraints: Constraints): Constraints {
    const asked = pod.labels.get(POOL_LABEL) ?? '';
    const open = this.#pools.filter(({ name, namespaces }) =>
      namespaces.length === 0 ? name === asked : namespaces.includes(namespace),
    );
    if (asked === '' && open.length === 0) return constraints;
    const pools = open.map(({ name }) => name).toSorted(compareText);
    return { ...constraints, pools, ...(asked === '' ? {} : { pool: asked }) };
  }

  /** Statuses that are not what they should be. O(machines x pools). */
  statusOrders(nowWallMs: number): PoolStatusOrder[] {
    if (this.#pools.length === 0) return [];
    const machines = this.machines();
    return this.#pools.flatMap((pool) => {
      const status = statusOf(pool, machines, nowWallMs);
      return isSame(status, pool.status) ? [] : [{ pool: { uid: pool.uid, name: pool.name }, status }];
    });
  }

  #withPool(machine: Machine): Machine {
    const pool = this.#pools.find(({ selector }) => matchesSelector(selector, machine.labels));
    if (pool === undefined) return machine;
    const { name, owner, reason } = pool;
    return { ...machine, pool: { name, owner, reason } };
  }
}

function oldestFirst(left: IsolatedPool, right: IsolatedPool): number {
  return left.createdAtMs - right.createdAtMs || compareText(left.name, right.name);
}

function ruleOf({ createdAtMs, reason, owner, selector, namespaces }: IsolatedPool): string {
  return JSON.stringify([createdAtMs, reason, owner, selector, namespaces]);
}

/** Pools named in a condition. */
const NAMED_MAX = 5;

function statusOf(pool: IsolatedPool, machines: readonly Machine[], nowWallMs: number): PoolStatus {
  const selected = machines.filter(({ labels }) => matchesSelector(pool.selector, labels));
  const own = selected.filter((machine) => machine.pool?.name === pool.name);
  const others = new Set(selected.filter((machine) => !own.includes(machine)).map((machine) => machine.pool?.name));
  const names = [...others].slice(0, NAMED_MAX).join(', ');
  const lost = selected.length - own.length;
  const conflict = lost === 0 ? '' : `${lost} of the machines that it selects are in older pools: ${names}`;
  const isAsBefore = pool.status !== null && (pool.status.conflict === '') === (conflict === '');
  return {
    machines: own.length,
    cards: own.reduce((sum, { cards }) => sum + cards.length, 0),
    conflict,
    conflictSinceMs: isAsBefore ? (pool.status?.conflictSinceMs ?? nowWallMs) : nowWallMs,
  };
}

function isSame(wanted: PoolStatus, status: PoolStatus | null): boolean {
  if (status === null || status.conflictSinceMs === 0) return false;
  const { machines, cards, conflict } = status;
  return wanted.machines === machines && wanted.cards === cards && wanted.conflict === conflict;
}
