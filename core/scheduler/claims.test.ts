import { describe, expect, test } from 'vitest';
import { aMachine, aPod, aSeenPod, inGang } from '@springtide/testkit/builders';
import { type ClaimAllocation, type DeviceNeed, type DevicePool, EMPTY_REQUEST } from '../model/index.ts';
import type { SchedulerCommand, SchedulerEvent, SeenPod } from './events.ts';
import { SCHEDULER_DEFAULTS } from './options.ts';
import { Scheduler } from './scheduler.ts';

/** So many devices on a machine. */
function poolOf(machine: string, count: number): SchedulerEvent {
  const nothing = { places: null, attributes: new Map(), selections: ['gpu'], taints: [], uses: new Map() };
  const devices = Array.from({ length: count }, (_, index) => ({ name: `g${index}`, machine, ...nothing }));
  const pool: DevicePool = {
    id: `d/${machine}`,
    driver: 'd',
    name: machine,
    isWhole: true,
    counters: new Map(),
    devices,
  };
  return { kind: 'device-pool', pool };
}

const ONE: DeviceNeed = {
  claim: '',
  requests: [{ name: 'x', asks: [{ name: 'x', selection: 'gpu', count: 1, isAdmin: false, tolerations: [] }] }],
  constraints: [],
  isLoose: false,
  trouble: null,
  failing: null,
};

/** A pod with one claim: its own, unless `need` says otherwise. */
function user(name: string, need: Partial<DeviceNeed> = {}, more: Partial<SeenPod> = {}): SeenPod {
  const constraints = { ...EMPTY_REQUEST.constraints, devices: [{ ...ONE, ...need }] };
  const pod = aPod(`ns/${name}`)
    .asking({ ...EMPTY_REQUEST, constraints })
    .build();
  return aSeenPod({ ...pod, deviceClaims: [need.claim || `ns/${name}-claim`] }, more);
}

function seen(pod: SeenPod): SchedulerEvent {
  return { kind: 'pod', seen: pod };
}

function machineSeen(name: string): SchedulerEvent {
  return { kind: 'machine', machine: aMachine(name).build() };
}

/** `a on m: m/g0`, and so on. */
function bindsOf(commands: readonly SchedulerCommand[]): string[] {
  return commands.flatMap((command) => {
    if (command.kind !== 'bind') return [];
    const devices = (command.claims ?? []).flatMap((claim) =>
      claim.devices.map(({ pool, device }) => `${pool}/${device}`),
    );
    return [`${command.pod.slice(3)} on ${command.machine}: ${devices.join(' ')}`];
  });
}

function allocation(claim: string, pool: string, device: string): ClaimAllocation {
  const places = [{ expressions: [], fields: [{ key: 'metadata.name', operator: 'In', values: [pool] }] } as const];
  return { claim, devices: [{ request: 'x', driver: 'd', pool, device, isAdmin: false }], places };
}

function told(claim: string, given: ClaimAllocation | null): SchedulerEvent {
  return { kind: 'device-claim', claim, allocation: given };
}

describe('claims for devices in a step', () => {
  test('pods of one step get each device once, and the rest wait for one to be free', () => {
    const scheduler = new Scheduler();
    const pods = ['a', 'b', 'c'].map((name) => user(name));
    const first = scheduler.step(0, [machineSeen('m'), poolOf('m', 2), ...pods.map(seen)], 100);
    expect(bindsOf(first.commands)).toEqual(['a on m: m/g0', 'b on m: m/g1']);
    const reports = first.commands.flatMap((command) => (command.kind === 'report' ? [command.report] : []));
    expect(reports[0]?.explanation?.refusals).toEqual([{ filter: 'device', machines: 1 }]);
    expect(bindsOf(scheduler.step(1, [{ kind: 'pod-gone', uid: 'ns/a' }], 100).commands)).toEqual(['c on m: m/g0']);
  });

  test('what was chosen is held until the pod is gone and the cluster says that the claim is free', () => {
    const scheduler = new Scheduler();
    const [a, b] = [user('a'), user('b')];
    scheduler.step(0, [machineSeen('m'), poolOf('m', 1), seen(a)], 100);
    const given = allocation('ns/a-claim', 'm', 'g0');
    // A machine that changes has the book built anew.
    const changed: SchedulerEvent = { kind: 'machine', machine: aMachine('m').labelled('k', 'v').build() };
    const bound = seen({ ...a, machine: 'm' });
    expect(bindsOf(scheduler.step(1, [changed, bound, seen(b)], 100).commands)).toEqual([]);
    const gone: SchedulerEvent = { kind: 'pod-gone', uid: 'ns/a' };
    expect(bindsOf(scheduler.step(2, [told('ns/a-claim', given), gone], 100).commands)).toEqual([]);
    expect(bindsOf(scheduler.step(3, [told('ns/a-claim', null)], 100).commands)).toEqual(['b on m: m/g0']);
  });

  test('a bind that failed gives its devices back', () => {
    const scheduler = new Scheduler();
    scheduler.step(0, [machineSeen('m'), poolOf('m', 1), seen(user('a'))], 100);
    const failed: SchedulerEvent = { kind: 'bind-failed', uid: 'ns/a', why: 'refused' };
    expect(bindsOf(scheduler.step(1, [failed, seen(user('b'))], 100).commands)).toEqual(['b on m: m/g0']);
  });

  test('pods that share a claim go where its devices are, and a scheduler that resumes knows them', () => {
    const scheduler = new Scheduler();
    const shared = { claim: 'ns/shared' };
    const events = [
      machineSeen('m'),
      machineSeen('n'),
      poolOf('m', 1),
      poolOf('n', 1),
      seen(user('a', shared)),
      seen(user('b', shared)),
    ];
    const [first = '', second = ''] = bindsOf(scheduler.step(0, events, 100).commands);
    // Whoever comes second chooses nothing.
    expect(second).toBe(`b on ${first.split(' ')[2]} `);
    const resumed = Scheduler.resume(SCHEDULER_DEFAULTS, scheduler.snapshot());
    const [third = ''] = bindsOf(resumed.step(1, [seen(user('c', shared))], 100).commands);
    expect(third.split(' ').slice(1)).toEqual(second.split(' ').slice(1));
    expect(bindsOf(resumed.step(2, [seen(user('d')), seen(user('e'))], 100).commands)).toHaveLength(1);
  });

  test('a claim with something wrong is told and not tried; one that keeps a pod from going anywhere is freed', () => {
    const scheduler = new Scheduler();
    const trouble = { kind: 'missing', claim: 'c', path: '', detail: '' } as const;
    const wrong = scheduler.step(0, [machineSeen('m'), poolOf('m', 1), seen(user('a', { trouble }))], 100);
    expect(wrong.commands).toMatchObject([{ kind: 'report', report: { reason: 'claims', claims: [trouble] } }]);
    const stuck = user('b', { claim: 'ns/old', isLoose: true, requests: [] });
    const given = allocation('ns/old', 'gone', 'g0');
    const { commands } = scheduler.step(1, [told('ns/old', given), seen(stuck)], 100);
    expect(commands).toContainEqual({ kind: 'free-claims', uid: 'ns/b', pod: 'ns/b', claims: ['ns/old'] });
  });

  test('a gang gets devices for all of its members or none, and a pod evicts nobody for devices', () => {
    const scheduler = new Scheduler();
    const topology = { level: 'rack', mode: 'required', pattern: 'all-reduce' } as const;
    const member = (name: string, count: number): SchedulerEvent =>
      seen(user(name, {}, { gang: inGang('g', count, { topology }) }));
    const machines = ['m', 'n'].map(
      (name) => ({ kind: 'machine', machine: aMachine(name).inRack('r').build() }) as const,
    );
    const start = [...machines, poolOf('m', 2), poolOf('n', 1)];
    expect(
      bindsOf(scheduler.step(0, [...start, ...['a', 'b', 'c'].map((name) => member(name, 3))], 100).commands),
    ).toHaveLength(3);
    const urgent = user('u');
    const { commands } = scheduler.step(1, [seen({ ...urgent, pod: { ...urgent.pod, priority: 100 } })], 100);
    expect(commands.filter(({ kind }) => kind === 'evict' || kind === 'bind')).toEqual([]);
  });
});
