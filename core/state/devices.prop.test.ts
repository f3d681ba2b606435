import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { aMachine, aPod } from '@springtide/testkit/builders';
import { forAll } from '@springtide/testkit/property';
import {
  type ClaimAllocation,
  type Device,
  deviceKey,
  type DeviceNeed,
  type DevicePool,
  EMPTY_REQUEST,
} from '../model/index.ts';
import { findDevices } from './device-search.ts';
import { Devices } from './devices.ts';

const MACHINES = ['m', 'n'].map((name) => aMachine(name).build());
const POOLS = ['p', 'q'];
const NAMES = ['a', 'b', 'c'];

const device = fc.record({
  name: fc.constantFrom(...NAMES),
  machine: fc.constantFrom('m', 'n', ''),
  selections: fc.subarray(['s', 't']),
});

const step = fc.oneof(
  fc.record({ kind: fc.constant('pool' as const), pool: fc.nat(1), devices: fc.array(device, { maxLength: 4 }) }),
  fc.record({ kind: fc.constant('pool-gone' as const), pool: fc.nat(1) }),
  fc.record({
    kind: fc.constant('tell' as const),
    claim: fc.nat(3),
    has: fc.option(fc.record({ pool: fc.nat(1), name: fc.constantFrom(...NAMES) })),
  }),
  fc.record({ kind: fc.constant('place' as const), claim: fc.nat(3), machine: fc.nat(1) }),
  fc.record({ kind: fc.constant('leave' as const) }),
  fc.record({ kind: fc.constant('rebuild' as const) }),
);

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

function needOf(selection: string, count: number | null): DeviceNeed {
  const asks = [{ name: 'x', selection, count, isAdmin: false, tolerations: [] }];
  return { claim: '', requests: [{ name: 'x', asks }], constraints: [], isLoose: false, trouble: null, failing: null };
}

const NEEDS = ['s', 't'].flatMap((selection) => [1, 2, null].map((count) => needOf(selection, count)));

/** The ledger, and beside it what it was told, from which everything is counted anew. */
class Pair {
  readonly devices = new Devices();
  readonly pools = new Map<string, DevicePool>();
  readonly told = new Map<string, ClaimAllocation>();
  readonly placed: (readonly ClaimAllocation[])[] = [];

  act(todo: Step): void {
    switch (todo.kind) {
      case 'pool':
        return this.#setPool(POOLS[todo.pool] as string, todo.devices);
      case 'pool-gone':
        this.devices.removePool(`d/${POOLS[todo.pool]}`);
        this.pools.delete(`d/${POOLS[todo.pool]}`);
        return;
      case 'tell':
        return this.#tell(
          `ns/${todo.claim}`,
          todo.has === null ? null : { pool: POOLS[todo.has.pool] as string, name: todo.has.name },
        );
      case 'place':
        return this.#place(`ns/${todo.claim}`, todo.machine);
      case 'leave': {
        const gone = this.placed.pop();
        if (gone !== undefined) this.devices.count(gone, -1);
        return;
      }
      case 'rebuild':
        this.devices.forgetChosen();
        for (const claims of this.placed) this.devices.count(claims, 1);
    }
  }

  #setPool(name: string, sketches: readonly { name: string; machine: string; selections: string[] }[]): void {
    const rest = { places: null, attributes: new Map<string, string>(), taints: [], uses: new Map<string, number>() };
    const devices = sketches.map((sketch): Device => ({ ...rest, ...sketch }));
    const isWhole = new Set(devices.map((each) => each.name)).size === devices.length;
    const pool: DevicePool = { id: `d/${name}`, driver: 'd', name, isWhole, counters: new Map(), devices };
    this.devices.setPool(pool);
    this.pools.set(pool.id, pool);
  }

  #tell(claim: string, has: { pool: string; name: string } | null): void {
    const given =
      has === null ? null : [{ request: 'x', driver: 'd', pool: has.pool, device: has.name, isAdmin: false }];
    const allocation = given === null ? null : { claim, devices: given, places: null };
    this.devices.tell(claim, allocation);
    if (allocation === null) this.told.delete(claim);
    else this.told.set(claim, allocation);
  }

  #place(claim: string, rank: number): void {
    const machine = MACHINES[rank];
    if (machine === undefined || this.devices.allocationOf(claim) !== undefined) return;
    const found = this.devices.findFor(userOf(needOf('s', 1), claim), machine);
    if (found === null) return;
    this.devices.count(found, 1);
    this.placed.push(found);
  }

  heldKeys(): Set<string> {
    const held = new Map<string, ClaimAllocation>();
    for (const allocation of this.placed.flat()) held.set(allocation.claim, allocation);
    for (const [claim, allocation] of this.told) held.set(claim, allocation);
    return new Set([...held.values()].flatMap(({ devices }) => devices.map(deviceKey)));
  }
}

function userOf(need: DeviceNeed, claim: string): Parameters<Devices['findFor']>[0] {
  const constraints = { ...EMPTY_REQUEST.constraints, devices: [need] };
  return {
    ...aPod('ns/p')
      .asking({ ...EMPTY_REQUEST, constraints })
      .build(),
    deviceClaims: [claim],
  };
}

test('what is found is what a search over everything finds, whatever was told, placed and taken back before', () => {
  let found = 0;
  forAll(fc.array(step, { minLength: 1, maxLength: 25 }), (steps) => {
    const pair = new Pair();
    for (const each of steps) pair.act(each);
    const held = pair.heldKeys();
    const pools = [...pair.pools.values()].toSorted((left, right) => (left.id < right.id ? -1 : 1));
    for (const machine of MACHINES) {
      const near = pools.filter(({ devices }) =>
        devices.some((each) => each.machine === '' || each.machine === machine.id),
      );
      for (const need of NEEDS) {
        const wanted = findDevices({ machine, pools: near, isHeld: (key) => held.has(key) }, [
          { claim: 'ns/new', need },
        ]);
        expect(pair.devices.findFor(userOf(need, 'ns/new'), machine)).toEqual(wanted);
        if (wanted !== null) found += 1;
      }
    }
    const again = Devices.resume(pair.devices.snapshot());
    for (const claims of pair.placed) again.count(claims, 1);
    expect(again.findFor(userOf(needOf('s', 1), 'ns/new'), MACHINES[0] as (typeof MACHINES)[number])).toEqual(
      pair.devices.findFor(userOf(needOf('s', 1), 'ns/new'), MACHINES[0] as (typeof MACHINES)[number]),
    );
  });
  expect(found).toBeGreaterThan(500);
});
