/**
 * Kubernetes quantities, exactly: sign, decimal digits, then Ki..Ei, n..E, or an exponent. Parts of a unit are
 * rounded up, as `MilliValue` and `Value` of apimachinery do.
 */
export type QuantityFault = 'syntax' | 'negative' | 'absurd';

/** `milli` for CPU, `unit` for everything else (bytes, counts). */
export type QuantityScale = 'milli' | 'unit';

/** More than this, in the unit asked for, is refused: it is no machine, and sums must stay exact integers. */
export const QUANTITY_MAX = 1e15;

const DECIMAL: ReadonlyMap<string, number> = new Map([
  ['n', -9],
  ['u', -6],
  ['m', -3],
  ['', 0],
  ['k', 3],
  ['M', 6],
  ['G', 9],
  ['T', 12],
  ['P', 15],
  ['E', 18],
]);

const BINARY: ReadonlyMap<string, number> = new Map([
  ['Ki', 10],
  ['Mi', 20],
  ['Gi', 30],
  ['Ti', 40],
  ['Pi', 50],
  ['Ei', 60],
]);

/** No number that anybody means is longer, and digits without end would take time without end. */
const LENGTH_MAX = 100;

const FORM = /^([+-]?)(\d*)(?:\.(\d*))?([EPTGM]i?|Ki|[numk]|[eE][+-]?\d+|)$/;

/** A plain number, or one with a usual suffix, that fits a double: nearly all of them. */
const QUICK = /^(\d{1,9})(m|Ki|Mi|Gi|)$/;
const QUICK_FACTOR: Readonly<Record<string, number>> = { '': 1, Ki: 1024, Mi: 1024 ** 2, Gi: 1024 ** 3 };

/** JSON numbers are accepted, as the API server does for `cpu: 2`. */
export function parseQuantity(value: unknown, scale: QuantityScale): number | QuantityFault {
  if (typeof value === 'number') return Number.isFinite(value) ? parseText(String(value), scale) : 'absurd';
  return typeof value === 'string' ? parseText(value, scale) : 'syntax';
}

function parseText(text: string, scale: QuantityScale): number | QuantityFault {
  const quick = QUICK.exec(text);
  if (quick !== null) return bounded(quickValue(Number(quick[1]), quick[2] ?? '', scale));
  const form = text.length > LENGTH_MAX ? null : FORM.exec(text);
  if (form === null) return 'syntax';
  const [, sign, whole = '', part = '', suffix = ''] = form;
  if (whole === '' && part === '') return 'syntax';
  const digits = BigInt(whole + part);
  if (digits === 0n) return 0;
  if (sign === '-') return 'negative';
  return exact(digits, part.length, suffix, scale);
}

/** In billionths, exactly but for what is smaller than one, which is rounded up. Negative ones are refused. */
export function quantityNano(value: unknown): bigint | QuantityFault {
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string' || text.length > LENGTH_MAX) return 'syntax';
  const [, sign, whole = '', part = '', suffix = ''] = FORM.exec(text) ?? [];
  if (sign === undefined || whole + part === '') return 'syntax';
  if (sign === '-') return 'negative';
  const bits = BINARY.get(suffix);
  const tens = (bits === undefined ? decimalPower(suffix) : 0) - part.length + 9;
  if (Math.abs(tens) > 60) return 'absurd';
  const digits = BigInt(whole + part) * (bits === undefined ? 1n : 1n << BigInt(bits));
  if (tens >= 0) return digits * 10n ** BigInt(tens);
  const denominator = 10n ** BigInt(-tens);
  return (digits + denominator - 1n) / denominator;
}

function quickValue(number: number, suffix: string, scale: QuantityScale): number {
  if (suffix === 'm') return scale === 'milli' ? number : Math.ceil(number / 1000);
  return number * (QUICK_FACTOR[suffix] ?? 1) * (scale === 'milli' ? 1000 : 1);
}

/** digits x 10^-places x suffix, in the unit asked for, rounded up. */
function exact(digits: bigint, places: number, suffix: string, scale: QuantityScale): number | QuantityFault {
  const bits = BINARY.get(suffix);
  const tens = (bits === undefined ? decimalPower(suffix) : 0) - places + (scale === 'milli' ? 3 : 0);
  // Too big whatever the digits are, or less than one unit: powers that an exponent could make endless.
  if (tens > 40) return 'absurd';
  if (-tens > String(digits).length + 60) return 1;
  let numerator = digits * (bits === undefined ? 1n : 1n << BigInt(bits));
  if (tens >= 0) numerator *= 10n ** BigInt(tens);
  const denominator = tens < 0 ? 10n ** BigInt(-tens) : 1n;
  return bounded(Number((numerator + denominator - 1n) / denominator));
}

function decimalPower(suffix: string): number {
  return DECIMAL.get(suffix) ?? Number(suffix.slice(1));
}

function bounded(value: number): number | QuantityFault {
  return value <= QUANTITY_MAX ? value : 'absurd';
}
