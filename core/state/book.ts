import { assert, fail } from '../base/index.ts';
import { isUsable, type Machine, type Pod, type Request } from '../model/index.ts';
import { RequestClasses, type RequestClass } from './classes.ts';
import { Devices } from './devices.ts';
import { type Holding, missingHere } from './holding.ts';
import { CardKinds, type CardKind, cpusOf } from './kinds.ts';
import { yieldsCompute } from './room.ts';
import { firsts, groupKey, inRankOrder, numbered } from './layout.ts';
import { QuotaLedger } from './quota-ledger.ts';
import { bump } from './tally.ts';
import { joined, MIXED, NOBODY } from './tenancy.ts';
import { TouchedLog } from './touched.ts';

export interface BookOptions {
  /** Machine ids in rank order; every machine once. Default: by id. */
  readonly order?: readonly string[];
  /** Who holds which devices, kept from book to book. Default: there are none. */
  readonly devices?: Devices;
  /** Who uses how much quota, kept from book to book. Default: nobody has any. */
  readonly quota?: QuotaLedger;
}

/** Shares of a card without a limit, and what a whole holder takes of them. */
export const SHARES_UNLIMITED = 1 << 20;
export const WHOLE_SHARES = 1 << 24;

const NO_HOLDINGS: readonly Holding[] = [];

/** What a savepoint can undo. */
type Change =
  | { readonly kind: 'hold' | 'release'; readonly holding: Holding }
  | { readonly kind: 'reserve'; readonly machine: number; readonly before: number };

/**
 * THE book: who holds which card, CPU, memory and other resource, and who uses what quota. Flat arrays inside, by
 * machine rank and card number; nouns outside. Everything else is an index derived from it. Changes go through `hold`,
 * `release` and the few setters, each O(what changes); `savepoint`, `rollBack` undo in time proportional to the change.
 */
export class Book {
  readonly machines: readonly Machine[];
  readonly kinds: readonly CardKind[];
  readonly classes: RequestClasses;
  readonly devices: Devices;
  readonly quota: QuotaLedger;
  readonly touched: TouchedLog;
  readonly holdings = new Map<string, Holding>();
  /** Holdings whose pods keep others away (required anti-affinity): every later pod must look at them. */
  readonly antiAffinityHoldings = new Set<Holding>();

  readonly cpuFreeMilli: Float64Array;
  readonly memoryFreeBytes: Float64Array;
  readonly podsFree: Int32Array;
  /** Usable cards nobody holds, less cards held without a place (an overbooked machine). */
  readonly cardsFree: Int32Array;
  /** Cards of machine m are cardStart[m] up to cardStart[m + 1]. */
  readonly cardStart: Int32Array;
  /** The reservation (P4) that keeps a machine, or NOBODY. */
  readonly reservedBy: Int32Array;
  readonly machineTenant: Int32Array;
  readonly machineIsolated: Int32Array;
  readonly rackOf: Int32Array;
  readonly zoneOf: Int32Array;
  readonly rackCount: number;
  /** 1 where all cards of the machine are on one island. */
  readonly oneIsland: Uint8Array;
  /** Machines of one group differ in nothing but their names while nothing has touched them. */
  readonly groupOf: Int32Array;
  /** The first machine of each group. */
  readonly groupFirst: readonly number[];
  /** The one kind of all cards of a machine; -1 when mixed or without cards. */
  readonly uniformKind: Int16Array;

  readonly cardIds: readonly string[];
  readonly cardMachine: Int32Array;
  readonly cardKind: Int16Array;
  readonly cardIsland: Int16Array;
  readonly cardUsable: Uint8Array;
  /** Below 0 where shared pods were promised more than the card has; compute that yields is counted apart. */
  readonly cardMemoryFreeMiB: Int32Array;
  readonly cardComputeFreeMilli: Int32Array;
  /** Compute that shared pods may still be promised, beside the guaranteed ones; 0 where none yields. */
  readonly cardSharedFreeMilli: Int32Array;
  /** Pods the card still takes beside its holders. A pod that holds it whole takes WHOLE_SHARES, so nothing fits. */
  readonly cardSharesFree: Int32Array;
  /** AI CPUs left for vendor templates; 0 on other cards. */
  readonly cardCpusFree: Int16Array;
  readonly cardHolders: Int32Array;
  /** MIG memory slices taken, a bit each. */
  readonly cardBits: Uint8Array;
  readonly cardTenant: Int32Array;
  readonly cardIsolated: Int32Array;

  readonly #machineIndex = new Map<string, number>();
  readonly #cardIndex = new Map<string, number>();
  readonly #columns = new Map<string, Float64Array>();
  readonly #columnNames: string[] = [];
  readonly #tenants = new Map([['', 0]]);
  readonly #podsOn: (Holding[] | undefined)[];
  readonly #serviceOnMachine = new Map<string, Map<number, number>>();
  readonly #serviceOnRack = new Map<string, Map<number, number>>();
  readonly #journal: Change[] = [];
  readonly #savepoints: number[] = [];

  constructor(machines: readonly Machine[], options: BookOptions = {}) {
    this.machines = inRankOrder(machines, options.order);
    this.devices = options.devices ?? new Devices();
    this.quota = options.quota ?? new QuotaLedger();
    const count = this.machines.length;
    const cards = this.machines.flatMap((machine) => machine.cards);
    const kinds = new CardKinds();
    this.cpuFreeMilli = Float64Array.from(this.machines, (machine) => machine.cpuMilli);
    this.memoryFreeBytes = Float64Array.from(this.machines, (machine) => machine.memoryBytes);
    this.podsFree = Int32Array.from(this.machines, (machine) => machine.podsMax);
    this.cardsFree = Int32Array.from(
      this.machines,
      (machine) => machine.cards.filter((card) => isUsable(card.health)).length,
    );
    this.cardStart = new Int32Array(count + 1);
    this.reservedBy = new Int32Array(count).fill(NOBODY);
    this.machineTenant = new Int32Array(count).fill(NOBODY);
    this.machineIsolated = new Int32Array(count);
    this.rackOf = numbered(this.machines, ({ location }) => [location.region, location.zone, location.rack]);
    this.rackCount = new Set(this.rackOf).size;
    this.zoneOf = numbered(this.machines, ({ location }) => [location.region, location.zone]);
    this.groupOf = numbered(this.machines, groupKey);
    this.groupFirst = firsts(this.groupOf);
    this.#podsOn = Array.from({ length: count });
    this.touched = new TouchedLog(count);

    this.cardIds = cards.map((card) => card.id);
    this.cardMachine = new Int32Array(cards.length);
    this.cardKind = Int16Array.from(cards, (card) => kinds.indexOf(card));
    this.cardIsland = Int16Array.from(cards, (card) => card.island);
    this.cardUsable = Uint8Array.from(cards, (card) => (isUsable(card.health) ? 1 : 0));
    this.cardMemoryFreeMiB = Int32Array.from(cards, (card) => card.memoryMiB);
    this.cardComputeFreeMilli = Int32Array.from(cards, (card) => card.computeMilli);
    this.cardSharedFreeMilli = Int32Array.from(cards, (card) => card.shared?.computeMilli ?? 0);
    this.cardSharesFree = Int32Array.from(cards, (card) => card.sharesMax ?? SHARES_UNLIMITED);
    this.cardCpusFree = Int16Array.from(cards, cpusOf);
    this.cardHolders = new Int32Array(cards.length);
    this.cardBits = new Uint8Array(cards.length);
    this.cardTenant = new Int32Array(cards.length).fill(NOBODY);
    this.cardIsolated = new Int32Array(cards.length);
    this.kinds = kinds.list;
    this.#number(cards.map((card) => card.id));
    this.oneIsland = Uint8Array.from(this.machines, ({ cards: own }) =>
      own.every((card) => card.island === own[0]?.island) ? 1 : 0,
    );
    this.uniformKind = Int16Array.from(this.machines, (_, machine) => this.#uniformKind(machine));
    this.classes = new RequestClasses({
      machines: this.machines,
      groupOf: this.groupOf,
      groupFirst: this.groupFirst,
      kinds: this.kinds,
      kindsOfMachine: this.machines.map((_, machine) => this.#kindsOf(machine)),
      columnOf: (resource) => this.#columnOf(resource),
    });
  }

  #number(cardIds: readonly string[]): void {
    let next = 0;
    this.machines.forEach((machine, index) => {
      assert(!this.#machineIndex.has(machine.id), `machine ${machine.id} is in the fleet twice`);
      this.#machineIndex.set(machine.id, index);
      this.cardStart[index] = next;
      next += machine.cards.length;
      this.cardMachine.fill(index, this.cardStart[index], next);
    });
    this.cardStart[this.machines.length] = next;
    cardIds.forEach((id, card) => {
      assert(!this.#cardIndex.has(id), `card ${id} is in the fleet twice`);
      this.#cardIndex.set(id, card);
    });
  }

  #uniformKind(machine: number): number {
    const kinds = this.#kindsOf(machine);
    return kinds.length === 1 ? (kinds[0] as number) : -1;
  }

  #kindsOf(machine: number): number[] {
    const kinds = this.cardKind.subarray(this.cardStart[machine], this.cardStart[machine + 1]);
    return [...new Set(kinds)];
  }

  /** The rank of a machine, or -1. */
  machineOf(id: string): number {
    return this.#machineIndex.get(id) ?? -1;
  }

  /** The number of a card, or -1. */
  cardOf(id: string): number {
    return this.#cardIndex.get(id) ?? -1;
  }

  /** The class of a pod's request in this fleet. */
  classOf(request: Request, tenant = ''): RequestClass {
    return this.classes.of(request, this.#tenantNumber(tenant));
  }

  /** The tenant of a class of this book. O(tenants). */
  tenantOf({ tenant }: RequestClass): string {
    for (const [name, number] of this.#tenants) if (number === tenant) return name;
    return fail(`no tenant has the number ${tenant}`);
  }

  /** Free amounts of the other resources, by column number. */
  columnFree(column: number): Float64Array {
    return this.#columns.get(this.#columnNames[column] as string) as Float64Array;
  }

  /** Pods on a machine, in no order that a decision may rest on (undoing a release puts a pod last). */
  podsOn(machine: number): readonly Holding[] {
    return this.#podsOn[machine] ?? NO_HOLDINGS;
  }

  replicasOnMachine(service: string, machine: number): number {
    return this.#serviceOnMachine.get(service)?.get(machine) ?? 0;
  }

  replicasOnRack(service: string, rack: number): number {
    return this.#serviceOnRack.get(service)?.get(rack) ?? 0;
  }

  /** Books a pod's holding. The caller has checked that it fits; observed pods may overbook, which is counted. */
  hold(holding: Holding): void {
    if (this.holdings.has(holding.pod.id)) fail(`pod ${holding.pod.id} is held already`);
    this.#apply(holding, 1);
    if (this.#savepoints.length > 0) this.#journal.push({ kind: 'hold', holding });
  }

  /** Gives back all that a pod holds. */
  release(podId: string): Holding {
    const holding = this.holdings.get(podId);
    if (holding === undefined) return fail(`pod ${podId} holds nothing`);
    this.#apply(holding, -1);
    if (this.#savepoints.length > 0) this.#journal.push({ kind: 'release', holding });
    return holding;
  }

  /** Keeps a machine for a reservation, or gives it back with NOBODY. */
  reserve(machine: number, reservation: number): void {
    const before = this.reservedBy[machine] as number;
    if (this.#savepoints.length > 0) this.#journal.push({ kind: 'reserve', machine, before });
    this.reservedBy[machine] = reservation;
    this.touched.touch(machine);
  }

  /** Opens a savepoint. Close it with `rollBack` or `keep`, innermost first. */
  savepoint(): number {
    this.#savepoints.push(this.#journal.length);
    this.quota.savepoint();
    return this.#savepoints.length - 1;
  }

  /** Undoes every hold, release, reservation and quota charge since the savepoint, newest first. O(changes). */
  rollBack(savepoint: number): void {
    const length = this.#close(savepoint);
    this.quota.rollBack();
    while (this.#journal.length > length) this.#undo(this.#journal.pop() as Change);
  }

  #undo(change: Change): void {
    if (change.kind === 'reserve') {
      this.reservedBy[change.machine] = change.before;
      this.touched.touch(change.machine);
    } else this.#apply(change.holding, change.kind === 'hold' ? -1 : 1);
  }

  /** Keeps what was done since the savepoint; an outer savepoint can still undo it. */
  keep(savepoint: number): void {
    this.#close(savepoint);
    this.quota.keep();
    if (this.#savepoints.length === 0) this.#journal.length = 0;
  }

  #close(savepoint: number): number {
    assert(savepoint === this.#savepoints.length - 1, 'savepoints close innermost first');
    return this.#savepoints.pop() as number;
  }

  /** One function for hold (+1) and release (-1), so that undoing is the same code with the other sign. */
  #apply(holding: Holding, sign: 1 | -1): void {
    const { machine, pod } = holding;
    const { request } = pod;
    this.cpuFreeMilli[machine]! -= sign * request.cpuMilli;
    this.memoryFreeBytes[machine]! -= sign * request.memoryBytes;
    this.podsFree[machine]! -= sign;
    if (request.resources.size > 0) {
      for (const [name, amount] of request.resources)
        (this.#columns.get(name) ?? this.#addColumn(name))[machine]! -= sign * amount;
    }
    if (sign === 1) {
      this.holdings.set(pod.id, holding);
      const present = this.#podsOn[machine];
      if (present === undefined) this.#podsOn[machine] = [holding];
      else present.push(holding);
    } else {
      this.holdings.delete(pod.id);
      const present = this.#podsOn[machine] as Holding[];
      present.splice(present.lastIndexOf(holding), 1);
    }
    if (request.constraints.podAntiAffinity.length > 0) {
      if (sign === 1) this.antiAffinityHoldings.add(holding);
      else this.antiAffinityHoldings.delete(holding);
    }
    if (pod.service !== '') this.#countReplica(pod, machine, sign);
    const { cards } = holding;
    for (let i = 0; i < cards.length; i += 1) this.#applyCard(holding, i, sign);
    this.cardsFree[machine]! -= sign * missingHere(holding, this.machines[machine]);
    if (cards.length > 0) this.#applyTenancy(holding, sign);
    if (holding.claims !== undefined) this.devices.count(holding.claims, sign);
    this.touched.touch(machine);
  }

  #applyCard(holding: Holding, i: number, sign: 1 | -1): void {
    const card = holding.cards[i] as number;
    this.cardMemoryFreeMiB[card]! -= sign * (holding.memoryMiB[i] as number);
    const kind = this.kinds[this.cardKind[card] as number] as CardKind;
    const isYielding = yieldsCompute(holding.pod.request.cards, kind);
    (isYielding ? this.cardSharedFreeMilli : this.cardComputeFreeMilli)[card]! -=
      sign * (holding.computeMilli[i] as number);
    this.cardSharesFree[card]! -= sign * (holding.pod.request.cards.kind === 'whole' ? WHOLE_SHARES : 1);
    if (holding.cpus.length > 0) this.cardCpusFree[card]! -= sign * (holding.cpus[i] as number);
    if (holding.migBits.length > 0) this.cardBits[card] = this.#bitsTaken(holding.machine, card);
    const holders = (this.cardHolders[card] as number) + sign;
    this.cardHolders[card] = holders;
    const wasFree = sign === 1 ? holders === 1 : holders === 0;
    if (wasFree && this.cardUsable[card] === 1) this.cardsFree[holding.machine]! -= sign;
  }

  /** From the holdings themselves, since observed pods may overlap. */
  #bitsTaken(machine: number, card: number): number {
    let bits = 0;
    for (const { cards, migBits } of this.podsOn(machine)) {
      cards.forEach((held, i) => {
        if (held === card) bits |= migBits[i] ?? 0;
      });
    }
    return bits;
  }

  #applyTenancy(holding: Holding, sign: 1 | -1): void {
    const { machine, pod } = holding;
    const tenant = this.#tenantNumber(pod.tenant);
    const isolated = pod.request.isolation;
    if (isolated === 'machine') this.machineIsolated[machine]! += sign;
    if (isolated !== 'none') for (const card of holding.cards) this.cardIsolated[card]! += sign;
    if (sign === 1) {
      this.machineTenant[machine] = joined(this.machineTenant[machine] as number, tenant);
      for (const card of holding.cards) this.cardTenant[card] = joined(this.cardTenant[card] as number, tenant);
      return;
    }
    if (this.machineTenant[machine] === MIXED || this.cardsIdle(machine)) this.#recountTenants(machine);
    else for (const card of holding.cards) if (this.cardHolders[card] === 0) this.cardTenant[card] = NOBODY;
  }

  /** No card of the machine is held. */
  cardsIdle(machine: number): boolean {
    const end = this.cardStart[machine + 1] as number;
    for (let card = this.cardStart[machine] as number; card < end; card += 1)
      if ((this.cardHolders[card] as number) > 0) return false;
    return true;
  }

  #recountTenants(machine: number): void {
    this.machineTenant[machine] = NOBODY;
    this.cardTenant.fill(NOBODY, this.cardStart[machine], this.cardStart[machine + 1]);
    for (const holding of this.podsOn(machine)) {
      if (holding.cards.length === 0) continue;
      const tenant = this.#tenantNumber(holding.pod.tenant);
      this.machineTenant[machine] = joined(this.machineTenant[machine], tenant);
      for (const card of holding.cards) this.cardTenant[card] = joined(this.cardTenant[card] as number, tenant);
    }
  }

  #countReplica(pod: Pod, machine: number, sign: 1 | -1): void {
    bump(this.#serviceOnMachine, pod.service, machine, sign);
    bump(this.#serviceOnRack, pod.service, this.rackOf[machine] as number, sign);
  }

  #tenantNumber(tenant: string): number {
    const known = this.#tenants.get(tenant);
    if (known !== undefined) return known;
    this.#tenants.set(tenant, this.#tenants.size);
    return this.#tenants.size - 1;
  }

  #columnOf(resource: string): number {
    if (!this.#columns.has(resource)) this.#addColumn(resource);
    return this.#columnNames.indexOf(resource);
  }

  #addColumn(resource: string): Float64Array {
    const column = Float64Array.from(this.machines, (machine) => machine.resources.get(resource) ?? 0);
    this.#columns.set(resource, column);
    this.#columnNames.push(resource);
    return column;
  }
}
