import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Machine } from '@springtide/core/model';
import { aMachine, aPod, aRequest, aSeenPod, inGang, PRODUCTS } from '@springtide/testkit/builders';
import { forAll } from '@springtide/testkit/property';
import { Scheduler, SCHEDULER_DEFAULTS, type SchedulerCommand, type SchedulerEvent, type SeenPod } from './index.ts';

const CARDS = 4;
/** Nothing is kept for gangs: it would keep others from what fits them. */
const OPTIONS = {
  ...SCHEDULER_DEFAULTS,
  assumedMs: 1000,
  gangReadyMs: 1_000_000,
  nominationMs: 5000,
  gangReserveAfterMs: Infinity,
};

type Deed =
  | { readonly deed: 'arrive'; readonly cards: number; readonly members: number; readonly priority: number }
  | { readonly deed: 'finish'; readonly which: number }
  | { readonly deed: 'wait'; readonly ms: number }
  /** Another scheduler goes on from a snapshot of this one. */
  | { readonly deed: 'resume' };

const deeds: fc.Arbitrary<readonly Deed[]> = fc.array(
  fc.oneof(
    fc.record({
      deed: fc.constant('arrive' as const),
      cards: fc.integer({ min: 1, max: CARDS }),
      members: fc.constantFrom(1, 1, 1, 2, 3),
      priority: fc.integer({ min: 0, max: 2 }),
    }),
    fc.record({ deed: fc.constant('finish' as const), which: fc.nat() }),
    fc.record({ deed: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 2000 }) }),
    fc.record({ deed: fc.constant('resume' as const) }),
  ),
  { maxLength: 25 },
);

/** A cluster that carries orders out, or loses or refuses them as the faults say, and checks each. */
class Cluster {
  scheduler = new Scheduler(OPTIONS);
  readonly machines: readonly Machine[];
  readonly pods = new Map<string, SeenPod>();
  readonly bindsOf = new Map<string, number>();
  #faults: readonly number[];
  #at = 0;
  #nowMs = 0;
  #next = 0;

  constructor(machines: readonly Machine[], faults: readonly number[]) {
    this.machines = machines;
    this.#faults = faults;
    this.#step(machines.map((machine) => ({ kind: 'machine', machine })));
  }

  do(deed: Deed): void {
    if (deed.deed === 'wait') this.#nowMs += deed.ms;
    if (deed.deed === 'resume') this.scheduler = Scheduler.resume(OPTIONS, structuredClone(this.scheduler.snapshot()));
    // Members of a gang come one by one, as they do.
    if (deed.deed === 'arrive') for (const event of this.#arrive(deed)) this.#step([event]);
    else if (deed.deed === 'finish') this.#finish(deed.which);
    this.#step([]);
  }

  heal(): void {
    this.#faults = [];
  }

  running(): SeenPod[] {
    return [...this.pods.values()].filter(({ machine }) => machine !== null);
  }

  cardsHeldOn(machine: string): number {
    const here = this.running().filter((seen) => seen.machine === machine);
    return here.reduce((sum, { pod }) => sum + (pod.request.cards.kind === 'whole' ? pod.request.cards.count : 0), 0);
  }

  #arrive({ cards, members, priority }: Deed & { deed: 'arrive' }): SchedulerEvent[] {
    const gang = members > 1 ? inGang(`g${this.#next}`, members) : null;
    return Array.from({ length: members }, () => {
      const uid = `p${this.#next++}`;
      const pod = { ...aPod(uid).asking(aRequest().cpuMilli(100).whole(cards)).build(), priority };
      const seen = aSeenPod(pod, { createdAtMs: this.#nowMs, gang });
      this.pods.set(uid, seen);
      return { kind: 'pod', seen } as const;
    });
  }

  #finish(which: number): void {
    const running = this.running();
    const seen = running[which % Math.max(1, running.length)];
    if (seen === undefined) return;
    this.pods.delete(seen.uid);
    this.#step([{ kind: 'pod-gone', uid: seen.uid }]);
  }

  #step(events: readonly SchedulerEvent[]): void {
    let pending = events;
    for (let round = 0; round < 50; round += 1) {
      const { commands } = this.scheduler.step(this.#nowMs, pending, 100);
      if (commands.length === 0) return;
      this.#checkGangs(commands);
      pending = commands.flatMap((command) => this.#carryOut(command));
    }
  }

  /** I3: whenever a member of a gang is ordered, all its members run or are ordered. */
  #checkGangs(commands: readonly SchedulerCommand[]): void {
    const { assumed } = this.scheduler.world;
    for (const command of commands) {
      const gang = command.kind === 'bind' ? this.pods.get(command.uid)?.gang : null;
      if (!gang) continue;
      const members = [...this.pods.values()].filter((seen) => seen.gang?.id === gang.id);
      expect(members.every(({ uid, machine }) => machine !== null || assumed.has(uid))).toBe(true);
    }
  }

  #carryOut(command: SchedulerCommand): SchedulerEvent[] {
    if (command.kind === 'evict') {
      this.pods.delete(command.uid);
      return [{ kind: 'pod-gone', uid: command.uid }];
    }
    if (command.kind === 'confirm' && this.pods.get(command.uid)?.machine === null) {
      return [{ kind: 'bind-failed', uid: command.uid, why: 'unknown' }];
    }
    if (command.kind !== 'bind') return [];
    const fault = this.#faults[this.#at++] ?? 0;
    if (fault === 1) return [{ kind: 'bind-failed', uid: command.uid, why: 'refused' }];
    if (fault === 2) return [];
    const seen = this.pods.get(command.uid);
    expect(seen?.machine).toBe(null);
    this.bindsOf.set(command.uid, (this.bindsOf.get(command.uid) ?? 0) + 1);
    const bound = { ...(seen as SeenPod), machine: command.machine };
    this.pods.set(command.uid, bound);
    return [{ kind: 'pod', seen: bound }];
  }
}

const cases = fc.record({
  machines: fc.integer({ min: 1, max: 3 }),
  faults: fc.array(fc.constantFrom(0, 0, 0, 1, 2), { maxLength: 12 }),
  steps: deeds,
});

function clusterOf(machines: number, faults: readonly number[]): Cluster {
  const fleet = Array.from({ length: machines }, (_, i) => aMachine(`m${i}`).cards(PRODUCTS.a100, CARDS).build());
  return new Cluster(fleet, faults);
}

describe('the scheduler on a cluster that refuses and loses orders', () => {
  test('I1, I3, I6: no card twice, gangs whole, no pod bound twice', () => {
    forAll(cases, ({ machines, faults, steps }) => {
      const cluster = clusterOf(machines, faults);
      for (const step of steps) {
        cluster.do(step);
        for (const { id } of cluster.machines) expect(cluster.cardsHeldOn(id)).toBeLessThanOrEqual(CARDS);
      }
      expect([...cluster.bindsOf.values()].every((count) => count === 1)).toBe(true);
    });
  });

  test('I2, I11: once orders go through again, what fits runs, and nothing is forgotten', () => {
    forAll(cases, ({ machines, faults, steps }) => {
      const cluster = clusterOf(machines, faults);
      for (const step of steps) cluster.do(step);
      cluster.heal();
      for (let round = 0; round < 3; round += 1) cluster.do({ deed: 'wait', ms: 100_000 });
      const held = new Map(cluster.machines.map(({ id }) => [id, cluster.cardsHeldOn(id)]));
      for (const { machine, gang, pod } of cluster.pods.values()) {
        const { cards } = pod.request;
        if (machine !== null || cards.kind !== 'whole') continue;
        const rooms = [...held.values()].map((cardsHeld) => Math.floor((CARDS - cardsHeld) / cards.count));
        const members = [...cluster.pods.values()].filter((other) => gang !== null && other.gang?.id === gang.id);
        const wanted = gang === null ? 1 : members.filter((other) => other.machine === null).length;
        const isWhole = gang === null || members.length >= gang.minCount;
        expect(isWhole && rooms.reduce((sum, room) => sum + room, 0) >= wanted).toBe(false);
      }
    });
  });

  test('I3: once orders go through again, no gang holds cards in part while the rest of it waits', () => {
    forAll(cases, ({ machines, faults, steps }) => {
      const cluster = clusterOf(machines, faults);
      for (const step of steps) cluster.do(step);
      cluster.heal();
      for (let i = 0; i < 4; i += 1) cluster.do({ deed: 'wait', ms: OPTIONS.gangPartMs });
      const inGangs = [...cluster.pods.values()].filter(({ gang }) => gang !== null);
      for (const members of Map.groupBy(inGangs, ({ gang }) => gang?.id).values()) {
        const running = members.filter(({ machine }) => machine !== null).length;
        const isPart = running > 0 && running < members.length && members.length === members[0]?.gang?.minCount;
        expect(isPart).toBe(false);
      }
    });
  });
});
