import { type Fields, below, fieldsAt, has } from './fields.ts';
import { InputFault, type Path } from './fault.ts';
import { parseQuantity, type QuantityFault } from './quantity.ts';

/** Amounts by resource name: `cpu` in milli, `memory` in bytes, everything else in its own unit. */
export type Amounts = ReadonlyMap<string, number>;

export const NO_AMOUNTS: Amounts = new Map();

const EXPECTED: Readonly<Record<QuantityFault, string>> = {
  syntax: 'a quantity such as 500m, 8 or 64Gi',
  negative: 'a quantity that is not negative',
  absurd: 'a quantity of at most 10^15',
};

/** The resource list under `key`. */
export function amountsAt(from: Fields, key: string): Amounts {
  if (!has(from, key)) return NO_AMOUNTS;
  const list = fieldsAt(from, key);
  const amounts = new Map<string, number>();
  for (const name of Object.keys(list.values)) {
    amounts.set(name, quantity(list.values[name], name === 'cpu', below(list, name)));
  }
  return amounts;
}

function quantity(value: unknown, milli: boolean, path: Path): number {
  const amount = parseQuantity(value, milli ? 'milli' : 'unit');
  if (typeof amount === 'number') {
    if (!milli && isExtended(String(path.key)) && isBroken(value)) {
      throw new InputFault('quantity', path, 'a whole number: extended resources are not divisible', value);
    }
    return amount;
  }
  throw new InputFault(amount === 'syntax' ? 'quantity' : amount, path, EXPECTED[amount], value);
}

/** Whether the quantity has a part below one. What is too large for milli is taken for whole. */
function isBroken(value: unknown): boolean {
  if (typeof value !== 'string' || !/[.mun]|[eE]-/.test(value))
    return typeof value === 'number' && !Number.isInteger(value);
  const milli = parseQuantity(value, 'milli');
  return typeof milli === 'number' && milli % 1000 !== 0;
}

/** Adds each amount of `more` to `sum`. */
export function addAmounts(sum: Map<string, number>, more: Amounts): void {
  for (const [name, amount] of more) sum.set(name, (sum.get(name) ?? 0) + amount);
}

/** Raises each amount of `peak` to that of `other`. */
export function raiseAmounts(peak: Map<string, number>, other: Amounts): void {
  for (const [name, amount] of other) {
    const held = peak.get(name);
    if (held === undefined || held < amount) peak.set(name, amount);
  }
}

/** Extended resources have a domain of their own; hugepages, storage and volumes are Kubernetes' own. */
export function isExtended(name: string): boolean {
  return name.includes('/') && !name.startsWith('kubernetes.io/');
}
