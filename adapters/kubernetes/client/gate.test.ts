import type { ClusterErrorCode } from '@springtide/ports/cluster';
import { settled, VirtualClock } from '@springtide/testkit/clock';
import { describe, expect, test } from 'vitest';
import { Gate, GATE_LIMITS, type GateLimits, type Urgency } from './gate.ts';

/** A gate whose requests end when told to, with a diary. */
class Desk {
  readonly clock = new VirtualClock();
  readonly gate: Gate;
  readonly diary: string[] = [];
  readonly #ends: (() => void)[] = [];

  constructor(limits: Partial<GateLimits>) {
    this.gate = new Gate(this.clock, { ...GATE_LIMITS, ...limits });
  }

  enter(urgency: Urgency, name: string, key = ''): void {
    this.gate.enter({
      urgency,
      key,
      send: () => {
        this.diary.push(name);
        return new Promise((resolve) => {
          this.#ends.push(resolve);
        });
      },
      refuse: ({ code }: { code: ClusterErrorCode }) => this.diary.push(`${name}: ${code}`),
      replace: () => this.diary.push(`${name}: replaced`),
    });
  }

  async endFirst(): Promise<void> {
    this.#ends.shift()?.();
    await settled();
  }
}

const ONE_AT_ONCE = { lease: 1, bind: 1, evict: 1, status: 1, event: 1 };

describe('a gate', () => {
  test('lets the most urgent go first, and the lease at once', async () => {
    const desk = new Desk({ inFlightMax: ONE_AT_ONCE });
    desk.enter('event', 'first');
    for (const urgency of ['event', 'status', 'evict', 'bind', 'lease'] as const) desk.enter(urgency, urgency);
    expect(desk.diary).toEqual(['first', 'lease']);
    for (let i = 0; i < 5; i += 1) await desk.endFirst();
    expect(desk.diary).toEqual(['first', 'lease', 'bind', 'evict', 'status', 'event']);
  });

  test('sends nothing about the same thing before the one sent earlier is answered, and others meanwhile', async () => {
    const desk = new Desk({});
    for (const name of ['old', 'newer', 'newest']) desk.enter('status', name, 'pod');
    desk.enter('status', 'other', 'other pod');
    expect(desk.diary).toEqual(['old', 'newer: replaced', 'other']);
    await desk.endFirst();
    expect(desk.diary.slice(3)).toEqual(['newest']);
  });

  test('keeps places free for what is more urgent', () => {
    const desk = new Desk({ inFlightMax: { lease: 9, bind: 4, evict: 3, status: 2, event: 1 } });
    for (const name of ['e1', 'e2', 'e3']) desk.enter('event', name);
    for (const name of ['s1', 's2', 's3']) desk.enter('status', name);
    for (const name of ['b1', 'b2', 'b3']) desk.enter('bind', name);
    expect(desk.diary).toEqual(['e1', 's1', 'b1', 'b2']);
    expect(desk.gate.counts('status')).toEqual({ waiting: 2, inFlight: 1, sent: 1 });
  });

  test('sends no faster than agreed', async () => {
    const desk = new Desk({ perSecond: 10, burst: 2 });
    for (let i = 0; i < 6; i += 1) desk.enter('bind', `${i}`);
    expect(desk.diary).toHaveLength(2);
    await desk.clock.pass(99);
    expect(desk.diary).toHaveLength(2);
    await desk.clock.pass(201);
    expect(desk.diary).toHaveLength(5);
    await desk.clock.pass(10_000);
    expect(desk.diary).toHaveLength(6);
  });

  test('sends only the newer of two with one key, in the place of the older', async () => {
    const desk = new Desk({ inFlightMax: ONE_AT_ONCE });
    desk.enter('status', 'busy');
    desk.enter('status', 'a1', 'a');
    desk.enter('status', 'b1', 'b');
    desk.enter('status', 'a2', 'a');
    for (let i = 0; i < 3; i += 1) await desk.endFirst();
    expect(desk.diary).toEqual(['busy', 'a1: replaced', 'a2', 'b1']);
  });

  test('refuses what comes when the queue is full, what waited too long, and what comes after the end', async () => {
    const desk = new Desk({
      inFlightMax: ONE_AT_ONCE,
      waitingMax: { ...GATE_LIMITS.waitingMax, bind: 2 },
      waitMsMax: { ...GATE_LIMITS.waitMsMax, bind: 1000 },
    });
    for (const name of ['a', 'b', 'c', 'd']) desk.enter('bind', name);
    expect(desk.diary).toEqual(['a', 'd: queue-full']);
    await desk.clock.pass(1500);
    desk.enter('evict', 'e');
    await desk.endFirst();
    expect(desk.diary.slice(2)).toEqual(['b: too-late', 'c: too-late', 'e']);
    desk.enter('bind', 'f');
    let isIdle = false;
    const idle = desk.gate.stop().then(() => (isIdle = true));
    desk.enter('bind', 'g');
    expect(desk.diary.slice(5)).toEqual(['f: stopped', 'g: stopped']);
    await settled();
    expect(isIdle).toBe(false);
    await desk.endFirst();
    await idle;
  });

  test('leaves a server alone that asks for it, but for the lease', async () => {
    const desk = new Desk({});
    desk.gate.pause(500);
    desk.enter('bind', 'bind');
    desk.enter('lease', 'lease');
    expect(desk.diary).toEqual(['lease']);
    await desk.clock.pass(499);
    expect(desk.diary).toHaveLength(1);
    await desk.clock.pass(1);
    expect(desk.diary).toEqual(['lease', 'bind']);
  });
});
