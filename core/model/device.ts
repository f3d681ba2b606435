import type { NodeSelectorTerm } from './constraints.ts';

/** Devices of Dynamic Resource Allocation (DRA), the claims that ask for them, and what a claim was given. */

/** Keeps claims off a device that do not tolerate it. */
export interface DeviceTaint {
  readonly key: string;
  readonly value: string;
  readonly effect: 'NoSchedule' | 'NoExecute';
}

export interface DeviceToleration {
  /** Empty with `Exists`: every taint. */
  readonly key: string;
  readonly operator: 'Equal' | 'Exists';
  readonly value: string;
  /** Empty: every effect. */
  readonly effect: string;
}

export interface Device {
  /** Unique in its pool. */
  readonly name: string;
  /** The machine that has it; empty: `places` says where it can be used. */
  readonly machine: string;
  /** Null: everywhere. Terms are or-ed. */
  readonly places: readonly NodeSelectorTerm[] | null;
  /** By full name (`domain/name`): type and value in one text, for comparison with those of other devices. */
  readonly attributes: ReadonlyMap<string, string>;
  /** Selections (`DeviceAsk.selection`) that admit it, and the device is none of those that several claims may share. */
  readonly selections: readonly string[];
  readonly taints: readonly DeviceTaint[];
  /** What it takes of its pool's counters, by `set/counter`: devices cut from one card share them. */
  readonly uses: ReadonlyMap<string, number>;
}

/** Devices that one driver publishes together. */
export interface DevicePool {
  /** `driver/pool`. */
  readonly id: string;
  readonly driver: string;
  readonly name: string;
  /** Some of its devices are not known yet, or two have one name: nothing is taken from it meanwhile. */
  readonly isWhole: boolean;
  readonly counters: ReadonlyMap<string, number>;
  /** In the order in which they are to be taken. */
  readonly devices: readonly Device[];
}

/** One way to satisfy a request. */
export interface DeviceAsk {
  /** As the allocation names it: `gpu`, or `gpu/large` for a choice of several. */
  readonly name: string;
  /** Names all selectors of class and request together; devices say which of them admit them. */
  readonly selection: string;
  /** How many devices; null: all that there are, at least one. */
  readonly count: number | null;
  /** Takes devices that others hold too, and keeps them from nobody. */
  readonly isAdmin: boolean;
  readonly tolerations: readonly DeviceToleration[];
}

export interface DeviceRequest {
  readonly name: string;
  /** The first that can be had is taken. */
  readonly asks: readonly DeviceAsk[];
}

/** All devices of these requests have the attribute, and have it alike (`match`) or each its own (`distinct`). */
export interface DeviceConstraint {
  readonly kind: 'match' | 'distinct';
  /** Full name. */
  readonly attribute: string;
  /** Names of requests, or of their ways (`gpu/large`); empty: all of the claim. */
  readonly requests: readonly string[];
}

/** What is wrong with a claim, so that it cannot be given anything. */
export const DEVICE_TROUBLES = [
  'missing',
  'not-made',
  'foreign',
  'going',
  'full',
  'class',
  'selector',
  'selector-fails',
  'unsupported',
] as const;
export type DeviceTroubleKind = (typeof DEVICE_TROUBLES)[number];

export interface DeviceTrouble {
  readonly kind: DeviceTroubleKind;
  /** The claim's name in the pod's namespace, or what the pod calls it while it has none. */
  readonly claim: string;
  /** Where it stands, such as `spec.devices.requests[0].exactly.selectors[0].cel.expression`; empty: nowhere. */
  readonly path: string;
  /** A class's name, an expression and what is wrong with it, a device; empty: nothing more to say. */
  readonly detail: string;
}

/** What one claim of a pod needs of a machine. */
export interface DeviceNeed {
  /**
   * The claim as `namespace/name`, where it has devices already or other pods may use it too. Empty: it is the pod's
   * own, and only what it asks for matters; so pods of one template ask the same.
   */
  readonly claim: string;
  readonly requests: readonly DeviceRequest[];
  readonly constraints: readonly DeviceConstraint[];
  /** It has devices, and no other pod uses them: they may be given back where the pod cannot go to them. */
  readonly isLoose: boolean;
  /** Null where nothing is wrong; else no machine will do. */
  readonly trouble: DeviceTrouble | null;
  /** A selector that fails on some device, told where nothing else fits. */
  readonly failing: DeviceTrouble | null;
}

export interface AllocatedDevice {
  /** `DeviceAsk.name`. */
  readonly request: string;
  readonly driver: string;
  readonly pool: string;
  readonly device: string;
  readonly isAdmin: boolean;
}

/** What a claim was given. */
export interface ClaimAllocation {
  /** `namespace/name`. */
  readonly claim: string;
  readonly devices: readonly AllocatedDevice[];
  /** Where they can be used; null: everywhere. Terms are or-ed. */
  readonly places: readonly NodeSelectorTerm[] | null;
}

/** `driver/pool/device`: unique in the cluster. */
export function deviceKey({ driver, pool, device }: Pick<AllocatedDevice, 'driver' | 'pool' | 'device'>): string {
  return `${driver}/${pool}/${device}`;
}
