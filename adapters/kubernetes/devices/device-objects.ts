import { compareText } from '@springtide/core/base';
import type { DeviceAsk, DevicePool, DeviceRequest, DeviceTaint, DeviceTrouble } from '@springtide/core/model';
import type { ClusterEvent, DeviceClaim } from '@springtide/ports/cluster';
import type { Fields } from '../fields.ts';
import {
  claimOf,
  classOf,
  type DeviceClass,
  type WrittenAsk,
  type WrittenClaim,
  type WrittenRequest,
} from './claims.ts';
import { type Selection, Selections, type SelectorFault } from './selections.ts';
import { type DeviceSlice, sliceOf, type SliceDevice, type TaintRule, taintRuleOf } from './slices.ts';

/** As many pods as the API lets use a claim. */
const RESERVED_MAX = 256;

/** A request as nouns, or why it cannot be met. */
interface ReadRequest {
  readonly request: DeviceRequest;
  readonly trouble: DeviceTrouble | null;
  readonly failing: DeviceTrouble | null;
}

/**
 * Turns the objects of Dynamic Resource Allocation into pools of devices and claims as they come, in any order.
 * Which devices a claim's selectors admit is found out here, so that nobody else has to know their language.
 */
export class DeviceObjects {
  readonly #put: (event: ClusterEvent) => void;
  readonly #slices = new Map<string, DeviceSlice>();
  /** Names of slices, by pool. */
  readonly #pools = new Map<string, Set<string>>();
  readonly #rules = new Map<string, TaintRule>();
  readonly #classes = new Map<string, DeviceClass>();
  readonly #claims = new Map<string, WrittenClaim>();
  readonly #selections = new Selections();

  constructor(put: (event: ClusterEvent) => void) {
    this.#put = put;
  }

  /** A claim as it is written, and the classes it names. */
  written(id: string): { readonly claim: WrittenClaim; readonly classes: ReadonlyMap<string, DeviceClass> } | null {
    const claim = this.#claims.get(id);
    return claim === undefined ? null : { claim, classes: this.#classes };
  }

  readonly seeSlice = (object: Fields): void => {
    const slice = sliceOf(object);
    this.#slices.set(slice.name, slice);
    const names = this.#pools.get(slice.poolId) ?? new Set();
    this.#pools.set(slice.poolId, names.add(slice.name));
    this.#tellPool(slice.poolId);
  };

  readonly loseSlice = (name: string): void => {
    const slice = this.#slices.get(name);
    if (slice === undefined) return;
    this.#slices.delete(name);
    const names = this.#pools.get(slice.poolId);
    names?.delete(name);
    if (names?.size === 0) this.#pools.delete(slice.poolId);
    this.#tellPool(slice.poolId);
  };

  readonly seeTaintRule = (object: Fields): void => {
    const rule = taintRuleOf(object);
    this.#rules.set(rule.name, rule);
    this.#tellPools();
  };

  readonly loseTaintRule = (name: string): void => {
    if (this.#rules.delete(name)) this.#tellPools();
  };

  readonly seeClass = (object: Fields): void => {
    const deviceClass = classOf(atRoot(object));
    this.#classes.set(deviceClass.name, deviceClass);
    this.#tellClaimsOf(deviceClass.name);
  };

  readonly loseClass = (name: string): void => {
    if (this.#classes.delete(name)) this.#tellClaimsOf(name);
  };

  readonly seeClaim = (object: Fields): void => {
    const claim = claimOf(atRoot(object));
    this.#claims.set(claim.id, claim);
    this.#tellClaim(claim);
  };

  readonly loseClaim = (id: string): void => {
    this.#claims.delete(id);
    this.#put({ kind: 'device-claim-gone', claim: id });
  };

  #tellPools(): void {
    for (const id of this.#pools.keys()) this.#tellPool(id);
  }

  #tellPool(id: string): void {
    const names = [...(this.#pools.get(id) ?? [])].toSorted(compareText);
    const slices = names.map((name) => this.#slices.get(name) as DeviceSlice);
    if (slices.length === 0) this.#put({ kind: 'device-pool-gone', pool: id });
    else this.#put({ kind: 'device-pool-seen', pool: this.#poolOf(id, slices) });
    if (!this.#selections.takeFailed()) return;
    for (const claim of this.#claims.values()) if (claim.allocation === null) this.#tellClaim(claim);
  }

  /** Of slices of several generations only the newest count. */
  #poolOf(id: string, slices: readonly DeviceSlice[]): DevicePool {
    const newest = slices.reduce((most, slice) => (slice.generation > most.generation ? slice : most));
    const current = slices.filter(({ generation }) => generation === newest.generation);
    const devices = current.flatMap((slice) => slice.devices.map((item) => this.#deviceOf(item, slice)));
    const isDouble = new Set(devices.map(({ name }) => name)).size < devices.length;
    return {
      id,
      driver: newest.driver,
      name: newest.pool,
      isWhole: current.length === newest.sliceCount && !isDouble,
      counters: new Map(current.flatMap(({ counters }) => Array.from(counters))),
      devices,
    };
  }

  #deviceOf(item: SliceDevice, slice: DeviceSlice): DevicePool['devices'][number] {
    const taints = [...item.device.taints, ...this.#rulesFor(item, slice)];
    return { ...item.device, taints, selections: this.#selections.admitting(item, slice) };
  }

  #rulesFor({ device }: SliceDevice, { driver, pool }: DeviceSlice): DeviceTaint[] {
    return [...this.#rules.values()].flatMap(({ taint, ...rule }) => {
      const isAbout = isOrAny(rule.driver, driver) && isOrAny(rule.pool, pool) && isOrAny(rule.device, device.name);
      return taint !== null && isAbout ? [taint] : [];
    });
  }

  #tellClaimsOf(className: string): void {
    for (const claim of this.#claims.values()) {
      if (asksOf(claim).some((ask) => ask.className === className)) this.#tellClaim(claim);
    }
  }

  #tellClaim(claim: WrittenClaim): void {
    this.#put({ kind: 'device-claim-seen', claim: this.#nounOf(claim) });
  }

  #nounOf(claim: WrittenClaim): DeviceClaim {
    const { uid, id, resourceVersion, constraints, allocation, reservedFor, owner, isDeleting } = claim;
    // What it asked for is of no interest while it has it.
    const read = allocation === null ? claim.requests.map((request) => this.#requestOf(claim, request)) : [];
    return {
      uid,
      id,
      resourceVersion,
      requests: read.map(({ request }) => request),
      constraints,
      allocation,
      reservedFor,
      isFull: reservedFor.length >= RESERVED_MAX,
      owner,
      isDeleting,
      trouble: claim.trouble ?? read.find(({ trouble }) => trouble !== null)?.trouble ?? null,
      failing: read.find(({ failing }) => failing !== null)?.failing ?? null,
    };
  }

  #requestOf(claim: WrittenClaim, { name, asks }: WrittenRequest): ReadRequest {
    const read = asks.map((ask) => this.#askOf(claim, ask));
    return {
      request: { name, asks: read.map(({ ask }) => ask) },
      trouble: read.find(({ trouble }) => trouble !== null)?.trouble ?? null,
      failing: read.find(({ failing }) => failing !== null)?.failing ?? null,
    };
  }

  #askOf(
    { name: claim }: WrittenClaim,
    { name, className, classPath, selectors, count, isAdmin, tolerations }: WrittenAsk,
  ): { readonly ask: DeviceAsk } & Omit<ReadRequest, 'request'> {
    const deviceClass = this.#classes.get(className);
    const asked = { name, count, isAdmin, tolerations };
    const nothing = { ask: { ...asked, selection: '' }, failing: null };
    if (deviceClass === undefined) {
      return { ...nothing, trouble: { kind: 'class', claim, path: classPath, detail: className } };
    }
    const all = [...deviceClass.selectors, ...selectors];
    const selection = this.#selectionOf(all.map(({ expression }) => expression));
    if (selection === null) {
      const detail = 'more different selectors than are kept at once';
      return { ...nothing, trouble: { kind: 'unsupported', claim, path: classPath, detail } };
    }
    const troubleOf = (kind: DeviceTrouble['kind'], fault: SelectorFault | null): DeviceTrouble | null => {
      const selector = fault === null ? undefined : all[fault.index];
      if (fault === null || selector === undefined) return null;
      return { kind, claim, path: selector.path, detail: `${selector.expression}: ${fault.why}` };
    };
    return {
      ask: { ...asked, selection: selection.id },
      trouble: troubleOf('selector', selection.broken),
      failing: troubleOf('selector-fails', selection.failing),
    };
  }

  /** Devices say themselves which selections admit them: those of a new one are told again. */
  #selectionOf(expressions: readonly string[]): Selection | null {
    const known = this.#selections.of(expressions) ?? this.#withRoom(expressions);
    if (known === null) return null;
    if (known.isNew) this.#tellPools();
    return known.selection;
  }

  /** Room is made by forgetting what no claim asks for that has no devices yet. */
  #withRoom(expressions: readonly string[]): ReturnType<Selections['of']> {
    const used = new Set<string>();
    for (const claim of this.#claims.values()) {
      if (claim.allocation !== null) continue;
      for (const { className, selectors } of asksOf(claim)) {
        const all = [...(this.#classes.get(className)?.selectors ?? []), ...selectors];
        const known = this.#selections.of(all.map(({ expression }) => expression));
        if (known !== null) used.add(known.selection.id);
      }
    }
    this.#selections.keepOnly(used);
    return this.#selections.of(expressions);
  }
}

/** Places in it are told as they are in the object, wherever it came from. */
function atRoot({ values }: Fields): Fields {
  return { values, path: null };
}

function isOrAny(asked: string, name: string): boolean {
  return asked === '' || asked === name;
}

function asksOf({ requests }: WrittenClaim): WrittenAsk[] {
  return requests.flatMap(({ asks }) => asks);
}
