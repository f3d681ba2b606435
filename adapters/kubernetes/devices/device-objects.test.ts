import { describe, expect, test } from 'vitest';
import type { DevicePool } from '@springtide/core/model';
import type { ClusterEvent, DeviceClaim } from '@springtide/ports/cluster';
import { fieldsOf } from '../fields.ts';
import { allocationBody } from './claim-requests.ts';
import { DeviceObjects } from './device-objects.ts';

const DRIVER = 'gpu.example.com';

class Told {
  readonly objects = new DeviceObjects((event) => this.#hear(event));
  readonly pools = new Map<string, DevicePool>();
  readonly claims = new Map<string, DeviceClaim>();
  count = 0;

  #hear(event: ClusterEvent): void {
    this.count += 1;
    if (event.kind === 'device-pool-seen') this.pools.set(event.pool.id, event.pool);
    if (event.kind === 'device-pool-gone') this.pools.delete(event.pool);
    if (event.kind === 'device-claim-seen') this.claims.set(event.claim.id, event.claim);
    if (event.kind === 'device-claim-gone') this.claims.delete(event.claim);
  }

  slice(name: string, spec: object): void {
    const pool = { name: 'p', generation: 1, resourceSliceCount: 1 };
    const body = { metadata: { name }, spec: { driver: DRIVER, pool, nodeName: 'n', ...spec } };
    this.objects.seeSlice(fieldsOf(body, null));
  }

  deviceClass(name: string, expressions: readonly string[], more: object = {}): void {
    const selectors = expressions.map((expression) => ({ cel: { expression } }));
    this.objects.seeClass(fieldsOf({ metadata: { name }, spec: { selectors, ...more } }, null));
  }

  claim(name: string, devices: object, more: object = {}): void {
    const metadata = { name, namespace: 'ns', uid: `uid-${name}`, resourceVersion: '7' };
    this.objects.seeClaim(fieldsOf({ metadata, spec: { devices }, ...more }, null));
  }

  /** Devices that the first way of a claim's first request selects. */
  selected(name: string): string[] {
    const selection = this.claims.get(`ns/${name}`)?.requests[0]?.asks[0]?.selection ?? '';
    const devices = [...this.pools.values()].flatMap((pool) => pool.devices);
    return devices.filter(({ selections }) => selections.includes(selection)).map((device) => device.name);
  }
}

function model(name: string, value: string): object {
  return { name, attributes: { model: { string: value } } };
}

function one(deviceClassName: string, more: object = {}): object {
  return { requests: [{ name: 'gpu', exactly: { deviceClassName, ...more } }] };
}

const IS_A = `device.attributes["${DRIVER}"].model == "a"`;

describe('objects of DRA', () => {
  test('claims find the devices that class and request select, in whatever order the objects come', () => {
    const told = new Told();
    const selectors = [{ cel: { expression: IS_A } }];
    told.claim('c', one('gpu', { selectors }));
    expect(told.claims.get('ns/c')?.trouble).toMatchObject({ kind: 'class', detail: 'gpu' });
    told.deviceClass('gpu', [`device.driver == "${DRIVER}"`]);
    expect(told.claims.get('ns/c')?.trouble).toBeNull();
    told.slice('s', { devices: [model('x', 'a'), model('y', 'b')] });
    expect(told.selected('c')).toEqual(['x']);
    told.slice('s', { devices: [model('x', 'b'), model('y', 'a')] });
    expect(told.selected('c')).toEqual(['y']);
    told.deviceClass('gpu', ['device.driver == "other"']);
    expect(told.selected('c')).toEqual([]);
    told.objects.loseClass('gpu');
    expect(told.claims.get('ns/c')?.trouble).toMatchObject({ kind: 'class' });
  });

  test('claims of one template ask the same, and no device is asked again', () => {
    const told = new Told();
    told.deviceClass('gpu', [IS_A]);
    told.slice('s', { devices: [model('x', 'a')] });
    told.claim('a', one('gpu'));
    const before = told.count;
    told.claim('b', one('gpu'));
    expect(told.count).toBe(before + 1);
    expect(told.claims.get('ns/b')?.requests).toEqual(told.claims.get('ns/a')?.requests);
  });

  test('of a pool the newest generation counts, once it is there whole and no name twice', () => {
    const told = new Told();
    told.slice('s1', { devices: [model('x', 'a')] });
    expect(told.pools.get(`${DRIVER}/p`)).toMatchObject({ isWhole: true, driver: DRIVER, name: 'p' });
    const pool = { name: 'p', generation: 2, resourceSliceCount: 2 };
    told.slice('s2', { pool, devices: [model('y', 'a')] });
    expect(told.pools.get(`${DRIVER}/p`)).toMatchObject({ isWhole: false });
    told.slice('s3', { pool, devices: [model('z', 'a')] });
    const whole = told.pools.get(`${DRIVER}/p`);
    expect([whole?.isWhole, whole?.devices.map(({ name }) => name)]).toEqual([true, ['y', 'z']]);
    told.slice('s3', { pool, devices: [model('y', 'a')] });
    expect(told.pools.get(`${DRIVER}/p`)?.isWhole).toBe(false);
    for (const name of ['s1', 's2', 's3']) told.objects.loseSlice(name);
    expect(told.pools.size).toBe(0);
  });

  test('devices that several claims may share, or that have to be made ready, are selected by none', () => {
    const told = new Told();
    told.deviceClass('gpu', []);
    told.claim('c', one('gpu'));
    const ready = { name: 'slow', bindingConditions: ['Attached'], bindingFailureConditions: ['Failed'] };
    told.slice('s', { devices: [{ name: 'shared', allowMultipleAllocations: true }, ready, { name: 'plain' }] });
    expect(told.selected('c')).toEqual(['plain']);
  });

  test('taints of rules are added to those devices that they name; effects of later days keep nobody off', () => {
    const told = new Told();
    const taints = [
      { key: 'k', effect: 'NoExecute' },
      { key: 'later', effect: 'Unheard' },
    ];
    told.slice('s', { devices: [{ name: 'x', taints }, { name: 'y' }] });
    const spec = {
      deviceSelector: { driver: DRIVER, device: 'y' },
      taint: { key: 'r', value: 'v', effect: 'NoSchedule' },
    };
    told.objects.seeTaintRule(fieldsOf({ metadata: { name: 'rule' }, spec }, null));
    const keys = (): string[][] =>
      told.pools.get(`${DRIVER}/p`)?.devices.map((each) => each.taints.map(({ key }) => key)) ?? [];
    expect(keys()).toEqual([['k'], ['r']]);
    told.objects.loseTaintRule('rule');
    expect(keys()).toEqual([['k'], []]);
  });

  test('what cannot be handled is a trouble of its claim, with its place', () => {
    const told = new Told();
    told.deviceClass('gpu', []);
    told.deviceClass('broken', ['device.driver ==']);
    const troubleOf = (devices: object): unknown => {
      told.claim('c', devices);
      return told.claims.get('ns/c')?.trouble;
    };
    const at = 'spec.devices.requests[0].exactly';
    expect(troubleOf(one('gpu', { derivedAttributes: [{}] }))).toMatchObject({
      kind: 'unsupported',
      path: `${at}.derivedAttributes`,
    });
    expect(troubleOf(one('gpu', { allocationMode: 'Some' }))).toMatchObject({ path: `${at}.allocationMode` });
    expect(troubleOf(one('gpu', { count: 33 }))).toMatchObject({ kind: 'unsupported', detail: 'more than 32 devices' });
    expect(troubleOf({ requests: [{ name: 'gpu' }] })).toMatchObject({ path: 'spec.devices.requests[0]' });
    expect(troubleOf({ ...one('gpu'), constraints: [{}] })).toMatchObject({ path: 'spec.devices.constraints[0]' });
    expect(troubleOf(one('broken'))).toMatchObject({
      kind: 'selector',
      path: 'DeviceClass broken spec.selectors[0].cel.expression',
    });
  });

  test('a selector that fails on a device is told to all that use it, though the device comes later', () => {
    const told = new Told();
    told.deviceClass('gpu', [IS_A]);
    told.claim('c', one('gpu'));
    expect(told.claims.get('ns/c')?.failing).toBeNull();
    told.slice('s', { devices: [{ name: 'bare' }, model('x', 'a')] });
    expect(told.claims.get('ns/c')?.failing).toMatchObject({
      kind: 'selector-fails',
      detail: `${IS_A}: No such key: model (${DRIVER}/p/bare)`,
    });
    expect(told.selected('c')).toEqual(['x']);
  });

  test('an allocation as it is written is read again as it was', () => {
    const told = new Told();
    told.deviceClass('gpu', []);
    const tolerations = [{ key: 'k', operator: 'Exists' }];
    told.claim('c', one('gpu', { tolerations, adminAccess: true }));
    const places = [{ expressions: [], fields: [{ key: 'metadata.name', operator: 'In', values: ['n'] }] } as const];
    const device = { request: 'gpu', driver: DRIVER, pool: 'p', device: 'x', isAdmin: true };
    const allocation = { claim: 'ns/c', devices: [device], places };
    const written = told.objects.written('ns/c');
    if (written === null) throw new Error('the claim is not known');
    const body = allocationBody(allocation, written.claim, written.classes) as any;
    expect(body.devices.results[0]).toMatchObject({ adminAccess: true, tolerations });
    told.claim('c', one('gpu'), {
      status: { allocation: body, reservedFor: [{ resource: 'pods', name: 'a', uid: 'u' }] },
    });
    expect(told.claims.get('ns/c')).toMatchObject({ allocation, reservedFor: ['u'], requests: [] });
  });
});
