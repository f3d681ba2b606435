import { type CohortSpec, QUOTA_MAX, type QueueSpec, type QuotaAmount, type QuotaSpecs } from '@springtide/core/model';

/** What a workload holds of a queue's quota, by name. */
export interface QuotaUse {
  readonly queue: string;
  readonly amounts: readonly QuotaAmount[];
}

type Node = CohortSpec | QueueSpec;

/** A quota tree computed from its definition at every question, by recursion over names. */
export class QuotaTwin {
  readonly #specs: QuotaSpecs;
  readonly #uses: readonly QuotaUse[];

  constructor(specs: QuotaSpecs, uses: readonly QuotaUse[]) {
    this.#specs = specs;
    this.#uses = uses;
  }

  available(queue: string, flavor: string, resource: string): number {
    return Math.min(this.#availableAt(this.#queue(queue), flavor, resource), QUOTA_MAX - this.total(flavor, resource));
  }

  potential(queue: string, flavor: string, resource: string): number {
    return this.#potentialAt(this.#queue(queue), flavor, resource);
  }

  used(queue: string, flavor: string, resource: string): number {
    return this.#usedAt(this.#queue(queue), flavor, resource);
  }

  borrowed(queue: string, flavor: string, resource: string): number {
    const node = this.#queue(queue);
    return Math.max(0, this.#usedAt(node, flavor, resource) - this.#owned(node, flavor, resource));
  }

  /** All use of a flavor's resource. */
  total(flavor: string, resource: string): number {
    return sum(this.#uses.map((use) => amountIn(use, flavor, resource)));
  }

  #queue(id: string): QueueSpec {
    return this.#specs.queues.find((queue) => queue.id === id) as QueueSpec;
  }

  #parent(node: Node): CohortSpec | undefined {
    const id = 'tenant' in node ? node.cohort : node.parent;
    return this.#specs.cohorts.find((cohort) => cohort.id === id);
  }

  #children(node: Node): Node[] {
    if ('tenant' in node) return [];
    const isChild = (each: Node): boolean => this.#parent(each) === node;
    return [...this.#specs.cohorts.filter(isChild), ...this.#specs.queues.filter(isChild)];
  }

  #owned(node: Node, flavor: string, resource: string): number {
    const lent = this.#children(node).map(
      (child) => this.#owned(child, flavor, resource) - this.#guaranteed(child, flavor, resource),
    );
    return Math.min(QUOTA_MAX, sum([cellOf(node, flavor, resource).nominal, ...lent]));
  }

  #guaranteed(node: Node, flavor: string, resource: string): number {
    const { lendingLimit, floor } = cellOf(node, flavor, resource);
    return Math.max(0, floor, lendingLimit === null ? 0 : this.#owned(node, flavor, resource) - lendingLimit);
  }

  #usedAt(node: Node, flavor: string, resource: string): number {
    const own = this.#uses.filter(({ queue }) => 'tenant' in node && queue === node.id);
    const bubbled = this.#children(node).map((child) =>
      Math.max(0, this.#usedAt(child, flavor, resource) - this.#guaranteed(child, flavor, resource)),
    );
    return sum([...own.map((use) => amountIn(use, flavor, resource)), ...bubbled]);
  }

  #availableAt(node: Node, flavor: string, resource: string): number {
    const parent = this.#parent(node);
    const owned = this.#owned(node, flavor, resource);
    const used = this.#usedAt(node, flavor, resource);
    if (parent === undefined) return owned - used;
    const guaranteed = this.#guaranteed(node, flavor, resource);
    const { borrowingLimit } = cellOf(node, flavor, resource);
    const above = this.#availableAt(parent, flavor, resource);
    const stored = owned - guaranteed;
    const storedUsed = Math.max(0, used - guaranteed);
    const capped = borrowingLimit === null ? above : Math.min(above, stored - storedUsed + borrowingLimit);
    return Math.max(0, guaranteed - used) + capped;
  }

  #potentialAt(node: Node, flavor: string, resource: string): number {
    const parent = this.#parent(node);
    const owned = this.#owned(node, flavor, resource);
    if (parent === undefined) return owned;
    const all = this.#guaranteed(node, flavor, resource) + this.#potentialAt(parent, flavor, resource);
    const limit = cellOf(node, flavor, resource).borrowingLimit ?? QUOTA_MAX;
    return Math.min(QUOTA_MAX, all, owned + limit);
  }
}

function cellOf(node: Node, flavor: string, resource: string) {
  const none = { nominal: 0, lendingLimit: null, borrowingLimit: null, floor: 0 };
  return node.cells.find((cell) => cell.flavor === flavor && cell.resource === resource) ?? none;
}

function amountIn(use: QuotaUse, flavor: string, resource: string): number {
  return sum(use.amounts.filter((each) => each.flavor === flavor && each.resource === resource).map((x) => x.amount));
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
