import type { ClaimAllocation, DeviceConstraint, DeviceToleration, DeviceTrouble } from '@springtide/core/model';
import { pathText } from '../fault.ts';
import {
  below,
  booleanAt,
  type Fields,
  fieldsAt,
  has,
  integerAt,
  itemsAt,
  requiredTextAt,
  textAt,
  textsAt,
} from '../fields.ts';
import { nodeTermsAt } from '../selectors.ts';

/** One way to satisfy a request, as it is written. */
export interface WrittenAsk {
  /** `gpu`, or `gpu/large`. */
  readonly name: string;
  /** The DeviceClass that it names, and where it does. */
  readonly className: string;
  readonly classPath: string;
  readonly selectors: readonly WrittenSelector[];
  /** Null: all. */
  readonly count: number | null;
  readonly isAdmin: boolean;
  readonly tolerations: readonly DeviceToleration[];
  /** As they are copied into an allocation. */
  readonly rawTolerations: unknown;
}

export interface WrittenSelector {
  readonly expression: string;
  readonly path: string;
}

export interface WrittenRequest {
  readonly name: string;
  readonly asks: readonly WrittenAsk[];
}

/** Configuration for drivers, copied into allocations as it is. */
export interface DeviceConfig {
  /** Empty: for all requests. */
  readonly requests: readonly string[];
  readonly opaque: unknown;
}

export interface DeviceClass {
  readonly name: string;
  readonly selectors: readonly WrittenSelector[];
  readonly configs: readonly DeviceConfig[];
}

/** A ResourceClaim as it is written. */
export interface WrittenClaim {
  readonly uid: string;
  readonly id: string;
  readonly name: string;
  readonly resourceVersion: string;
  readonly requests: readonly WrittenRequest[];
  readonly constraints: readonly DeviceConstraint[];
  readonly configs: readonly DeviceConfig[];
  readonly allocation: ClaimAllocation | null;
  readonly reservedFor: readonly string[];
  readonly owner: string;
  readonly isDeleting: boolean;
  /** What it asks for that is not handled; null: nothing. */
  readonly trouble: DeviceTrouble | null;
}

/** Thrown where a claim asks for what is not handled: it is a trouble of the claim, not bad input. */
class Unsupported extends Error {
  readonly path: string;

  constructor(path: string, what: string) {
    super(what);
    this.path = path;
  }
}

export function classOf(object: Fields): DeviceClass {
  const spec = fieldsAt(object, 'spec');
  const name = requiredTextAt(fieldsAt(object, 'metadata'), 'name');
  return {
    name,
    // An empty one admits nothing, and is refused with its place.
    selectors: itemsAt(spec, 'selectors').map((item) => {
      const { expression, path } = selectorOf(item);
      return { expression, path: `DeviceClass ${name} ${path}` };
    }),
    configs: configsAt(spec),
  };
}

function selectorOf(item: Fields): WrittenSelector {
  const cel = fieldsAt(item, 'cel');
  return { expression: textAt(cel, 'expression'), path: pathText(below(cel, 'expression')) };
}

function configsAt(from: Fields): DeviceConfig[] {
  return itemsAt(from, 'config').map((item) => {
    return { requests: textsAt(item, 'requests'), opaque: item.values['opaque'] };
  });
}

export function claimOf(object: Fields): WrittenClaim {
  const metadata = fieldsAt(object, 'metadata');
  const status = fieldsAt(object, 'status');
  const name = requiredTextAt(metadata, 'name');
  const id = `${textAt(metadata, 'namespace')}/${name}`;
  return {
    uid: requiredTextAt(metadata, 'uid'),
    id,
    name,
    resourceVersion: textAt(metadata, 'resourceVersion'),
    ...specOf(fieldsAt(fieldsAt(object, 'spec'), 'devices'), name),
    allocation: has(status, 'allocation') ? allocationOf(id, fieldsAt(status, 'allocation')) : null,
    reservedFor: itemsAt(status, 'reservedFor').map((item) => textAt(item, 'uid')),
    owner: ownerOf(metadata),
    isDeleting: has(metadata, 'deletionTimestamp'),
  };
}

type WrittenSpec = Pick<WrittenClaim, 'requests' | 'constraints' | 'configs' | 'trouble'>;

const NO_SPEC: WrittenSpec = { requests: [], constraints: [], configs: [], trouble: null };

function specOf(devices: Fields, claim: string): WrittenSpec {
  try {
    const requests = itemsAt(devices, 'requests').map(requestOf);
    const least = requests.reduce((sum, { asks }) => sum + Math.min(...asks.map(({ count }) => count ?? 1)), 0);
    if (least > DEVICES_MAX) throw new Unsupported(pathText(devices.path), `more than ${DEVICES_MAX} devices`);
    const constraints = itemsAt(devices, 'constraints').map(constraintOf);
    return { requests, constraints, configs: configsAt(devices), trouble: null };
  } catch (error) {
    if (!(error instanceof Unsupported)) throw error;
    return { ...NO_SPEC, trouble: { kind: 'unsupported', claim, path: error.path, detail: error.message } };
  }
}

/** As many devices as the API lets a claim have. */
const DEVICES_MAX = 32;

function requestOf(item: Fields): WrittenRequest {
  const name = requiredTextAt(item, 'name');
  const choices = itemsAt(item, 'firstAvailable');
  if (choices.length > 0) {
    return { name, asks: choices.map((choice) => askOf(choice, `${name}/${requiredTextAt(choice, 'name')}`)) };
  }
  if (!has(item, 'exactly')) throw new Unsupported(pathText(item.path), 'a request neither exactly nor firstAvailable');
  return { name, asks: [askOf(fieldsAt(item, 'exactly'), name)] };
}

function askOf(item: Fields, name: string): WrittenAsk {
  for (const key of ['capacity', 'derivedAttributes']) {
    if (has(item, key)) throw new Unsupported(pathText(below(item, key)), `${key} of a request`);
  }
  return {
    name,
    className: requiredTextAt(item, 'deviceClassName'),
    classPath: pathText(below(item, 'deviceClassName')),
    selectors: itemsAt(item, 'selectors').map(selectorOf),
    count: countOf(item),
    isAdmin: booleanAt(item, 'adminAccess'),
    tolerations: itemsAt(item, 'tolerations').map(tolerationOf),
    rawTolerations: item.values['tolerations'],
  };
}

function countOf(item: Fields): number | null {
  const mode = textAt(item, 'allocationMode', 'ExactCount');
  if (mode === 'All') return null;
  if (mode !== 'ExactCount') throw new Unsupported(pathText(below(item, 'allocationMode')), `allocationMode ${mode}`);
  return integerAt(item, 'count', { absent: 1, min: 1, max: Number.MAX_SAFE_INTEGER });
}

function tolerationOf(item: Fields): DeviceToleration {
  const operator = textAt(item, 'operator', 'Equal') === 'Exists' ? 'Exists' : 'Equal';
  return { key: textAt(item, 'key'), operator, value: textAt(item, 'value'), effect: textAt(item, 'effect') };
}

function constraintOf(item: Fields): DeviceConstraint {
  const [match, distinct] = [textAt(item, 'matchAttribute'), textAt(item, 'distinctAttribute')];
  const requests = textsAt(item, 'requests');
  if (match !== '') return { kind: 'match', attribute: match, requests };
  if (distinct !== '') return { kind: 'distinct', attribute: distinct, requests };
  throw new Unsupported(pathText(item.path), 'a constraint neither matchAttribute nor distinctAttribute');
}

function allocationOf(claim: string, allocation: Fields): ClaimAllocation {
  const results = itemsAt(fieldsAt(allocation, 'devices'), 'results');
  return {
    claim,
    devices: results.map((item) => ({
      request: textAt(item, 'request'),
      driver: textAt(item, 'driver'),
      pool: textAt(item, 'pool'),
      device: textAt(item, 'device'),
      isAdmin: booleanAt(item, 'adminAccess'),
    })),
    places: nodeTermsAt(allocation, 'nodeSelector'),
  };
}

function ownerOf(metadata: Fields): string {
  const owner = itemsAt(metadata, 'ownerReferences').find((item) => booleanAt(item, 'controller'));
  return owner === undefined ? '' : textAt(owner, 'uid');
}
