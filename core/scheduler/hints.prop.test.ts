import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Machine } from '@springtide/core/model';
import {
  aMachine,
  aPod,
  aRequest,
  aSeenPod,
  evenly,
  inGang,
  isIn,
  podsWith,
  PRODUCTS,
  type RequestBuilder,
} from '@springtide/testkit/builders';
import { forAll } from '@springtide/testkit/property';
import { Scheduler, SCHEDULER_DEFAULTS, type SchedulerCommand, type SchedulerEvent, type SeenPod } from './index.ts';

const ZONE = 'zone';
const OPTIONS = { ...SCHEDULER_DEFAULTS, assumedMs: 1000, gangReadyMs: 1_000_000, nominationMs: 5000 };

const FLAVOURS: readonly ((request: RequestBuilder) => RequestBuilder)[] = [
  (request) => request,
  (request) => request,
  (request) => request.nodeSelector(ZONE, 'b'),
  (request) => request.memoryBytes(150 * 2 ** 30),
  (request) => request.beside(podsWith(ZONE, isIn('app', 'x'))),
  (request) => request.awayFrom(podsWith(ZONE, isIn('app', 'y'))),
  (request) => request.spread(evenly(ZONE)),
  (request) => request.hostPort(80),
];

type Deed =
  | {
      readonly deed: 'arrive';
      readonly cards: number;
      readonly flavour: number;
      readonly app: string;
      readonly priority: number;
      readonly members: number;
      readonly replicas: number;
    }
  | { readonly deed: 'finish' | 'relabel'; readonly which: number }
  | { readonly deed: 'machine'; readonly which: number; readonly zone: string; readonly isCordoned: boolean }
  | { readonly deed: 'machine-gone'; readonly which: number };

const arrivals = fc.record({
  deed: fc.constant('arrive' as const),
  cards: fc.integer({ min: 1, max: 3 }),
  flavour: fc.nat(FLAVOURS.length - 1),
  app: fc.constantFrom('x', 'y', 'z'),
  priority: fc.constantFrom(0, 0, 0, 1),
  members: fc.constantFrom(1, 1, 1, 2),
  replicas: fc.constantFrom(0, 0, 3),
});

const deeds: fc.Arbitrary<readonly Deed[]> = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: arrivals },
    { weight: 3, arbitrary: fc.record({ deed: fc.constantFrom('finish', 'relabel'), which: fc.nat() }) },
    {
      weight: 2,
      arbitrary: fc.record({
        deed: fc.constant('machine' as const),
        which: fc.nat(2),
        zone: fc.constantFrom('a', 'b'),
        isCordoned: fc.boolean(),
      }),
    },
    { weight: 1, arbitrary: fc.record({ deed: fc.constant('machine-gone' as const), which: fc.nat(2) }) },
  ),
  { maxLength: 25 },
);

/** A cluster that carries every order out at once. */
class ObedientCluster {
  readonly pods = new Map<string, SeenPod>();
  readonly machines = new Map<string, Machine>();
  readonly #scheduler = new Scheduler(OPTIONS);
  #next = 0;

  do(deed: Deed): void {
    this.#settle(this.#eventsOf(deed));
  }

  /** The binds that a scheduler orders which has just come, knowing the same. */
  bindsOfAnother(): SchedulerCommand[] {
    const all: SchedulerEvent[] = [
      ...Array.from(this.machines.values(), (machine) => ({ kind: 'machine' as const, machine })),
      ...Array.from(this.pods.values(), (seen) => ({ kind: 'pod' as const, seen })),
    ];
    const { commands } = new Scheduler(OPTIONS).step(0, all, 1000);
    return commands.filter(({ kind }) => kind === 'bind');
  }

  #eventsOf(deed: Deed): SchedulerEvent[] {
    switch (deed.deed) {
      case 'arrive':
        return this.#arrive(deed);
      case 'machine': {
        const bare = aMachine(`m${deed.which}`).labelled(ZONE, deed.zone).cards(PRODUCTS.a100, 4);
        const machine = (deed.isCordoned ? bare.cordoned() : bare).build();
        this.machines.set(machine.id, machine);
        return [{ kind: 'machine', machine }];
      }
      case 'machine-gone': {
        const id = `m${deed.which}`;
        this.machines.delete(id);
        const there = [...this.pods.values()].filter(({ machine }) => machine === id);
        return [{ kind: 'machine-gone', id }, ...there.map(({ uid }) => this.#remove(uid))];
      }
      case 'finish': {
        const seen = this.#pick(deed.which, ({ machine }) => machine !== null);
        return seen === undefined ? [] : [this.#remove(seen.uid)];
      }
      case 'relabel': {
        const seen = this.#pick(deed.which, () => true);
        return seen === undefined
          ? []
          : [this.#see({ ...seen, pod: { ...seen.pod, labels: new Map([['app', 'x']]) } })];
      }
    }
  }

  #arrive({ cards, flavour, app, priority, members, replicas }: Deed & { deed: 'arrive' }): SchedulerEvent[] {
    const gang = members > 1 ? inGang(`g${this.#next}`, members) : null;
    return Array.from({ length: members }, () => {
      const request = (FLAVOURS[flavour] as (typeof FLAVOURS)[number])(aRequest().cpuMilli(100).whole(cards));
      const bare = aPod(`p${this.#next++}`)
        .asking(request)
        .labelled('app', app);
      const pod = replicas > 0 ? bare.replicaOf(`s-${app}`, replicas).build() : bare.build();
      return this.#see(aSeenPod({ ...pod, priority }, { gang }));
    });
  }

  #pick(which: number, isWanted: (seen: SeenPod) => boolean): SeenPod | undefined {
    const wanted = [...this.pods.values()].filter(isWanted);
    return wanted[which % Math.max(1, wanted.length)];
  }

  #see(seen: SeenPod): SchedulerEvent {
    this.pods.set(seen.uid, seen);
    return { kind: 'pod', seen };
  }

  #remove(uid: string): SchedulerEvent {
    this.pods.delete(uid);
    return { kind: 'pod-gone', uid };
  }

  #settle(events: readonly SchedulerEvent[]): void {
    let pending = events;
    for (let round = 0; round < 100; round += 1) {
      const { commands, more } = this.#scheduler.step(0, pending, 2);
      pending = commands.flatMap((command) => this.#carryOut(command));
      if (pending.length === 0 && !more) return;
    }
    throw new Error('it does not come to rest');
  }

  #carryOut(command: SchedulerCommand): SchedulerEvent[] {
    if (command.kind === 'evict') return [this.#remove(command.uid)];
    if (command.kind !== 'bind') return [];
    return [this.#see({ ...(this.pods.get(command.uid) as SeenPod), machine: command.machine })];
  }
}

test('I2: what rests could not be placed: a scheduler that knows the same and has just come binds nothing', () => {
  forAll(deeds, (steps) => {
    const cluster = new ObedientCluster();
    for (const step of steps) cluster.do(step);
    expect(cluster.bindsOfAnother()).toEqual([]);
  });
});
