import type { Device, DeviceTaint } from '@springtide/core/model';
import { InputFault } from '../fault.ts';
import { below, booleanAt, type Fields, fieldsAt, has, itemsAt, requiredTextAt, textAt } from '../fields.ts';
import { quantityNano } from '../quantity.ts';
import { nodeTermsAt } from '../selectors.ts';
import { type AttributeValue, type DeviceFacts, Quantity, Semver } from './expressions.ts';

/** A device as its slice has it: which selections admit it is found out later. */
export interface SliceDevice {
  readonly device: Omit<Device, 'selections'>;
  readonly facts: DeviceFacts;
  /** It is none that can be given to one claim as a whole, at once: several may share it, or it has to be made ready. */
  readonly isOddlyShared: boolean;
}

/** A ResourceSlice. */
export interface DeviceSlice {
  readonly name: string;
  /** `driver/pool`. */
  readonly poolId: string;
  readonly driver: string;
  readonly pool: string;
  readonly generation: number;
  /** Slices that the pool has at this generation. */
  readonly sliceCount: number;
  /** By `set/counter`. */
  readonly counters: ReadonlyMap<string, number>;
  readonly devices: readonly SliceDevice[];
}

/** Which devices a DeviceTaintRule taints; absent: any. */
export interface TaintRule {
  readonly name: string;
  readonly driver: string;
  readonly pool: string;
  readonly device: string;
  readonly taint: DeviceTaint | null;
}

export function sliceOf(object: Fields): DeviceSlice {
  const spec = fieldsAt(object, 'spec');
  const pool = fieldsAt(spec, 'pool');
  const driver = requiredTextAt(spec, 'driver');
  const name = requiredTextAt(pool, 'name');
  const isEach = booleanAt(spec, 'perDeviceNodeSelection');
  return {
    name: requiredTextAt(fieldsAt(object, 'metadata'), 'name'),
    poolId: `${driver}/${name}`,
    driver,
    pool: name,
    generation: countAt(pool, 'generation'),
    sliceCount: countAt(pool, 'resourceSliceCount'),
    counters: new Map(itemsAt(spec, 'sharedCounters').flatMap((set) => countersAt(set, requiredTextAt(set, 'name')))),
    devices: itemsAt(spec, 'devices').map((item) => deviceOf(item, driver, isEach ? item : spec)),
  };
}

function countAt(from: Fields, key: string): number {
  const value = from.values[key] ?? 0;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  throw new InputFault('wrong-type', below(from, key), 'a whole number', value);
}

function countersAt(from: Fields, set: string): [string, number][] {
  const counters = fieldsAt(from, 'counters');
  return Object.keys(counters.values).map((name) => {
    const nano = nanoAt(fieldsAt(counters, name), 'value');
    return [`${set}/${name}`, Number(nano) / 1e9];
  });
}

function nanoAt(from: Fields, key: string): bigint {
  const nano = quantityNano(from.values[key]);
  if (typeof nano === 'bigint') return nano;
  throw new InputFault('quantity', below(from, key), 'a quantity such as 8 or 64Gi', from.values[key]);
}

/** `where` says on which machines the device is: the slice or the device itself. */
function deviceOf(item: Fields, driver: string, where: Fields): SliceDevice {
  const attributes = attributesOf(item);
  const allowMultipleAllocations = booleanAt(item, 'allowMultipleAllocations');
  const consumed = itemsAt(item, 'consumesCounters');
  return {
    device: {
      name: requiredTextAt(item, 'name'),
      machine: textAt(where, 'nodeName'),
      places: placesOf(where),
      attributes: new Map(attributes.map(([name, { text }]) => [inFull(name, driver).join('/'), text])),
      taints: itemsAt(item, 'taints').flatMap((taint) => taintOf(taint) ?? []),
      uses: new Map(consumed.flatMap((each) => countersAt(each, requiredTextAt(each, 'counterSet')))),
    },
    facts: {
      driver,
      allowMultipleAllocations,
      attributes: byDomain(
        attributes.map(([name, { value }]) => [name, value]),
        driver,
      ),
      capacity: byDomain(capacityOf(item), driver),
    },
    isOddlyShared: allowMultipleAllocations || itemsAsTexts(item, 'bindingConditions') > 0,
  };
}

function itemsAsTexts(item: Fields, key: string): number {
  const list = item.values[key];
  return Array.isArray(list) ? list.length : 0;
}

/** No machine, no terms and not everywhere: nowhere. */
function placesOf(where: Fields): Device['places'] {
  return nodeTermsAt(where, 'nodeSelector') ?? (booleanAt(where, 'allNodes') ? null : []);
}

interface Attribute {
  readonly value: AttributeValue;
  /** With its type: values of two types are never alike. */
  readonly text: string;
}

/** Values of a type that is not known (lists) are left out: no selector or constraint finds them. */
function attributesOf(item: Fields): [string, Attribute][] {
  const attributes = fieldsAt(item, 'attributes');
  return Object.keys(attributes.values).flatMap((name): [string, Attribute][] => {
    const attribute = attributeOf(fieldsAt(attributes, name));
    return attribute === null ? [] : [[name, attribute]];
  });
}

function attributeOf({ values }: Fields): Attribute | null {
  const { string, int, bool, version } = values;
  if (typeof string === 'string') return { value: string, text: `string ${string}` };
  if (typeof int === 'number' && Number.isInteger(int)) return { value: BigInt(int), text: `int ${int}` };
  if (typeof bool === 'boolean') return { value: bool, text: `bool ${bool}` };
  const semver = typeof version === 'string' ? Semver.parse(version) : null;
  return semver === null ? null : { value: semver, text: `version ${String(version)}` };
}

function capacityOf(item: Fields): [string, Quantity][] {
  const capacity = fieldsAt(item, 'capacity');
  return Object.keys(capacity.values).map((name) => [name, new Quantity(nanoAt(fieldsAt(capacity, name), 'value'))]);
}

/** A name without a domain is in that of the driver. */
function inFull(name: string, driver: string): [domain: string, name: string] {
  const slash = name.indexOf('/');
  return slash < 0 ? [driver, name] : [name.slice(0, slash), name.slice(slash + 1)];
}

function byDomain<V>(entries: readonly (readonly [string, V])[], driver: string): Map<string, Map<string, V>> {
  const domains = new Map<string, Map<string, V>>();
  for (const [key, value] of entries) {
    const [domain, name] = inFull(key, driver);
    domains.set(domain, (domains.get(domain) ?? new Map<string, V>()).set(name, value));
  }
  return domains;
}

/** Null: its effect is to inform, or one of later days, which keeps nobody off. */
function taintOf(item: Fields): DeviceTaint | null {
  const effect = textAt(item, 'effect');
  if (effect !== 'NoSchedule' && effect !== 'NoExecute') return null;
  return { key: requiredTextAt(item, 'key'), value: textAt(item, 'value'), effect };
}

export function taintRuleOf(object: Fields): TaintRule {
  const spec = fieldsAt(object, 'spec');
  const selector = fieldsAt(spec, 'deviceSelector');
  return {
    name: requiredTextAt(fieldsAt(object, 'metadata'), 'name'),
    driver: textAt(selector, 'driver'),
    pool: textAt(selector, 'pool'),
    device: textAt(selector, 'device'),
    // Without a selector it taints nothing.
    taint: has(spec, 'deviceSelector') ? taintOf(fieldsAt(spec, 'taint')) : null,
  };
}
