import {
  type AllocatedDevice,
  type ClaimAllocation,
  type Device,
  type DeviceAsk,
  type DeviceConstraint,
  type DeviceNeed,
  deviceKey,
  type DevicePool,
  type DeviceTaint,
  type DeviceToleration,
  type Machine,
  type NodeSelectorTerm,
} from '../model/index.ts';
import { matchesTerm } from './eligible.ts';

/** As many devices as the API lets one claim have. */
const DEVICES_MAX = 32;

/** Devices tried for one pod on one machine: a bound on work, far above what real claims take. */
const TRIES_MAX = 10_000;

/** A claim that is to be given devices. */
export interface WantedClaim {
  /** `namespace/name`. */
  readonly claim: string;
  readonly need: DeviceNeed;
}

/** What is there to be given on one machine. */
export interface DeviceOffer {
  readonly machine: Machine;
  /** Pools with a device that the machine may use, by id. */
  readonly pools: readonly DevicePool[];
  /** By `deviceKey`: somebody has it. */
  readonly isHeld: (key: string) => boolean;
}

interface Candidate {
  readonly key: string;
  readonly pool: DevicePool;
  readonly device: Device;
}

/** Which request of which claim is being served. */
interface Spot {
  readonly claim: number;
  readonly request: number;
}

interface Choice {
  readonly candidate: Candidate;
  readonly ask: DeviceAsk;
}

/**
 * Devices for all the claims of a pod on one machine, or null. Requests are served in order and each takes the first
 * devices that do, in the order in which drivers publish them; where that leads nowhere, the next. Method:
 * kube-scheduler's structured allocator, but that the devices of a request are taken in order, so that no set is
 * tried twice. At most 10,000 devices are tried; then the answer is null too.
 */
export function findDevices(offer: DeviceOffer, wanted: readonly WantedClaim[]): ClaimAllocation[] | null {
  return new DeviceSearch(offer, wanted).run();
}

class DeviceSearch {
  readonly #wanted: readonly WantedClaim[];
  readonly #offer: DeviceOffer;
  readonly #candidates: readonly Candidate[];
  /** A pool of which not all is known could hold more of what is asked for. */
  readonly #isAllKnown: boolean;
  readonly #chosen: Choice[][];
  /** By device key; what admins use is not taken. */
  readonly #taken = new Set<string>();
  /** What is left of counters, by pool. */
  readonly #left = new Map<string, Map<string, number>>();
  #tries = 0;

  constructor(offer: DeviceOffer, wanted: readonly WantedClaim[]) {
    this.#offer = offer;
    this.#wanted = wanted;
    this.#chosen = wanted.map(() => []);
    this.#isAllKnown = offer.pools.every(({ isWhole }) => isWhole);
    this.#candidates = offer.pools.flatMap((pool) => (pool.isWhole ? candidatesOf(pool, offer.machine) : []));
  }

  run(): ClaimAllocation[] | null {
    if (!this.#serve({ claim: 0, request: 0 })) return null;
    return this.#wanted.map(({ claim }, index) => allocationOf(claim, this.#chosen[index] ?? []));
  }

  /** Serves this request and all after it. */
  #serve(spot: Spot): boolean {
    const wanted = this.#wanted[spot.claim];
    if (wanted === undefined) return true;
    const request = wanted.need.requests[spot.request];
    if (request === undefined) return this.#serve({ claim: spot.claim + 1, request: 0 });
    return request.asks.some((ask) => (ask.count === null ? this.#takeAll(spot, ask) : this.#pick(spot, ask, 0, 0)));
  }

  #serveNext({ claim, request }: Spot): boolean {
    return this.#serve({ claim, request: request + 1 });
  }

  /** Takes devices from this one on until the request has enough. */
  #pick(spot: Spot, ask: DeviceAsk, from: number, have: number): boolean {
    if (have === ask.count) return this.#serveNext(spot);
    for (let index = from; index < this.#candidates.length; index += 1) {
      if (this.#tries >= TRIES_MAX) return false;
      const choice = { candidate: this.#candidates[index] as Candidate, ask };
      if (!this.#take(spot, choice)) continue;
      if (this.#pick(spot, ask, index + 1, have + 1)) return true;
      this.#giveBack(spot, choice);
    }
    return false;
  }

  /** All devices that the request selects, taints and holders or not: one that cannot be had spoils it. */
  #takeAll(spot: Spot, ask: DeviceAsk): boolean {
    const all = this.#candidates.filter(({ device }) => device.selections.includes(ask.selection));
    if (all.length === 0 || !this.#isAllKnown) return false;
    const taken: Choice[] = [];
    for (const candidate of all) {
      const choice = { candidate, ask };
      if (!this.#take(spot, choice)) break;
      taken.push(choice);
    }
    if (taken.length === all.length && this.#serveNext(spot)) return true;
    for (const choice of taken.toReversed()) this.#giveBack(spot, choice);
    return false;
  }

  #take(spot: Spot, choice: Choice): boolean {
    this.#tries += 1;
    const { candidate, ask } = choice;
    const { device, key } = candidate;
    const chosen = this.#chosen[spot.claim] as Choice[];
    if (chosen.length >= DEVICES_MAX || !device.selections.includes(ask.selection)) return false;
    if (ask.isAdmin ? chosen.some((other) => other.candidate.key === key) : this.#isTaken(key)) return false;
    if (device.taints.some((taint) => !ask.tolerations.some((toleration) => tolerates(toleration, taint))))
      return false;
    const { need } = this.#wanted[spot.claim] as WantedClaim;
    if (!need.constraints.every((constraint) => allows(constraint, chosen, choice))) return false;
    // An admin takes nothing from anybody.
    if (!ask.isAdmin && !this.#count(candidate, 1)) return false;
    chosen.push(choice);
    if (!ask.isAdmin) this.#taken.add(key);
    return true;
  }

  #giveBack(spot: Spot, { candidate, ask }: Choice): void {
    this.#chosen[spot.claim]?.pop();
    if (ask.isAdmin) return;
    this.#taken.delete(candidate.key);
    this.#count(candidate, -1);
  }

  #isTaken(key: string): boolean {
    return this.#taken.has(key) || this.#offer.isHeld(key);
  }

  /** Takes what a device uses of its pool's counters, or gives it back; false, and nothing taken: not enough is left. */
  #count({ pool, device }: Candidate, sign: 1 | -1): boolean {
    if (device.uses.size === 0) return true;
    const left = this.#left.get(pool.id) ?? countersLeft(pool, this.#offer.isHeld);
    this.#left.set(pool.id, left);
    if (sign === 1 && [...device.uses].some(([counter, amount]) => (left.get(counter) ?? 0) < amount)) return false;
    for (const [counter, amount] of device.uses) left.set(counter, (left.get(counter) ?? 0) - sign * amount);
    return true;
  }
}

function candidatesOf(pool: DevicePool, machine: Machine): Candidate[] {
  const { driver, name } = pool;
  const near = pool.devices.filter((device) => isUsableOn(device, machine));
  return near.map((device) => ({ key: deviceKey({ driver, pool: name, device: device.name }), pool, device }));
}

function isUsableOn(device: Device, machine: Machine): boolean {
  if (device.machine !== '') return device.machine === machine.id;
  return areAmong(device.places, machine);
}

/** Whether a machine is where an allocation or a device can be used. */
export function areAmong(places: readonly NodeSelectorTerm[] | null, machine: Machine): boolean {
  return places === null || places.some((term) => matchesTerm(term, machine));
}

/** What the devices that are held leave of a pool's counters, wherever those devices are. */
function countersLeft(
  { driver, name, counters, devices }: DevicePool,
  isHeld: DeviceOffer['isHeld'],
): Map<string, number> {
  const left = new Map(counters);
  for (const device of devices) {
    if (device.uses.size === 0 || !isHeld(deviceKey({ driver, pool: name, device: device.name }))) continue;
    for (const [counter, amount] of device.uses) left.set(counter, (left.get(counter) ?? 0) - amount);
  }
  return left;
}

/** An unknown effect keeps nobody off, and is not among the taints. */
function tolerates(toleration: DeviceToleration, taint: DeviceTaint): boolean {
  if (toleration.effect !== '' && toleration.effect !== taint.effect) return false;
  if (toleration.key !== '' && toleration.key !== taint.key) return false;
  return toleration.operator === 'Exists' || (toleration.key !== '' && toleration.value === taint.value);
}

function allows(constraint: DeviceConstraint, chosen: readonly Choice[], next: Choice): boolean {
  if (!isAbout(constraint, next)) return true;
  const valueOf = ({ candidate }: Choice): string | undefined => candidate.device.attributes.get(constraint.attribute);
  const value = valueOf(next);
  if (value === undefined) return false;
  const others = chosen.filter((choice) => isAbout(constraint, choice));
  return others.every((other) => (valueOf(other) === value) === (constraint.kind === 'match'));
}

/** A constraint names requests, or one way of them. */
function isAbout({ requests }: DeviceConstraint, { ask }: Choice): boolean {
  return requests.length === 0 || requests.includes(ask.name) || requests.includes(ask.name.split('/')[0] ?? '');
}

function allocationOf(claim: string, chosen: readonly Choice[]): ClaimAllocation {
  const devices = chosen.map(({ candidate: { pool, device }, ask }): AllocatedDevice => {
    return { request: ask.name, driver: pool.driver, pool: pool.name, device: device.name, isAdmin: ask.isAdmin };
  });
  return { claim, devices, places: placesOf(chosen.map(({ candidate }) => candidate.device)) };
}

/** Where all of several devices can be used: on the machine that has one of them, else where all their terms hold. */
function placesOf(devices: readonly Device[]): NodeSelectorTerm[] | null {
  const local = devices.find(({ machine }) => machine !== '');
  if (local !== undefined) return [{ expressions: [], fields: [isNamed(local.machine)] }];
  const terms = devices.flatMap(({ places }) => places ?? []);
  if (terms.length === 0) return null;
  const [expressions, fields] = [
    new Map<string, NodeSelectorTerm['expressions'][number]>(),
    new Map<string, NodeSelectorTerm['fields'][number]>(),
  ];
  for (const term of terms) {
    for (const each of term.expressions) expressions.set(JSON.stringify(each), each);
    for (const each of term.fields) fields.set(JSON.stringify(each), each);
  }
  return [{ expressions: [...expressions.values()], fields: [...fields.values()] }];
}

function isNamed(machine: string): NodeSelectorTerm['fields'][number] {
  return { key: 'metadata.name', operator: 'In', values: [machine] };
}
