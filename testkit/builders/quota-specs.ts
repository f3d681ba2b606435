import type { CohortSpec, Flavor, QueueSpec, QuotaCell } from '@springtide/core/model';

/** On demand, anywhere, of any model, without a price. */
export function aFlavor(id: string, part: Partial<Flavor> = {}): Flavor {
  return {
    id,
    nodeSelector: new Map(),
    taints: [],
    tolerations: [],
    cardModels: null,
    region: '',
    capacity: 'on-demand',
    cardMemoryMiB: 0,
    priceMicrosPerCardHour: 0,
    ...part,
  };
}

/** Without limits to lending and borrowing. */
export function aCell(flavor: string, resource: string, nominal: number, part: Partial<QuotaCell> = {}): QuotaCell {
  return { flavor, resource, nominal, borrowingLimit: null, lendingLimit: null, floor: 0, ...part };
}

/** A root that owns nothing itself. */
export function aCohort(id: string, part: Partial<CohortSpec> = {}): CohortSpec {
  return { id, parent: null, weightMilli: 1000, cells: [], ...part };
}

/** A best-effort queue of training work that stops lower work of its own and reclaims what is its own. */
export function aQueue(id: string, cells: readonly QuotaCell[], part: Partial<QueueSpec> = {}): QueueSpec {
  return {
    id,
    tenant: id,
    cohort: null,
    weightMilli: 1000,
    workClass: 'training',
    strategy: 'best-effort',
    order: 'submission',
    isStopped: false,
    flavors: [...new Set(cells.map(({ flavor }) => flavor))],
    cells,
    preemption: {
      withinQueue: 'lower-priority',
      reclaimWithinCohort: 'any',
      borrowWithinCohort: 'none',
      borrowMaxPriority: null,
    },
    ...part,
  };
}
