import {
  COHORT_DEPTH_MAX,
  QUOTA_MAX,
  type QuotaCell,
  type QuotaFault,
  type QuotaProblem,
  type QuotaSpecs,
} from '../model/index.ts';

type Owner = Pick<QuotaFault, 'object' | 'id'>;

/**
 * All that is wrong with specs on their own, object by object in their order; empty: a tree can be built from them.
 * O(specs x depth).
 */
export function faultsIn(specs: QuotaSpecs): QuotaFault[] {
  const flavors = new Set(specs.flavors.map(({ id }) => id));
  const parents = new Map(specs.cohorts.map(({ id, parent }) => [id, parent]));
  const faults = [
    ...duplicates('flavor', specs.flavors),
    ...duplicates('cohort', specs.cohorts),
    ...duplicates('queue', specs.queues),
  ];
  for (const { id, cardMemoryMiB, priceMicrosPerCardHour } of specs.flavors) {
    faults.push(...amountFaults({ object: 'flavor', id }, { cardMemoryMiB, priceMicrosPerCardHour }));
  }
  for (const { id, parent, weightMilli, cells } of specs.cohorts) {
    const owner: Owner = { object: 'cohort', id };
    faults.push(...amountFaults(owner, { weightMilli }), ...cellFaults(owner, cells, flavors));
    faults.push(...upwardFaults(owner, parent, parents));
  }
  for (const { id, cohort, weightMilli, flavors: listed, cells } of specs.queues) {
    const owner: Owner = { object: 'queue', id };
    faults.push(...amountFaults(owner, { weightMilli }), ...cellFaults(owner, cells, flavors));
    faults.push(...listedFaults(owner, listed, cells, flavors));
    if (cohort !== null && !parents.has(cohort)) {
      faults.push({ ...owner, field: 'cohort', problem: 'unknown-cohort', value: cohort });
    }
  }
  return faults;
}

function duplicates(object: QuotaFault['object'], all: readonly { readonly id: string }[]): QuotaFault[] {
  const seen = new Set<string>();
  return all.flatMap(({ id }) => {
    if (!seen.has(id)) {
      seen.add(id);
      return [];
    }
    return [{ object, id, field: 'id', problem: 'duplicate-id' as const, value: id }];
  });
}

function amountFaults(owner: Owner, amounts: Readonly<Record<string, number | null>>): QuotaFault[] {
  return Object.entries(amounts).flatMap(([field, amount]) =>
    amount === null || (Number.isInteger(amount) && amount >= 0 && amount <= QUOTA_MAX)
      ? []
      : [{ ...owner, field, problem: 'not-an-amount' as const, value: String(amount) }],
  );
}

function cellFaults(owner: Owner, cells: readonly QuotaCell[], flavors: ReadonlySet<string>): QuotaFault[] {
  const seen = new Map<string, Set<string>>();
  return cells.flatMap((cell, index) => {
    const { flavor, resource, nominal, borrowingLimit, lendingLimit, floor } = cell;
    const path = `cells[${index}]`;
    const faults = amountFaults(owner, {
      [`${path}.nominal`]: nominal,
      [`${path}.borrowingLimit`]: borrowingLimit,
      [`${path}.lendingLimit`]: lendingLimit,
      [`${path}.floor`]: floor,
    });
    if (!flavors.has(flavor)) {
      faults.push({ ...owner, field: `${path}.flavor`, problem: 'unknown-flavor', value: flavor });
    }
    if (floor > nominal) {
      faults.push({ ...owner, field: `${path}.floor`, problem: 'floor-above-nominal', value: `${floor} > ${nominal}` });
    }
    const resources = seen.get(flavor) ?? new Set();
    if (resources.has(resource)) {
      faults.push({ ...owner, field: path, problem: 'duplicate-cell', value: `${flavor} ${resource}` });
    }
    seen.set(flavor, resources.add(resource));
    return faults;
  });
}

function listedFaults(
  owner: Owner,
  listed: readonly string[],
  cells: readonly QuotaCell[],
  flavors: ReadonlySet<string>,
): QuotaFault[] {
  const seen = new Set<string>();
  const faults: QuotaFault[] = [];
  listed.forEach((flavor, index) => {
    const field = `flavors[${index}]`;
    if (!flavors.has(flavor)) faults.push({ ...owner, field, problem: 'unknown-flavor', value: flavor });
    if (seen.has(flavor)) faults.push({ ...owner, field, problem: 'duplicate-flavor', value: flavor });
    seen.add(flavor);
  });
  cells.forEach(({ flavor }, index) => {
    if (seen.has(flavor)) return;
    faults.push({ ...owner, field: `cells[${index}].flavor`, problem: 'flavor-not-listed', value: flavor });
  });
  return faults;
}

/** Up from a cohort to its root: an unknown parent is told once, a cycle by each cohort on it. */
function upwardFaults(owner: Owner, parent: string | null, parents: ReadonlyMap<string, string | null>): QuotaFault[] {
  if (parent === null) return [];
  const fault = (problem: QuotaProblem, value: string): QuotaFault[] => [{ ...owner, field: 'parent', problem, value }];
  if (!parents.has(parent)) return fault('unknown-cohort', parent);
  const way = [owner.id];
  for (let at: string | null = parent; at !== null; at = parents.get(at) ?? null) {
    way.push(at);
    if (at === owner.id) return fault('cycle', way.join(' > '));
    if (way.length > COHORT_DEPTH_MAX) return fault('too-deep', `> ${COHORT_DEPTH_MAX}`);
  }
  return [];
}
