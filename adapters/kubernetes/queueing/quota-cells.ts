import { QUOTA_MAX, type QuotaCell } from '@springtide/core/model';
import { InputFault } from '../fault.ts';
import { below, type Fields, has, itemsAt, requiredTextAt } from '../fields.ts';
import { parseQuantity, type QuantityFault } from '../quantity.ts';

/** What Kubernetes calls it, and what it is counted as. */
const COUNTED_AS: ReadonlyMap<string, string> = new Map([
  ['cpu', 'cpuMilli'],
  ['memory', 'memoryBytes'],
]);

export interface Quotas {
  /** In order of preference. */
  readonly flavors: readonly string[];
  readonly cells: readonly QuotaCell[];
}

/** The quotas under `flavors` of a Queue or a Cohort. */
export function quotasOf(spec: Fields): Quotas {
  const items = itemsAt(spec, 'flavors');
  const flavors = items.map((item) => requiredTextAt(item, 'name'));
  items.forEach((item, index) => {
    const name = flavors[index] ?? '';
    if (flavors.indexOf(name) !== index)
      throw new InputFault('value', below(item, 'name'), 'a flavor that is not named before', name);
  });
  return {
    flavors,
    cells: items.flatMap((item) =>
      itemsAt(item, 'resources').map((entry) => cellOf(entry, requiredTextAt(item, 'name'))),
    ),
  };
}

function cellOf(entry: Fields, flavor: string): QuotaCell {
  const name = requiredTextAt(entry, 'name');
  const amount = (key: string): number | null => (has(entry, key) ? quotaAt(entry, key, name) : null);
  const nominal = amount('nominal');
  if (nominal === null) throw new InputFault('missing', below(entry, 'nominal'), 'a quantity', undefined);
  const floor = amount('floor') ?? 0;
  if (floor > nominal)
    throw new InputFault('value', below(entry, 'floor'), 'no more than nominal', entry.values['floor']);
  const limits = { borrowingLimit: amount('borrowingLimit'), lendingLimit: amount('lendingLimit') };
  return { flavor, resource: COUNTED_AS.get(name) ?? name, nominal, ...limits, floor };
}

const EXPECTED: Readonly<Record<QuantityFault, string>> = {
  syntax: 'a quantity such as 500m, 8 or 64Gi',
  negative: 'a quantity that is not negative',
  absurd: `a quantity of at most 10^15`,
};

/** A quantity in the unit of its resource. */
export function quotaAt(from: Fields, key: string, resource: string): number {
  const value = from.values[key];
  const amount = parseQuantity(value, resource === 'cpu' ? 'milli' : 'unit');
  if (typeof amount === 'number') return Math.min(amount, QUOTA_MAX);
  throw new InputFault(amount === 'syntax' ? 'quantity' : amount, below(from, key), EXPECTED[amount], value);
}

/** As it is written in an object: flavors in order, each with its resources. */
export function quotasObject({ flavors, cells }: Quotas): object[] {
  return flavors.map((name) => ({
    name,
    resources: cells.filter(({ flavor }) => flavor === name).map(cellObject),
  }));
}

function cellObject({ resource, nominal, borrowingLimit, lendingLimit, floor }: QuotaCell): object {
  const [name = resource] = [...COUNTED_AS].find(([, counted]) => counted === resource) ?? [];
  const written = (amount: number): string | number => (name === 'cpu' ? milliText(amount) : amount);
  return {
    name,
    nominal: written(nominal),
    ...(borrowingLimit === null ? {} : { borrowingLimit: written(borrowingLimit) }),
    ...(lendingLimit === null ? {} : { lendingLimit: written(lendingLimit) }),
    ...(floor === 0 ? {} : { floor: written(floor) }),
  };
}

function milliText(milli: number): string | number {
  return milli % 1000 === 0 ? milli / 1000 : `${milli}m`;
}
