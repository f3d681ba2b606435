import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { aMachine } from '@springtide/testkit/builders';
import { forAll } from '@springtide/testkit/property';
import type { ClaimAllocation, Device, DeviceAsk, DeviceConstraint, DeviceNeed, DevicePool } from '../model/index.ts';
import { findDevices } from './device-search.ts';

const MACHINE = aMachine('m').build();

function aDevice(name: string, more: Partial<Device> = {}): Device {
  const nothing = { places: null, attributes: new Map(), selections: ['gpu'], taints: [], uses: new Map() };
  return { name, machine: 'm', ...nothing, ...more };
}

function aPool(devices: readonly Device[], more: Partial<DevicePool> = {}): DevicePool {
  return { id: 'd/p', driver: 'd', name: 'p', isWhole: true, counters: new Map(), devices, ...more };
}

function anAsk(name: string, more: Partial<DeviceAsk> = {}): DeviceAsk {
  return { name, selection: 'gpu', count: 1, isAdmin: false, tolerations: [], ...more };
}

function aNeed(asks: readonly (readonly DeviceAsk[])[], constraints: readonly DeviceConstraint[] = []): DeviceNeed {
  const requests = asks.map((ways) => ({ name: ways[0]?.name.split('/')[0] ?? '', asks: ways }));
  return { claim: '', requests, constraints, isLoose: false, trouble: null, failing: null };
}

function found(
  pools: readonly DevicePool[],
  needs: readonly DeviceNeed[],
  held: readonly string[] = [],
): string[] | null {
  const offer = { machine: MACHINE, pools, isHeld: (key: string) => held.includes(key) };
  const allocations = findDevices(
    offer,
    needs.map((need, index) => ({ claim: `ns/${index}`, need })),
  );
  return allocations?.map(namesOf) ?? null;
}

function namesOf({ devices }: ClaimAllocation): string {
  return devices.map(({ request, device }) => `${request}=${device}`).join(' ');
}

describe('devices for claims on one machine', () => {
  test('the first that do are taken, in the order in which drivers publish them, those that are held passed over', () => {
    const pool = aPool(['a', 'b', 'c'].map((name) => aDevice(name)));
    expect(found([pool], [aNeed([[anAsk('x', { count: 2 })]])], ['d/p/b'])).toEqual(['x=a x=c']);
    expect(found([pool], [aNeed([[anAsk('x')]]), aNeed([[anAsk('y')]])])).toEqual(['x=a', 'y=b']);
    expect(found([pool], [aNeed([[anAsk('x', { count: 3 })]])], ['d/p/b'])).toBeNull();
  });

  test('what is elsewhere, not selected, tainted or of a pool that is not whole is not taken', () => {
    const sick = { key: 'sick', value: '', effect: 'NoSchedule' } as const;
    const list = [
      aDevice('far', { machine: 'other' }),
      aDevice('odd', { selections: [] }),
      aDevice('ill', { taints: [sick] }),
    ];
    const one = aNeed([[anAsk('x')]]);
    expect(found([aPool(list)], [one])).toBeNull();
    const tolerations = [{ key: 'sick', operator: 'Exists', value: '', effect: '' } as const];
    expect(found([aPool(list)], [aNeed([[anAsk('x', { tolerations })]])])).toEqual(['x=ill']);
    expect(found([aPool([aDevice('a')], { isWhole: false })], [one])).toBeNull();
  });

  test('all of them: every device that is selected, or none', () => {
    const pool = aPool(['a', 'b'].map((name) => aDevice(name)));
    const all = aNeed([[anAsk('x', { count: null })]]);
    expect(found([pool], [all])).toEqual(['x=a x=b']);
    expect(found([pool], [all], ['d/p/b'])).toBeNull();
    expect(found([aPool([])], [all])).toBeNull();
    expect(found([pool, aPool([aDevice('c')], { id: 'd/q', name: 'q', isWhole: false })], [all])).toBeNull();
  });

  test('admins take what others hold, each device once a claim, and keep it from nobody', () => {
    const pool = aPool(['a', 'b'].map((name) => aDevice(name)));
    const admin = anAsk('x', { isAdmin: true, count: 2 });
    expect(found([pool], [aNeed([[admin]])], ['d/p/a', 'd/p/b'])).toEqual(['x=a x=b']);
    expect(found([pool], [aNeed([[admin]]), aNeed([[anAsk('y', { count: 2 })]])])).toEqual(['x=a x=b', 'y=a y=b']);
    expect(found([pool], [aNeed([[anAsk('x', { isAdmin: true, count: 3 })]])])).toBeNull();
  });

  test('a way that leads nowhere is given up for the next, of this request or of one before', () => {
    const pool = aPool([aDevice('big', { selections: ['gpu', 'big'] }), aDevice('small')]);
    const needs = [
      aNeed([[anAsk('x/any'), anAsk('x/none', { selection: 'none' })], [anAsk('y', { selection: 'big' })]]),
    ];
    expect(found([pool], needs)).toEqual(['x/any=small y=big']);
    const ways = [anAsk('x/two', { selection: 'big', count: 2 }), anAsk('x/one', { selection: 'big' })];
    expect(found([pool], [aNeed([ways])])).toEqual(['x/one=big']);
  });

  test('constraints hold for those that they name, and a device without the attribute will not do', () => {
    const at = (name: string, numa: string | null): Device =>
      aDevice(name, { attributes: numa === null ? new Map() : new Map([['d/numa', numa]]) });
    const pool = aPool([at('a', '0'), at('b', null), at('c', '1'), at('d', '1')]);
    const two = [[anAsk('x', { count: 2 })]];
    expect(found([pool], [aNeed(two, [{ kind: 'match', attribute: 'd/numa', requests: [] }])])).toEqual(['x=c x=d']);
    expect(found([pool], [aNeed(two, [{ kind: 'distinct', attribute: 'd/numa', requests: ['x'] }])])).toEqual([
      'x=a x=c',
    ]);
    expect(found([pool], [aNeed(two, [{ kind: 'match', attribute: 'd/numa', requests: ['y'] }])])).toEqual(['x=a x=b']);
  });

  test('devices cut from one card take from its counters, those that are held too', () => {
    const part = (name: string, size: number): Device => aDevice(name, { uses: new Map([['card/memory', size]]) });
    const pool = aPool([part('whole', 80), part('half', 40), part('other', 40)], {
      counters: new Map([['card/memory', 80]]),
    });
    expect(found([pool], [aNeed([[anAsk('x', { count: 2 })]])])).toEqual(['x=half x=other']);
    expect(found([pool], [aNeed([[anAsk('x')]])], ['d/p/half'])).toEqual(['x=other']);
    expect(found([pool], [aNeed([[anAsk('x')]])], ['d/p/whole'])).toBeNull();
  });

  test('devices of no one machine are taken where their terms hold, and an allocation says where', () => {
    const near = { expressions: [{ key: 'rack', operator: 'In', values: ['r'] }], fields: [] } as const;
    const machine = aMachine('m').labelled('rack', 'r').build();
    const pools = [aPool([aDevice('net', { machine: '', places: [near] }), aDevice('sky', { machine: '' })])];
    const offer = { machine, pools, isHeld: () => false };
    const wanted = [{ claim: 'ns/c', need: aNeed([[anAsk('x', { count: 2 })]]) }];
    expect(findDevices(offer, wanted)?.[0]?.places).toEqual([near]);
    expect(findDevices({ ...offer, machine: aMachine('m').build() }, wanted)).toBeNull();
  });

  test('a search that leads nowhere ends', () => {
    const devices = Array.from({ length: 64 }, (_, index) =>
      aDevice(`g${index}`, { attributes: new Map([['d/n', `${index}`]]) }),
    );
    const need = aNeed([[anAsk('x', { count: 20 })], [anAsk('y', { selection: 'none' })]]);
    expect(found([aPool(devices)], [need])).toBeNull();
  });
});

const ATTRIBUTE = 'd/a';

const cases = fc.record({
  devices: fc.array(
    fc.record({
      value: fc.constantFrom('0', '1', '2'),
      selections: fc.subarray(['s', 't']),
      uses: fc.integer({ min: 0, max: 3 }),
      isHeld: fc.boolean(),
    }),
    { maxLength: 6 },
  ),
  room: fc.integer({ min: 0, max: 8 }),
  asks: fc.array(fc.record({ selection: fc.constantFrom('s', 't'), count: fc.integer({ min: 1, max: 2 }) }), {
    minLength: 1,
    maxLength: 3,
  }),
  kind: fc.constantFrom('match', 'distinct', 'none'),
});

type Case = typeof cases extends fc.Arbitrary<infer T> ? T : never;

/** Every way to give each asked-for device one of the devices, tried without wit. */
function canServe({ devices, room, asks, kind }: Case): boolean {
  const slots = asks.flatMap(({ selection, count }) => Array.from({ length: count }, () => selection));
  const held = devices.reduce((sum, { isHeld, uses }) => sum + (isHeld ? uses : 0), 0);
  const tryFrom = (slot: number, taken: readonly number[]): boolean => {
    const selection = slots[slot];
    if (selection === undefined) {
      const values = taken.map((index) => devices[index]?.value);
      const used = taken.reduce((sum, index) => sum + (devices[index]?.uses ?? 0), held);
      const distinct = new Set(values).size;
      return (
        used <= room &&
        (kind === 'none' || distinct === (kind === 'match' ? Math.min(1, values.length) : values.length))
      );
    }
    return devices.some(({ isHeld, selections }, index) => {
      return (
        !isHeld && !taken.includes(index) && selections.includes(selection) && tryFrom(slot + 1, [...taken, index])
      );
    });
  };
  return tryFrom(0, []);
}

test('a claim is served exactly where some choice of devices serves it, and with no device twice or beyond its card', () => {
  let [served, refused] = [0, 0];
  forAll(cases, (each) => {
    const { devices, room, asks, kind } = each;
    const list = devices.map(({ value, selections, uses }, index) =>
      aDevice(`g${index}`, {
        selections,
        attributes: new Map([[ATTRIBUTE, value]]),
        uses: uses === 0 ? new Map() : new Map([['c/m', uses]]),
      }),
    );
    const pool = aPool(list, { counters: new Map([['c/m', room]]) });
    const constraints =
      kind === 'match' || kind === 'distinct' ? [{ kind, attribute: ATTRIBUTE, requests: [] } as const] : [];
    const need = aNeed(
      asks.map(({ selection, count }, index) => [anAsk(`r${index}`, { selection, count })]),
      constraints,
    );
    const held = new Set(devices.flatMap(({ isHeld }, index) => (isHeld ? [`d/p/g${index}`] : [])));
    const offer = { machine: MACHINE, pools: [pool], isHeld: (key: string) => held.has(key) };
    const [allocation] = findDevices(offer, [{ claim: 'ns/c', need }]) ?? [];
    // Where held devices alone are beyond the card, a device that takes nothing of it still serves.
    const isBeyond = devices.reduce((sum, { isHeld, uses }) => sum + (isHeld ? uses : 0), 0) > room;
    if (!isBeyond) expect(allocation !== undefined).toBe(canServe(each));
    if (allocation === undefined) return void (refused += 1);
    served += 1;
    const names = allocation.devices.map(({ device }) => device);
    expect(new Set(names).size).toBe(asks.reduce((sum, { count }) => sum + count, 0));
    expect(names.filter((name) => held.has(`d/p/${name}`))).toEqual([]);
  });
  expect(Math.min(served, refused)).toBeGreaterThan(10);
});
