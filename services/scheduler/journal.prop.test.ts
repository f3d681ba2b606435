import * as fc from 'fast-check';
import type { SchedulerCommand, SchedulerEvent, SeenPod } from '@springtide/core/scheduler';
import { aMachine, aPod, aRequest, aSeenPod, inGang, PRODUCTS } from '@springtide/testkit/builders';
import { forAll } from '@springtide/testkit/property';
import { expect, test } from 'vitest';
import { type Dump, DUMP_FORMAT, DUMP_VERSION, dumpLines, DumpReader, RecordedScheduler, replayed } from './index.ts';

const OPTIONS = {
  assumedMs: 1000,
  gangReadyMs: 4000,
  gangPartMs: 2000,
  gangReserveAfterMs: 1500,
  gangReservedMs: 3000,
  nominationMs: 500,
};

const deeds = fc.array(
  fc.record({
    deed: fc.constantFrom('pod', 'pod', 'pod', 'pod', 'machine', 'machine-gone', 'finish', 'look', 'follow', 'budget'),
    which: fc.nat(7),
    cards: fc.integer({ min: 1, max: 3 }),
    cpuMilli: fc.constantFrom(100, 250, 1000),
    members: fc.constantFrom(1, 1, 1, 2, 3),
    priority: fc.constantFrom(0, 0, 1),
    waitMs: fc.constantFrom(0, 1, 600, 1500),
    /** What becomes of the binds of the step: seen, refused, or not heard of. */
    fate: fc.constantFrom('seen', 'seen', 'seen', 'refused', 'lost'),
  }),
  { maxLength: 40 },
);

type Deed = typeof deeds extends fc.Arbitrary<readonly (infer D)[]> ? D : never;

/** A cluster that answers a scheduler under record. */
class Stage {
  readonly scheduler: RecordedScheduler;
  readonly decided: SchedulerCommand[][] = [];
  readonly #pods = new Map<string, SeenPod>();
  #nowMs = 0;
  #next = 0;

  constructor(weightMax: number) {
    this.scheduler = new RecordedScheduler(OPTIONS, weightMax);
  }

  do(deed: Deed): void {
    this.#nowMs += deed.waitMs;
    const events = this.#eventsOf(deed);
    if (deed.deed === 'follow') return this.scheduler.observe(this.#eventsOf({ ...deed, deed: 'pod' }));
    this.#step(events, deed);
  }

  #step(events: readonly SchedulerEvent[], deed: Deed): void {
    const { commands } = this.scheduler.step(this.#nowMs, events, 3);
    this.decided.push([...commands]);
    const answers = commands.flatMap((command) => this.#answer(command, deed));
    if (answers.length > 0) this.#step(answers, { ...deed, fate: 'seen' });
  }

  #answer(command: SchedulerCommand, { fate }: Deed): SchedulerEvent[] {
    if (command.kind === 'confirm') return [{ kind: 'bind-failed', uid: command.uid, why: 'unknown' }];
    if (command.kind === 'evict') return [this.#remove(command.uid)];
    if (command.kind !== 'bind' || fate === 'lost') return [];
    if (fate === 'refused') return [{ kind: 'bind-failed', uid: command.uid, why: 'refused' }];
    return [this.#see({ ...(this.#pods.get(command.uid) as SeenPod), machine: command.machine })];
  }

  #eventsOf({ deed, which, cards, cpuMilli, members, priority }: Deed): SchedulerEvent[] {
    const id = `m${which % 4}`;
    switch (deed) {
      case 'machine':
        return [
          {
            kind: 'machine',
            machine: aMachine(id)
              .cards(PRODUCTS.a100, cards + 1)
              .build(),
          },
        ];
      case 'machine-gone':
        return [{ kind: 'machine-gone', id }];
      case 'finish': {
        const uid = [...this.#pods.keys()][which];
        return uid === undefined ? [] : [this.#remove(uid)];
      }
      case 'budget':
        return [{ kind: 'budgets', exhausted: new Set(which % 2 === 0 ? [`p${which}`] : []) }];
      case 'look':
        this.scheduler.book();
        return [];
      default: {
        const gang = members > 1 ? inGang(`g${this.#next}`, members === 3 ? Infinity : members) : null;
        return Array.from({ length: members }, () => {
          const pod = aPod(`p${this.#next++}`)
            .asking(aRequest().cpuMilli(cpuMilli).whole(cards))
            .build();
          return this.#see(aSeenPod({ ...pod, priority }, { createdAtMs: this.#nowMs, gang }));
        });
      }
    }
  }

  #see(seen: SeenPod): SchedulerEvent {
    this.#pods.set(seen.uid, seen);
    return { kind: 'pod', seen };
  }

  #remove(uid: string): SchedulerEvent {
    this.#pods.delete(uid);
    return { kind: 'pod-gone', uid };
  }
}

/** A dump of what is recorded, written, read, and whole. */
function writtenAndRead(scheduler: RecordedScheduler): Dump {
  const format = { format: DUMP_FORMAT, version: DUMP_VERSION, program: '0', schedulerName: 's' } as const;
  const head = { ...format, madeAtMs: 0, options: OPTIONS, facts: {} as Dump['head']['facts'] };
  const reader = new DumpReader();
  for (const line of dumpLines({ head, recording: scheduler.recording() })) {
    expect(reader.add(line.slice(0, -1))).toBe(null);
  }
  const dump = reader.dump();
  if (!dump.ok) throw new Error(dump.error);
  return dump.value;
}

test('O7: what was recorded, written and read is decided again step by step, whenever the journal began anew', () => {
  forAll(fc.record({ steps: deeds, weightMax: fc.constantFrom(5, 20, 1000) }), ({ steps, weightMax }) => {
    const stage = new Stage(weightMax);
    for (const step of steps) stage.do(step);
    const again = [...replayed(writtenAndRead(stage.scheduler).recording)];
    expect(again.filter(({ isSame }) => !isSame)).toEqual([]);
    const recorded = stage.decided.slice(stage.decided.length - again.length);
    expect(again.map(({ decided }) => decided)).toEqual(recorded);
    if (weightMax === 1000) expect(again).toHaveLength(stage.decided.length);
  });
});
