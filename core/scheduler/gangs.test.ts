import { describe, expect, test } from 'vitest';
import { aMachine, aPod, aRequest, aSeenPod, inGang, PRODUCTS } from '@springtide/testkit/builders';
import type { TopologyRequest } from '../model/index.ts';
import {
  type GangMembership,
  Scheduler,
  SCHEDULER_DEFAULTS,
  type SchedulerCommand,
  type SchedulerEvent,
  type SeenPod,
  type StepResult,
} from './index.ts';

const TIMES = { ...SCHEDULER_DEFAULTS, gangPartMs: 5000, gangReadyMs: 60_000 };
const inRack: TopologyRequest = { level: 'rack', mode: 'required', pattern: 'all-reduce' };

function gang(minCount: number, part: Partial<GangMembership> = {}): GangMembership {
  return inGang('g', minCount, part);
}

function pod(id: string, cards: number, part: Partial<SeenPod> = {}): SeenPod {
  return aSeenPod(aPod(id).asking(aRequest().cpuMilli(100).whole(cards)).build(), { isReady: false, ...part });
}

/** The pod, bound to m0. */
function onMachine(each: SeenPod, isReady = false): SeenPod {
  return { ...each, machine: 'm0', isReady };
}

function ofPriority(each: SeenPod, priority: number): SeenPod {
  return { ...each, pod: { ...each.pod, priority }, mayPreempt: false };
}

function seen(...pods: SeenPod[]): SchedulerEvent[] {
  return pods.map((each) => ({ kind: 'pod', seen: each }));
}

/** A scheduler of machines m0, m1, ... with four cards each, two in a rack. */
function schedulerOf(machines: number): Scheduler {
  const scheduler = new Scheduler(TIMES);
  const fleet = Array.from({ length: machines }, (_, i) =>
    aMachine(`m${i}`)
      .inRack(`r${Math.floor(i / 2)}`)
      .cards(PRODUCTS.a100, 4)
      .build(),
  );
  scheduler.step(
    0,
    fleet.map((machine) => ({ kind: 'machine', machine })),
    100,
  );
  return scheduler;
}

function bindsOf({ commands }: StepResult): Map<string, string> {
  return new Map(commands.flatMap((command) => (command.kind === 'bind' ? [[command.uid, command.machine]] : [])));
}

function evictedBy({ commands }: StepResult): string[] {
  return commands.flatMap((command) => (command.kind === 'evict' ? [`${command.uid} ${command.reason}`] : []));
}

function reasonsOf(commands: readonly SchedulerCommand[]): string[] {
  return commands.flatMap((command) => (command.kind === 'report' ? [command.report.reason] : []));
}

describe('P5: a gang', () => {
  test('waits until all that must start are there, and is told who is missing', () => {
    const scheduler = schedulerOf(2);
    const g = gang(3);
    const first = scheduler.step(1, seen(pod('a', 2, { gang: g })), 100);
    expect([first.commands, first.wakeAtMs]).toEqual([[], 1001]);
    expect(scheduler.step(900, seen(pod('b', 2, { gang: g })), 100).commands).toEqual([]);
    expect(scheduler.step(1899, [], 100).commands).toEqual([]);
    const told = scheduler.step(1900, [], 100);
    expect(reasonsOf(told.commands)).toEqual(['gang-incomplete', 'gang-incomplete']);
    expect(told.commands[0]).toMatchObject({ report: { gang: { members: 2, membersWanted: 3 } } });
    expect(bindsOf(scheduler.step(2000, seen(pod('c', 2, { gang: g })), 100)).size).toBe(3);
  });

  test('is tried again when the object that says how many it is comes after its pods', () => {
    const scheduler = schedulerOf(1);
    const pods = (g: GangMembership): SeenPod[] => ['a', 'b'].map((id) => pod(id, 1, { gang: g }));
    expect(bindsOf(scheduler.step(1, seen(...pods(gang(Infinity))), 100)).size).toBe(0);
    expect(bindsOf(scheduler.step(2, seen(...pods(gang(2))), 100)).size).toBe(2);
  });

  test('of more members than must start together starts with those, and each other one when there is room', () => {
    const scheduler = schedulerOf(1);
    const g = gang(2);
    const pods = ['a', 'b', 'c'].map((id) => pod(id, 2, { gang: g }));
    const first = scheduler.step(1, seen(...pods), 100);
    expect([...bindsOf(first).keys()]).toEqual(['a', 'b']);
    scheduler.step(2, seen(...pods.slice(0, 2).map((each) => onMachine(each, true))), 100);
    const last = scheduler.step(3, [{ kind: 'pod-gone', uid: 'a' }], 100);
    expect([...bindsOf(last).keys()]).toEqual(['c']);
  });

  test('what is being deleted of a former gang of that name does not count as a member', () => {
    const scheduler = schedulerOf(2);
    const g = gang(2);
    const old = ['x', 'y'].map((id) => pod(id, 1, { gang: g, machine: 'm0', isDeleting: true }));
    expect(bindsOf(scheduler.step(1, seen(...old, pod('a', 1, { gang: g })), 100)).size).toBe(0);
    expect(bindsOf(scheduler.step(2, seen(pod('b', 1, { gang: g })), 100)).size).toBe(2);
  });

  test('of 1,000 on 8 cards is refused with the count of cards, and holds nothing', () => {
    const scheduler = schedulerOf(2);
    const g = gang(1000);
    const pods = Array.from({ length: 1000 }, (_, i) => pod(`p${i}`, 1, { gang: g }));
    const { commands } = scheduler.step(1, seen(...pods), 256);
    expect(new Set(reasonsOf(commands))).toEqual(new Set(['gang-too-large']));
    expect(commands[0]).toMatchObject({ report: { gang: { cardsAsked: 1000, cardsThere: 8, members: 1000 } } });
    expect(scheduler.world.placer?.book.holdings.size).toBe(0);
    expect(scheduler.step(2, [], 256).commands).toEqual([]);
  });

  test('that finds too few free cards now is told how many, once, and holds nothing', () => {
    const scheduler = schedulerOf(2);
    const held = pod('held', 3, { machine: 'm0' });
    const pods = ['a', 'b'].map((id) => pod(id, 4, { gang: gang(2) }));
    const { commands } = scheduler.step(1, seen(held, ...pods), 100);
    expect(reasonsOf(commands)).toEqual(['gang-no-room', 'gang-no-room']);
    expect(commands[0]).toMatchObject({ report: { gang: { cardsAsked: 8, cardsFree: 4, refusal: null } } });
    expect([...(scheduler.world.placer?.book.holdings.keys() ?? [])]).toEqual(['held']);
    expect(bindsOf(scheduler.step(2, [{ kind: 'pod-gone', uid: 'held' }], 100)).size).toBe(2);
  });
});

test('P5: a gang for which there are cards and nothing else is told how far it came, and holds nothing', () => {
  const scheduler = schedulerOf(0);
  const machine = aMachine('m0').cpuMilli(1000).cards(PRODUCTS.a100, 4).build();
  const pods = ['a', 'b'].map((id) =>
    aSeenPod(aPod(id).asking(aRequest().cpuMilli(600).whole(1)).build(), { gang: gang(2) }),
  );
  const { commands } = scheduler.step(1, [{ kind: 'machine', machine }, ...seen(...pods)], 100);
  const refusal = { membersPlaced: 1, members: 2, refusals: [{ filter: 'cpu', machines: 1 }] };
  expect(commands[0]).toMatchObject({ report: { reason: 'gang-no-room', gang: { refusal } } });
  expect(scheduler.world.placer?.book.holdings.size).toBe(0);
});

describe('P4: a gang with a topology', () => {
  test('starts within one rack or waits', () => {
    const scheduler = schedulerOf(4);
    const pods = ['a', 'b'].map((id) => pod(id, 4, { gang: gang(2, { topology: inRack }) }));
    const held = ['m0', 'm2'].map((machine) => pod(`on-${machine}`, 1, { machine }));
    expect(reasonsOf(scheduler.step(1, seen(...held, ...pods), 100).commands)).toEqual([
      'gang-no-room',
      'gang-no-room',
    ]);
    const binds = bindsOf(scheduler.step(2, [{ kind: 'pod-gone', uid: 'on-m2' }], 100));
    expect([...binds.values()].toSorted()).toEqual(['m2', 'm3']);
  });

  test('has what is missing of it placed in the rack where the rest is', () => {
    const scheduler = schedulerOf(4);
    const g = gang(2, { topology: inRack });
    const [a, b] = [pod('a', 1, { gang: g, machine: 'm3' }), pod('b', 1, { gang: g })];
    expect(['m2', 'm3']).toContain(bindsOf(scheduler.step(1, seen(a, b), 100)).get('b'));
  });

  test('by a node label that is no level waits, and is told so', () => {
    const scheduler = schedulerOf(1);
    const pods = ['a', 'b'].map((id) => pod(id, 1, { gang: gang(2, { unknownTopology: 'example.com/pod' }) }));
    expect(reasonsOf(scheduler.step(1, seen(...pods), 100).commands)).toEqual(['gang-topology', 'gang-topology']);
  });
});

describe('I3: a gang that has started in part', () => {
  /** Binds of two members ordered: one is done, the other fails, and its place is taken. */
  function parted(): { scheduler: Scheduler; members: SeenPod[] } {
    const scheduler = schedulerOf(1);
    const g = gang(2);
    const members = ['a', 'b'].map((id) => pod(id, 2, { gang: g }));
    expect(bindsOf(scheduler.step(1, seen(...members), 100)).size).toBe(2);
    const bound = onMachine(members[0] as SeenPod);
    const thief = pod('thief', 1, { machine: 'm0', isOurs: false });
    const failed = { kind: 'bind-failed', uid: 'b', why: 'refused' } as const;
    const result = scheduler.step(1000, [...seen(bound, thief), failed], 100);
    // What failed is left alone for a second.
    expect([result.commands, result.wakeAtMs]).toEqual([[], 2000]);
    expect(reasonsOf(scheduler.step(2000, [], 100).commands)).toEqual(['gang-no-room']);
    return { scheduler, members };
  }

  test('gives back what it holds when the bound is over, not before, and again while it is not gone', () => {
    const { scheduler } = parted();
    expect(evictedBy(scheduler.step(5999, [], 100))).toEqual([]);
    expect(evictedBy(scheduler.step(6000, [], 100))).toEqual(['a gang-incomplete']);
    expect(evictedBy(scheduler.step(10_999, [], 100))).toEqual([]);
    expect(evictedBy(scheduler.step(11_000, [], 100))).toEqual(['a gang-incomplete']);
    expect(evictedBy(scheduler.step(20_000, [{ kind: 'pod-gone', uid: 'a' }], 100))).toEqual([]);
  });

  test('is completed when there is room in time, before everything else', () => {
    const { scheduler, members } = parted();
    const urgent = ofPriority(pod('urgent', 2), 1000);
    const freed = scheduler.step(2500, [...seen(urgent), { kind: 'pod-gone', uid: 'thief' }], 100);
    expect(bindsOf(freed)).toEqual(new Map([['b', 'm0']]));
    const whole = members.map((each) => onMachine(each, true));
    expect(evictedBy(scheduler.step(3000, seen(...whole), 100))).toEqual([]);
    expect(evictedBy(scheduler.step(100_000, [], 100))).toEqual([]);
  });

  test('before this replica led is completed or given back as well', () => {
    const scheduler = schedulerOf(1);
    const g = gang(2);
    const bound = pod('a', 3, { gang: g, machine: 'm0', startedAtMs: 9000, createdAtMs: 1000 });
    scheduler.step(1, seen(bound, pod('b', 2, { gang: g, createdAtMs: 1000 })), 100);
    expect(evictedBy(scheduler.step(5001, [], 100))).toEqual(['a gang-incomplete']);
  });

  test('and lost a member after it had run has the time that members have to get ready', () => {
    const scheduler = schedulerOf(1);
    const g = gang(2);
    const bound = pod('a', 3, { gang: g, machine: 'm0', startedAtMs: 9000, isReady: true });
    scheduler.step(1, seen(bound, pod('b', 2, { gang: g, createdAtMs: 20_000 })), 100);
    expect(evictedBy(scheduler.step(60_000, [], 100))).toEqual([]);
    expect(evictedBy(scheduler.step(60_001, [], 100))).toEqual(['a gang-not-ready']);
  });
});

describe('Q1: a gang whose members do not get ready in time', () => {
  function started(): { scheduler: Scheduler; bound: SeenPod[] } {
    const scheduler = schedulerOf(1);
    const members = ['a', 'b'].map((id) => pod(id, 2, { gang: gang(2) }));
    scheduler.step(0, seen(...members), 100);
    const bound = members.map((each) => onMachine(each));
    scheduler.step(1000, seen(...bound), 100);
    return { scheduler, bound };
  }

  test('gives its cards back, and what they were held for is counted', () => {
    const { scheduler, bound } = started();
    scheduler.step(2000, seen(onMachine(bound[0] as SeenPod, true)), 100);
    expect(evictedBy(scheduler.step(60_999, [], 100))).toEqual([]);
    expect(evictedBy(scheduler.step(61_000, [], 100))).toEqual(['a gang-not-ready', 'b gang-not-ready']);
    scheduler.step(
      62_000,
      ['a', 'b'].map((uid) => ({ kind: 'pod-gone', uid })),
      100,
    );
    expect(scheduler.cardMsUnready).toBe(4 * 61_000);
  });

  test('keeps them once all are ready, though a member ends before the others', () => {
    const { scheduler, bound } = started();
    scheduler.step(3000, seen(...bound.map((each) => onMachine(each, true))), 100);
    expect(scheduler.cardMsUnready).toBe(4 * 2000);
    expect(scheduler.step(4000, [{ kind: 'pod-gone', uid: 'a' }], 100).wakeAtMs).toBeNull();
    expect(evictedBy(scheduler.step(1_000_000, [], 100))).toEqual([]);
  });
});

describe('P4: machines are kept for a gang', () => {
  /** Two machines, each with a pod of one card; a gang of two pods with four cards each waits since 1 s. */
  function waiting(): Scheduler {
    const scheduler = schedulerOf(2);
    const held = ['m0', 'm1'].map((machine) => pod(`on-${machine}`, 1, { machine }));
    const members = ['a', 'b'].map((id) => pod(id, 4, { gang: gang(2) }));
    scheduler.step(1000, seen(...held, ...members), 100);
    return scheduler;
  }
  const dueMs = 1000 + TIMES.gangReserveAfterMs;
  const small = pod('small', 1);

  test('that has waited long: others have no place there, and it starts when they are empty', () => {
    const scheduler = waiting();
    expect(scheduler.step(dueMs - 1, [], 100).wakeAtMs).toBe(dueMs);
    scheduler.step(dueMs, [], 100);
    expect(reasonsOf(scheduler.step(dueMs + 1, seen(small), 100).commands)).toEqual(['no-machine']);
    scheduler.step(dueMs + 2, [{ kind: 'pod-gone', uid: 'on-m0' }], 100);
    const last = scheduler.step(dueMs + 3, [{ kind: 'pod-gone', uid: 'on-m1' }], 100);
    expect([...bindsOf(last).keys()]).toEqual(['a', 'b']);
    expect(new Set(scheduler.world.placer?.book.reservedBy)).toEqual(new Set([-1]));
  });

  test('until the time is over', () => {
    const scheduler = waiting();
    scheduler.step(dueMs, [], 100);
    scheduler.step(dueMs + 1, seen(small), 100);
    const result = scheduler.step(dueMs + TIMES.gangReservedMs, [], 100);
    expect([...bindsOf(result).keys()]).toEqual(['small']);
  });

  test('until it goes', () => {
    const scheduler = waiting();
    scheduler.step(dueMs, seen(small), 100);
    const gone = scheduler.step(
      dueMs + 1,
      ['a', 'b'].map((uid) => ({ kind: 'pod-gone', uid })),
      100,
    );
    expect(bindsOf(gone).size + bindsOf(scheduler.step(dueMs + 2, [], 100)).size).toBe(1);
  });

  test('also when a machine changes and the book is made anew', () => {
    const scheduler = waiting();
    scheduler.step(dueMs, [], 100);
    const other = aMachine('m2').inRack('r9').cards(PRODUCTS.a100, 1).build();
    const moved = scheduler.step(dueMs + 1, [{ kind: 'machine', machine: other }, ...seen(pod('two', 2))], 100);
    expect(reasonsOf(moved.commands)).toContain('no-machine');
    expect([...bindsOf(scheduler.step(dueMs + 2, seen(small), 100)).values()]).toEqual(['m2']);
  });

  test('but not against what is more urgent', () => {
    const scheduler = waiting();
    scheduler.step(dueMs, [], 100);
    const urgent = ofPriority(small, 5);
    expect(scheduler.step(dueMs + 1, seen(urgent), 100).more).toBe(true);
    expect([...bindsOf(scheduler.step(dueMs + 2, [], 100)).keys()]).toEqual(['small']);
  });
});
