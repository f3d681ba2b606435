import type { QuotaCell } from '@springtide/core/model';
import { cardResource } from '@springtide/core/vendors';
import { below, type Fields, fieldsAt, has, itemsAt, requiredTextAt } from '../fields.ts';
import { quotaAt, type Quotas } from '../queueing/quota-cells.ts';
import type { Losses } from './losses.ts';

/** What HAMi's bridge to Kueue counts a pod as, and what that is here; amounts are multiplied. */
const BRIDGED: ReadonlyMap<string, readonly [resource: string, factor: number]> = new Map([
  ['nvidia.com/total-gpumem', ['cardMemoryMiB', 1]],
  ['nvidia.com/total-gpucores', ['computeMilli', 10]],
]);

/** Kueue counts pods as a resource of its own. */
const PODS = 'pods';

/** The quotas of a ClusterQueue or a Cohort: its resource groups one after the other. */
export function quotasOfGroups(spec: Fields, losses: Losses): Quotas {
  const flavors: string[] = [];
  const cells: QuotaCell[] = [];
  for (const group of itemsAt(spec, 'resourceGroups')) {
    losses.unknownIn(group, ['coveredResources', 'flavors']);
    for (const entry of itemsAt(group, 'flavors')) {
      losses.unknownIn(entry, ['name', 'resources']);
      const flavor = requiredTextAt(entry, 'name');
      if (!flavors.includes(flavor)) flavors.push(flavor);
      for (const item of itemsAt(entry, 'resources')) addCell(cells, flavor, item, losses);
    }
  }
  return { flavors, cells };
}

function addCell(cells: QuotaCell[], flavor: string, item: Fields, losses: Losses): void {
  losses.unknownIn(item, ['name', 'nominalQuota', 'borrowingLimit', 'lendingLimit']);
  const name = requiredTextAt(item, 'name');
  if (name === PODS) return losses.add('pods', below(item, 'name'), name);
  const [resource, factor] = countedAs(name);
  if (cells.some((cell) => cell.flavor === flavor && cell.resource === resource)) {
    return losses.add('counted-twice', below(item, 'name'), name);
  }
  const amount = (key: string): number | null => (has(item, key) ? quotaAt(item, key, name) * factor : null);
  const nominal = amount('nominalQuota') ?? 0;
  const limits = { borrowingLimit: amount('borrowingLimit'), lendingLimit: amount('lendingLimit') };
  cells.push({ flavor, resource, nominal, ...limits, floor: 0 });
}

function countedAs(name: string): readonly [resource: string, factor: number] {
  if (name === 'cpu') return ['cpuMilli', 1];
  if (name === 'memory') return ['memoryBytes', 1];
  return cardResource(name) === null ? (BRIDGED.get(name) ?? [name, 1]) : ['cards', 1];
}

/** The weight under `fairSharing`, in thousandths. */
export function weightOf(spec: Fields, losses: Losses): number {
  const sharing = fieldsAt(spec, 'fairSharing');
  losses.unknownIn(sharing, ['weight']);
  if (!has(sharing, 'weight')) return 1000;
  const weightMilli = quotaAt(sharing, 'weight', 'cpu');
  if (weightMilli < 2 ** 31) return weightMilli;
  losses.add('weight', below(sharing, 'weight'), sharing.values['weight']);
  return 2 ** 31 - 1;
}
