import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JobRecord, QueuedJob, QuotaSpecs } from '@springtide/core/model';
import {
  aCell,
  aCohort,
  aFlavor,
  aMachine,
  aQueue,
  aQueuedJob,
  aRequest,
  PRODUCTS,
} from '@springtide/testkit/builders';
import { forAll } from '@springtide/testkit/property';
import { Admission, ADMISSION_DEFAULTS, type AdmissionCommand, type AdmissionEvent } from './index.ts';

const OPTIONS = {
  ...ADMISSION_DEFAULTS,
  backfill: 'none' as const,
  quantumMs: 5000,
  readyMs: 20_000,
  backOffMs: 3000,
  evictionsMax: 2,
};
const CARDS = 4;
const MACHINES = ['m0', 'm1', 'm2'].map((id) => aMachine(id).cards(PRODUCTS.a100, CARDS).build());
/** `own` owns more than it uses, `poor` lives of what is lent, `alone` is strict and has a root of its own. */
const SPECS: QuotaSpecs = {
  flavors: [aFlavor('a100')],
  cohorts: [aCohort('c')],
  queues: [
    aQueue('own', [aCell('a100', 'cards', 6, { borrowingLimit: 2 })], { cohort: 'c' }),
    aQueue('poor', [aCell('a100', 'cards', 2)], { cohort: 'c' }),
    aQueue('alone', [aCell('a100', 'cards', 5)], { strategy: 'strict' }),
  ],
};

type Deed =
  | {
      readonly deed: 'submit';
      readonly queue: string;
      readonly pods: number;
      readonly cards: number;
      readonly priority: number;
      readonly isPreemptible: boolean;
    }
  | { readonly deed: 'end' | 'cancel' | 'fail'; readonly which: number }
  | { readonly deed: 'wait'; readonly ms: number }
  | { readonly deed: 'machine'; readonly which: number };

const deeds: fc.Arbitrary<readonly Deed[]> = fc.array(
  fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({
        deed: fc.constant('submit' as const),
        queue: fc.constantFrom('own', 'poor', 'alone'),
        pods: fc.integer({ min: 1, max: 3 }),
        cards: fc.integer({ min: 1, max: CARDS }),
        priority: fc.integer({ min: 0, max: 2 }),
        isPreemptible: fc.boolean(),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        deed: fc.constantFrom('end' as const, 'cancel' as const, 'fail' as const),
        which: fc.nat(),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({ deed: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 12_000 }) }),
    },
    { weight: 1, arbitrary: fc.record({ deed: fc.constant('machine' as const), which: fc.nat() }) },
  ),
  { maxLength: 30 },
);

/** A cluster that carries orders out late, loses them or never, as the faults say, and checks what it is told. */
class Cluster {
  admission = new Admission(OPTIONS);
  readonly jobs = new Map<string, QueuedJob>();
  readonly records = new Map<string, JobRecord>();
  /** Incarnations that run, by job. */
  readonly running = new Map<string, number>();
  readonly starts = new Map<string, Set<number>>();
  readonly gone = new Set<string>();
  readonly #stopping = new Map<string, { incarnation: number; atMs: number }>();
  #faults: readonly number[];
  #at = 0;
  nowMs = 0;
  #next = 0;

  constructor(faults: readonly number[]) {
    this.#faults = faults;
    this.step([{ kind: 'quota', specs: SPECS }, ...MACHINES.map((machine) => ({ kind: 'machine' as const, machine }))]);
  }

  do(deed: Deed): void {
    if (deed.deed === 'wait') this.nowMs += deed.ms;
    this.step([...this.#due(), ...this.#eventsOf(deed)]);
  }

  /** From now on every order is carried out at once; lets everything come to rest. */
  settle(): void {
    this.#faults = [];
    for (let i = 0; i < 12; i += 1) {
      this.nowMs += 5000;
      this.step(this.#due());
    }
  }

  #eventsOf(deed: Deed): AdmissionEvent[] {
    if (deed.deed === 'submit') return [this.#submit(deed)];
    if (deed.deed === 'machine') return this.#flip(MACHINES[deed.which % MACHINES.length]?.id ?? '');
    if (deed.deed === 'wait') return [];
    const ids = [...(deed.deed === 'cancel' ? this.records.keys() : this.running.keys())];
    const job = ids[deed.which % Math.max(1, ids.length)];
    if (job === undefined) return [];
    const incarnation = this.running.get(job) ?? 0;
    if (deed.deed === 'fail') return [{ kind: 'job-failed', job, incarnation, avoids: ['m0'], retryAtMs: 0 }];
    this.running.delete(job);
    this.#stopping.delete(job);
    if (deed.deed === 'cancel') return [{ kind: 'job-cancelled', job }];
    return [{ kind: 'job-ended', job, incarnation, isFailed: false }];
  }

  #submit({ queue, pods, cards, priority, isPreemptible }: Deed & { deed: 'submit' }): AdmissionEvent {
    const id = `j${this.#next++}`;
    const each = aRequest().cpuMilli(100).whole(cards);
    const job = aQueuedJob(id, queue, { count: pods, each }, { priority, isPreemptible, submittedAtMs: this.nowMs });
    this.jobs.set(id, job);
    return { kind: 'job', job, record: null };
  }

  #flip(id: string): AdmissionEvent[] {
    if (this.gone.delete(id))
      return MACHINES.filter((machine) => machine.id === id).map((machine) => ({ kind: 'machine', machine }));
    this.gone.add(id);
    return [{ kind: 'machine-gone', id }];
  }

  #due(): AdmissionEvent[] {
    const events: AdmissionEvent[] = [];
    for (const [job, { incarnation, atMs }] of this.#stopping) {
      if (atMs > this.nowMs) continue;
      this.#stopping.delete(job);
      this.running.delete(job);
      events.push({ kind: 'job-stopped', job, incarnation });
    }
    return events;
  }

  step(events: readonly AdmissionEvent[]): void {
    let pending = events;
    for (let round = 0; round < 30; round += 1) {
      const { commands, more } = this.admission.step(this.nowMs, pending, 100);
      this.#check(commands);
      if (commands.length === 0 && !more) return;
      pending = commands.flatMap((command) => this.#carryOut(command));
    }
    throw new Error('it does not come to rest');
  }

  /** What one step orders. */
  #check(commands: readonly AdmissionCommand[]): void {
    for (const command of commands) {
      if ('record' in command) this.records.set(command.job, command.record);
      if (command.kind === 'suspend') {
        // I10: nobody is evicted but for a job whose place is kept in the same step.
        expect(
          commands.some(({ kind, ...rest }) => kind === 'reserve' && 'job' in rest && rest.job === command.by),
        ).toBe(true);
        expect(this.jobs.get(command.job)?.isPreemptible).toBe(true);
        expect(command.record.evictions).toBeLessThan(OPTIONS.evictionsMax);
        expect(this.nowMs - (command.record.startedAtMs ?? 0)).toBeGreaterThanOrEqual(OPTIONS.quantumMs);
      }
      if (command.kind === 'admit') this.#checkAdmission(command);
    }
  }

  #checkAdmission({ job, record, podSets }: AdmissionCommand & { kind: 'admit' }): void {
    const asked = this.jobs.get(job)?.workload.podSets[0]?.count;
    // I3: all pods have a machine, and one that is there.
    expect(podSets[0]?.machines).toHaveLength(asked ?? 0);
    expect(podSets[0]?.machines.some((machine) => this.gone.has(machine))).toBe(false);
    // I6: no start twice, and none while the former runs.
    expect(this.running.has(job)).toBe(false);
    const starts = this.starts.get(job) ?? new Set();
    expect(starts.has(record.incarnation)).toBe(false);
    this.starts.set(job, starts.add(record.incarnation));
  }

  #carryOut(command: AdmissionCommand): AdmissionEvent[] {
    if (command.kind === 'admit') {
      const {
        job,
        record: { incarnation },
      } = command;
      const fault = this.#fault();
      if (fault === 1) return [{ kind: 'order-failed', job, incarnation, order: 'admit' }];
      this.running.set(job, incarnation);
      // 2: its pods never come to be ready.
      return fault === 2 ? [] : [{ kind: 'job-ready', job, incarnation }];
    }
    if (command.kind === 'suspend' || command.kind === 'evict') {
      const {
        job,
        record: { incarnation },
      } = command;
      const fault = this.#fault();
      if (fault !== 3 && !this.#stopping.has(job))
        this.#stopping.set(job, { incarnation, atMs: this.nowMs + (fault === 0 ? 0 : 4000) });
      return this.#due();
    }
    if (command.kind !== 'resume') return [];
    const {
      job,
      record: { incarnation },
    } = command;
    this.#stopping.delete(job);
    return [{ kind: 'job-ready', job, incarnation }];
  }

  #fault(): number {
    return this.#faults[this.#at++ % Math.max(1, this.#faults.length)] ?? 0;
  }

  cardsOf(id: string): number {
    const [set] = this.jobs.get(id)?.workload.podSets ?? [];
    return (set?.count ?? 0) * (set?.request.cards.kind === 'whole' ? set.request.cards.count : 0);
  }

  /** I1 and I4 on what runs: no machine holds more than it has, no queue more than it may. */
  checkUse(): void {
    const onMachine = new Map<string, number>();
    const ofQueue = new Map<string, number>();
    for (const [id, { state, podSets }] of this.records) {
      if (state !== 'admitted' && state !== 'running' && state !== 'suspending') continue;
      const queue = this.jobs.get(id)?.workload.queue ?? '';
      ofQueue.set(queue, (ofQueue.get(queue) ?? 0) + this.cardsOf(id));
      const each = this.cardsOf(id) / (podSets[0]?.machines.length ?? 1);
      for (const machine of podSets[0]?.machines ?? []) onMachine.set(machine, (onMachine.get(machine) ?? 0) + each);
    }
    for (const [machine, cards] of onMachine) if (!this.gone.has(machine)) expect(cards).toBeLessThanOrEqual(CARDS);
    const [own = 0, poor = 0, alone = 0] = ['own', 'poor', 'alone'].map((queue) => ofQueue.get(queue));
    expect([own <= 8, poor <= 8, own + poor <= 8, alone <= 5]).toEqual([true, true, true, true]);
  }

  /** Another admission that is told only what was kept with the jobs. */
  restarted(): Admission {
    const next = new Admission(OPTIONS);
    const here = MACHINES.filter(({ id }) => !this.gone.has(id));
    const events: AdmissionEvent[] = [
      { kind: 'quota', specs: SPECS },
      ...here.map((machine) => ({ kind: 'machine' as const, machine })),
    ];
    for (const [id, job] of this.jobs) events.push({ kind: 'job', job, record: this.records.get(id) ?? null });
    next.step(this.nowMs, events, 0);
    return next;
  }
}

describe('admission under faults', () => {
  test('I1, I3, I4, I6, I10, I11: holds the invariants, and comes to rest', () => {
    forAll(
      fc.record({ deeds, faults: fc.array(fc.constantFrom(0, 0, 0, 1, 2, 3, 4), { maxLength: 12 }) }),
      ({ deeds: list, faults }) => {
        const cluster = new Cluster(faults);
        for (const deed of list) {
          cluster.do(deed);
          cluster.checkUse();
        }
        cluster.settle();
        cluster.checkUse();
        // I2: every job is somewhere, and whoever runs is known to.
        for (const [id, record] of cluster.records) {
          expect(cluster.running.has(id)).toBe(record.state === 'running' || record.state === 'admitted');
          expect(record.evictions).toBeLessThanOrEqual(OPTIONS.evictionsMax);
        }
      },
    );
  });

  test('I14: one that is started anew, with what was kept with the jobs, decides nothing that was not decided', () => {
    forAll(fc.record({ deeds }), ({ deeds: list }) => {
      const cluster = new Cluster([]);
      for (const deed of list) cluster.do(deed);
      cluster.settle();
      const { commands } = cluster.restarted().step(cluster.nowMs, [], 1000);
      expect(commands).toEqual([]);
    });
  });
});
