import { compareText, err, ok, type Result } from '../base/index.ts';
import {
  QUOTA_MAX,
  type CohortSpec,
  type QuotaCell,
  type QuotaFault,
  type QuotaSpecs,
  type QueueSpec,
} from '../model/index.ts';
import type { QuotaShape } from '../state/index.ts';
import { faultsIn } from './faults.ts';

/** A queue or a cohort, by number: cohorts first and parents before children, then the queues, each by id. */
export interface QuotaNode {
  readonly id: string;
  readonly isQueue: boolean;
  /** Its cohort's number; -1: none. */
  readonly parent: number;
  readonly weightMilli: number;
  /** Its slots, by the number of the cell. */
  readonly slots: ReadonlyMap<number, number>;
}

/** A (flavor, resource) that any spec names. */
export interface QuotaTreeCell {
  readonly flavor: string;
  readonly resource: string;
}

/**
 * Cohorts and queues with what they own, lend and may borrow, without any use: fixed arrays by slot, see `QuotaShape`.
 * A queue has a slot for each of its cells, and for those that a cohort above it names of its flavors; a cohort has
 * one for each of its own and its members'. Amounts are sums that stop at `QUOTA_MAX`.
 *
 * What a slot owns is its nominal quota and what its children lend it; what it lends is that less its guaranteed part
 * (Kueue, KEP 79; a floor is ours: a guaranteed part that no lending limit lowers).
 */
export class QuotaTree implements QuotaShape {
  readonly specs: QuotaSpecs;
  readonly nodes: readonly QuotaNode[];
  readonly cells: readonly QuotaTreeCell[];
  readonly slotCount: number;
  readonly cellCount: number;
  readonly parentOf: Int32Array;
  readonly cellOf: Int32Array;
  /** The node of each slot. */
  readonly nodeOf: Int32Array;
  readonly owned: Float64Array;
  readonly guaranteed: Float64Array;
  /** `QUOTA_MAX`: no limit. */
  readonly borrowingLimit: Float64Array;
  /** What a slot could use if nobody used anything. */
  readonly potential: Float64Array;
  /** The number of the resource of each cell. */
  readonly resourceOf: Int32Array;
  readonly resourceCount: number;
  readonly #lendable = new Map<number, Float64Array>();
  readonly #queueSlots = new Map<number, number[]>();
  readonly #queueNumbers: ReadonlyMap<string, number>;
  readonly #cohortNumbers: ReadonlyMap<string, number>;
  readonly #cellNumbers: CellNumbers;

  private constructor(specs: QuotaSpecs) {
    this.specs = specs;
    const drafts = draftsOf(specs);
    this.#cellNumbers = new CellNumbers(drafts);
    this.cells = this.#cellNumbers.list;
    this.cellCount = this.cells.length;
    const present = this.#cellsPresent(drafts);
    this.slotCount = present.reduce((sum, { size }) => sum + size, 0);
    this.parentOf = new Int32Array(this.slotCount).fill(-1);
    this.cellOf = new Int32Array(this.slotCount);
    this.nodeOf = new Int32Array(this.slotCount);
    this.owned = new Float64Array(this.slotCount);
    this.guaranteed = new Float64Array(this.slotCount);
    this.borrowingLimit = new Float64Array(this.slotCount).fill(QUOTA_MAX);
    this.potential = new Float64Array(this.slotCount);
    this.nodes = this.#number(drafts, present);
    this.#queueNumbers = this.#numbersOf(true);
    this.#cohortNumbers = this.#numbersOf(false);
    this.#sum(drafts);
    const resources = [...new Set(this.cells.map(({ resource }) => resource))];
    this.resourceOf = Int32Array.from(this.cells, ({ resource }) => resources.indexOf(resource));
    this.resourceCount = resources.length;
    this.#index();
  }

  /** A tree, or all that is wrong with the specs. O(slots x depth). */
  static build(specs: QuotaSpecs): Result<QuotaTree, readonly QuotaFault[]> {
    const faults = faultsIn(specs);
    return faults.length > 0 ? err(faults) : ok(new QuotaTree(specs));
  }

  static empty(): QuotaTree {
    return new QuotaTree({ flavors: [], cohorts: [], queues: [] });
  }

  /** The number of a queue among the nodes; -1: there is none. */
  queueNumber(queue: string): number {
    return this.#queueNumbers.get(queue) ?? -1;
  }

  /** The slot of a queue's flavor and resource; -1: there is none. */
  slotOf(queue: string, flavor: string, resource: string): number {
    return this.nodes[this.queueNumber(queue)]?.slots.get(this.#cellNumbers.of(flavor, resource)) ?? -1;
  }

  /** The root above a node, itself where it has no cohort; work of different roots never meets. O(depth). */
  rootOf(node: number): number {
    const { parent } = this.nodes[node] as QuotaNode;
    return parent < 0 ? node : this.rootOf(parent);
  }

  /** Where a slot of another tree is in this one: that of the same queue or cohort, flavor, resource; -1: nowhere. */
  slotLike(tree: QuotaTree, slot: number): number {
    const { id, isQueue } = tree.nodes[tree.nodeOf[slot] as number] as QuotaNode;
    const { flavor, resource } = tree.cells[tree.cellOf[slot] as number] as QuotaTreeCell;
    const number = (isQueue ? this.#queueNumbers : this.#cohortNumbers).get(id) ?? -1;
    return this.nodes[number]?.slots.get(this.#cellNumbers.of(flavor, resource)) ?? -1;
  }

  /** Of each resource, by number: what the node could use in all flavors if nobody used anything. */
  lendable(node: number): Float64Array {
    return this.#lendable.get(node) ?? new Float64Array(this.resourceCount);
  }

  /** The slots of queues below the root that a slot is under, for its flavor and resource, by number. O(depth). */
  queueSlotsBeside(slot: number): readonly number[] {
    let root = slot;
    while ((this.parentOf[root] as number) >= 0) root = this.parentOf[root] as number;
    return this.#queueSlots.get(root) ?? [];
  }

  #index(): void {
    const roots = new Int32Array(this.slotCount);
    for (let slot = 0; slot < this.slotCount; slot += 1) {
      const node = this.nodeOf[slot] as number;
      const sums = this.lendable(node);
      this.#lendable.set(node, sums);
      const resource = this.resourceOf[this.cellOf[slot] as number] as number;
      sums[resource] = Math.min(QUOTA_MAX, (sums[resource] as number) + (this.potential[slot] as number));
      const parent = this.parentOf[slot] as number;
      const root = parent < 0 ? slot : (roots[parent] as number);
      roots[slot] = root;
      if (!this.nodes[node]?.isQueue) continue;
      const queueSlots = this.#queueSlots.get(root) ?? [];
      queueSlots.push(slot);
      this.#queueSlots.set(root, queueSlots);
    }
  }

  #numbersOf(isQueue: boolean): Map<string, number> {
    return new Map(this.nodes.flatMap((node, number) => (node.isQueue === isQueue ? [[node.id, number]] : [])));
  }

  /** Cells of each node, sorted. */
  #cellsPresent(drafts: readonly Draft[]): Set<number>[] {
    const present = drafts.map((draft) => {
      const own = new Set(draft.cells.map((cell) => this.#cellNumbers.of(cell.flavor, cell.resource)));
      for (let above = draft.parent; draft.listed !== null && above >= 0; above = (drafts[above] as Draft).parent) {
        for (const cell of (drafts[above] as Draft).cells) {
          if (draft.listed.has(cell.flavor)) own.add(this.#cellNumbers.of(cell.flavor, cell.resource));
        }
      }
      return own;
    });
    for (let node = drafts.length - 1; node >= 0; node -= 1) {
      const parent = present[(drafts[node] as Draft).parent];
      if (parent !== undefined) for (const cell of present[node] as Set<number>) parent.add(cell);
    }
    return present.map((cells) => new Set([...cells].toSorted((left, right) => left - right)));
  }

  #number(drafts: readonly Draft[], present: readonly ReadonlySet<number>[]): QuotaNode[] {
    const nodes: QuotaNode[] = [];
    let next = 0;
    drafts.forEach(({ id, listed, parent, weightMilli }, number) => {
      const slots = new Map<number, number>();
      for (const cell of present[number] as ReadonlySet<number>) {
        slots.set(cell, next);
        this.cellOf[next] = cell;
        this.nodeOf[next] = number;
        this.parentOf[next] = nodes[parent]?.slots.get(cell) ?? -1;
        next += 1;
      }
      nodes.push({ id, isQueue: listed !== null, parent, weightMilli, slots });
    });
    return nodes;
  }

  /** Upwards what is owned and lent, then downwards what could be used. */
  #sum(drafts: readonly Draft[]): void {
    const named: (QuotaCell | undefined)[] = Array.from({ length: this.slotCount });
    drafts.forEach(({ cells }, number) => {
      const { slots } = this.nodes[number] as QuotaNode;
      for (const cell of cells) named[slots.get(this.#cellNumbers.of(cell.flavor, cell.resource)) as number] = cell;
    });
    for (let slot = this.slotCount - 1; slot >= 0; slot -= 1) {
      const cell = named[slot];
      const owned = Math.min(QUOTA_MAX, (this.owned[slot] as number) + (cell?.nominal ?? 0));
      const guaranteed = Math.max(cell?.floor ?? 0, owned - (cell?.lendingLimit ?? QUOTA_MAX));
      this.owned[slot] = owned;
      this.guaranteed[slot] = guaranteed;
      this.borrowingLimit[slot] = cell?.borrowingLimit ?? QUOTA_MAX;
      const parent = this.parentOf[slot] as number;
      if (parent >= 0) this.owned[parent] = Math.min(QUOTA_MAX, (this.owned[parent] as number) + (owned - guaranteed));
    }
    for (let slot = 0; slot < this.slotCount; slot += 1) this.potential[slot] = this.#potentialOf(slot);
  }

  #potentialOf(slot: number): number {
    const parent = this.parentOf[slot] as number;
    const owned = this.owned[slot] as number;
    if (parent < 0) return owned;
    const withParent = (this.guaranteed[slot] as number) + (this.potential[parent] as number);
    return Math.min(QUOTA_MAX, withParent, owned + (this.borrowingLimit[slot] as number));
  }
}

/** A node before its slots are known. */
interface Draft {
  readonly id: string;
  readonly parent: number;
  readonly weightMilli: number;
  readonly cells: readonly QuotaCell[];
  /** The flavors of a queue; null: it is a cohort. */
  readonly listed: ReadonlySet<string> | null;
}

function draftsOf({ cohorts, queues }: QuotaSpecs): Draft[] {
  const numbers = new Map<string, number>();
  const drafts: Draft[] = [];
  const add = (spec: CohortSpec | QueueSpec, parent: string | null, listed: Draft['listed']): void => {
    const { id, weightMilli, cells } = spec;
    drafts.push({ id, parent: parent === null ? -1 : (numbers.get(parent) as number), weightMilli, cells, listed });
  };
  const children = Map.groupBy(cohorts, ({ parent }) => parent);
  const waiting: (string | null)[] = [null];
  for (const parent of waiting) {
    for (const cohort of (children.get(parent) ?? []).toSorted((left, right) => compareText(left.id, right.id))) {
      numbers.set(cohort.id, drafts.length);
      add(cohort, parent, null);
      waiting.push(cohort.id);
    }
  }
  for (const queue of queues.toSorted((left, right) => compareText(left.id, right.id))) {
    add(queue, queue.cohort, new Set(queue.flavors));
  }
  return drafts;
}

/** Numbers of the cells in the order in which they are first named. */
class CellNumbers {
  readonly list: QuotaTreeCell[] = [];
  readonly #numbers = new Map<string, Map<string, number>>();

  constructor(drafts: readonly Draft[]) {
    for (const { cells } of drafts) {
      for (const { flavor, resource } of cells) {
        const resources = this.#numbers.get(flavor) ?? new Map<string, number>();
        this.#numbers.set(flavor, resources);
        if (resources.has(resource)) continue;
        resources.set(resource, this.list.length);
        this.list.push({ flavor, resource });
      }
    }
  }

  /** -1: no spec names it. */
  of(flavor: string, resource: string): number {
    return this.#numbers.get(flavor)?.get(resource) ?? -1;
  }
}
