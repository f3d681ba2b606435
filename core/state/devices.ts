import {
  type ClaimAllocation,
  type Device,
  deviceKey,
  type DeviceNeed,
  type DevicePool,
  type Machine,
  type Pod,
  type Request,
} from '../model/index.ts';
import { FreeDevices } from './free-devices.ts';
import { areAmong, findDevices, type WantedClaim } from './device-search.ts';

/** What is known of devices and of who holds them, as plain data. */
export interface DevicesSnapshot {
  readonly pools: readonly DevicePool[];
  readonly told: readonly ClaimAllocation[];
}

/** A pod, as far as its claims go. */
type ClaimingPod = Pick<Pod, 'deviceClaims' | 'request'>;

const NO_NEEDS: readonly DeviceNeed[] = [];
const NO_CLAIMS: readonly string[] = [];

/**
 * Who holds which device of Dynamic Resource Allocation: a part of the book that outlives it. A claim holds its
 * devices, whoever uses it: as the cluster tells, or, until it does, as a placement has chosen them. Cards that
 * plug-ins hand out by resource name are other things, even where driver and plug-in mean the same silicon.
 */
export class Devices {
  readonly #pools = new Map<string, DevicePool>();
  /** Pools by the machines that have devices of theirs; under no name those with devices for several. */
  readonly #poolsAt = new Map<string, Set<string>>();
  readonly #told = new Map<string, ClaimAllocation>();
  /** Chosen and perhaps not told yet, with how many placements rest on it. */
  readonly #chosen = new Map<string, { readonly allocation: ClaimAllocation; readonly holders: number }>();
  /** By device key: how many claims hold it. */
  readonly #holders = new Map<string, number>();
  readonly #byKey = new Map<string, Device>();
  readonly #free = new FreeDevices();

  static resume({ pools, told }: DevicesSnapshot): Devices {
    const devices = new Devices();
    for (const pool of pools) devices.setPool(pool);
    for (const allocation of told) devices.tell(allocation.claim, allocation);
    return devices;
  }

  snapshot(): DevicesSnapshot {
    return { pools: [...this.#pools.values()], told: [...this.#told.values()] };
  }

  setPool(pool: DevicePool): void {
    this.removePool(pool.id);
    this.#pools.set(pool.id, pool);
    for (const machine of machinesOf(pool)) {
      const ids = this.#poolsAt.get(machine) ?? new Set();
      this.#poolsAt.set(machine, ids.add(pool.id));
    }
    for (const device of pool.devices) {
      const key = keyIn(pool, device);
      // Of two with one name, which no whole pool has, one counts.
      if (this.#byKey.has(key)) continue;
      this.#byKey.set(key, device);
      if (!this.#holders.has(key)) this.#free.add(device, 1);
    }
  }

  removePool(id: string): void {
    const pool = this.#pools.get(id);
    if (pool === undefined) return;
    this.#pools.delete(id);
    for (const device of pool.devices) {
      const key = keyIn(pool, device);
      if (this.#byKey.get(key) !== device) continue;
      this.#byKey.delete(key);
      if (!this.#holders.has(key)) this.#free.add(device, -1);
    }
    for (const machine of machinesOf(pool)) {
      const ids = this.#poolsAt.get(machine);
      ids?.delete(id);
      if (ids?.size === 0) this.#poolsAt.delete(machine);
    }
  }

  /** What the cluster says that a claim has; null: nothing, or there is no such claim. Whether devices became free. */
  tell(claim: string, allocation: ClaimAllocation | null): boolean {
    const before = this.allocationOf(claim);
    this.#change(claim, () => {
      if (allocation === null) this.#told.delete(claim);
      else this.#told.set(claim, allocation);
    });
    return before !== undefined && this.allocationOf(claim) !== before;
  }

  /** A placement rests on these allocations (+1), or no more (-1). */
  count(allocations: readonly ClaimAllocation[], sign: 1 | -1): void {
    for (const allocation of allocations) {
      const { claim } = allocation;
      this.#change(claim, () => {
        const known = this.#chosen.get(claim);
        const holders = (known?.holders ?? 0) + sign;
        if (holders === 0) this.#chosen.delete(claim);
        else this.#chosen.set(claim, { allocation: known?.allocation ?? allocation, holders });
      });
    }
  }

  /** Forgets all placements: the book that had them is no more. */
  forgetChosen(): void {
    for (const claim of this.#chosen.keys()) this.#change(claim, () => this.#chosen.delete(claim));
  }

  /** What a claim has, told or chosen. */
  allocationOf(claim: string): ClaimAllocation | undefined {
    return this.#told.get(claim) ?? this.#chosen.get(claim)?.allocation;
  }

  /**
   * Devices on a machine for those claims of a pod that have none, empty where all have; null where the machine cannot
   * serve them. Changes nothing. O(devices of the machine) for claims without constraints.
   */
  findFor({ deviceClaims = NO_CLAIMS, request }: ClaimingPod, machine: Machine): ClaimAllocation[] | null {
    const { devices: needs = NO_NEEDS } = request.constraints;
    const wanted: WantedClaim[] = [];
    for (const [index, need] of needs.entries()) {
      if (need.trouble !== null) return null;
      const claim = deviceClaims[index] ?? need.claim;
      const allocation = need.claim === '' ? undefined : this.allocationOf(need.claim);
      if (allocation === undefined) {
        if (!this.#free.mayServe(need, machine.id)) return null;
        wanted.push({ claim, need });
      } else if (!areAmong(allocation.places, machine)) return null;
    }
    if (wanted.length === 0) return [];
    const ids = [...(this.#poolsAt.get(machine.id) ?? []), ...(this.#poolsAt.get('') ?? [])];
    const pools = [...new Set(ids)].toSorted().map((id) => this.#pools.get(id) as DevicePool);
    return findDevices({ machine, pools, isHeld: (key) => this.#holders.has(key) }, wanted);
  }

  /** How many pods that ask the same a machine can serve at once, at most so many; the claims are those of each pod. */
  copiesOn(request: Request, machine: Machine, countMax: number): number {
    const { devices: needs = NO_NEEDS } = request.constraints;
    if (needs.length === 0) return countMax;
    const taken: ClaimAllocation[] = [];
    let copies = 0;
    while (copies < countMax) {
      const deviceClaims = needs.map(({ claim }, index) => claim || `copy ${copies} ${index}`);
      const found = this.findFor({ deviceClaims, request }, machine);
      if (found === null) break;
      copies += 1;
      this.count(found, 1);
      taken.push(...found);
      // Nothing was taken: they share what there is.
      if (found.length === 0) copies = countMax;
    }
    this.count(taken, -1);
    return copies;
  }

  #change(claim: string, act: () => void): void {
    const before = this.allocationOf(claim);
    act();
    const after = this.allocationOf(claim);
    if (before === after) return;
    if (before !== undefined) this.#countHolders(before, -1);
    if (after !== undefined) this.#countHolders(after, 1);
  }

  #countHolders({ devices }: ClaimAllocation, sign: 1 | -1): void {
    for (const device of devices) {
      if (device.isAdmin) continue;
      const key = deviceKey(device);
      const before = this.#holders.get(key) ?? 0;
      if (before + sign === 0) this.#holders.delete(key);
      else this.#holders.set(key, before + sign);
      const known = this.#byKey.get(key);
      if (known !== undefined && Math.min(before, before + sign) === 0) this.#free.add(known, sign === 1 ? -1 : 1);
    }
  }
}

function keyIn({ driver, name }: DevicePool, { name: device }: Device): string {
  return deviceKey({ driver, pool: name, device });
}

function machinesOf({ devices }: DevicePool): Set<string> {
  return new Set(devices.map(({ machine }) => machine));
}
