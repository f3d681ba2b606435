import { mulberry32, type Random } from '@springtide/core/base';
import { ADMISSION_DEFAULTS, type AdmissionOptions } from '@springtide/core/admission';
import type { CohortSpec, QueuedJob, QueueSpec, QuotaSpecs } from '@springtide/core/model';
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
import { AdmissionHost } from './host.ts';
import { AdmissionWorld, NO_FAULTS } from './world.ts';

const CARDS_OF_MACHINE = 4;
const QUEUES = ['blue', 'green', 'red'];

/** What a schedule came to. */
export interface Played {
  readonly broken: readonly string[];
  readonly evictions: number;
  readonly starts: number;
  readonly done: number;
}

/**
 * One schedule from a seed: a few machines and queues, jobs that come, are cancelled or submitted twice, quota that is
 * edited, machines that go, and a host that is started anew; then everything is well, and all has to come to an end.
 */
export function play(seed: number): Played {
  const random = mulberry32(seed);
  const world = new AdmissionWorld(random);
  const machines = 2 + random.below(3);
  const cards = machines * CARDS_OF_MACHINE;
  for (let n = 0; n < machines; n += 1) world.addMachine(machineOf(n));
  const host = new AdmissionHost(world, someOptions(random), someSpecs(random, cards));
  host.work = 1 + random.below(20);
  world.faults = someFaults(random);
  const jobs = 4 + random.below(12);
  for (let n = 0, step = 0; n < jobs || step < 30; step += 1) {
    if (n < jobs && random.below(3) > 0) {
      world.submit(someJob(random, { n, machines, submittedAtMs: world.nowMs }), 1000 * (1 + random.below(300)));
      n += 1;
    }
    disturb(host, random, { machines, cards });
    host.passTo(world.nowMs + random.below(40_000));
  }
  settle(host, machines);
  const { broken, evictions, starts } = host.watch;
  const done = [...world.jobs.values()].filter(({ outcome }) => outcome === 'done').length;
  return { broken, evictions, starts, done };
}

/** Nothing goes wrong any more, and all that was not refused or cancelled comes to its end (I2, I11). */
function settle(host: AdmissionHost, machines: number): void {
  const { world, specs } = host;
  world.faults = NO_FAULTS;
  for (let n = 0; n < machines; n += 1) if (!world.machines.has(`m${n}`)) world.addMachine(machineOf(n));
  const cells = [aCell('a100', 'cards', machines * CARDS_OF_MACHINE)];
  const queues = specs.queues.map((queue) => Object.assign({}, queue, { cells }));
  host.edit({ ...specs, queues });
  const endMs = world.nowMs + END_MS;
  const isOver = (): boolean => [...world.jobs.values()].every(({ outcome }) => outcome !== null);
  while (!isOver() && world.nowMs < endMs) host.passTo(world.nowMs + SETTLED_MS);
  host.passTo(world.nowMs + SETTLED_MS);
  for (const [id, { outcome, record }] of world.jobs) {
    if (outcome === null) {
      const why = JSON.stringify(host.admission.standing(id)?.wait ?? null);
      host.watch.fail(`I11: ${id} is ${record?.state ?? 'unknown'} and never ends: ${why}`);
    }
    const state = record?.state;
    const wanted = outcome === 'refused' ? 'failed' : outcome;
    // Nobody keeps anything of what was deleted.
    if (outcome !== null && outcome !== 'cancelled' && state !== wanted)
      host.watch.fail(`I2: ${id} is ${outcome} and kept as ${state ?? 'unknown'}`);
  }
}

/** All jobs one after the other, each with back-off, several times over. */
const END_MS = 4 * 3_600_000;
/** Long enough for what has happened to be told and kept. */
const SETTLED_MS = 120_000;

function disturb(host: AdmissionHost, random: Random, { machines, cards }: { machines: number; cards: number }): void {
  const { world } = host;
  const ids = [...world.jobs.keys()];
  const id = ids[random.below(Math.max(1, ids.length))];
  const what = random.below(24);
  if (what === 0 && id !== undefined) world.cancel(id);
  if (what === 1 && id !== undefined) world.submit((world.jobs.get(id) as { job: QueuedJob }).job, 0);
  if (what === 2) host.edit(someSpecs(random, cards));
  if (what === 3) host.edit({ ...host.specs, cohorts: [aCohort('a', { parent: 'b' }), aCohort('b', { parent: 'a' })] });
  if (what === 4) host.restart();
  if (what === 5) world.loseMachine(`m${random.below(machines)}`);
  if (what === 6 || what === 7) {
    const lost = `m${random.below(machines)}`;
    if (!world.machines.has(lost)) world.addMachine(machineOf(Number(lost.slice(1))));
  }
}

function machineOf(n: number) {
  return aMachine(`m${n}`).cards(PRODUCTS.a100, CARDS_OF_MACHINE).build();
}

function someSpecs(random: Random, cards: number): QuotaSpecs {
  let left = cards;
  const cohorts: CohortSpec[] = [aCohort('all'), aCohort('some', { parent: 'all' })];
  const queues = QUEUES.map((id, index): QueueSpec => {
    const nominal = index === QUEUES.length - 1 ? left : random.below(left + 1);
    left -= nominal;
    const limit = (): number | null => (random.below(4) === 0 ? random.below(cards) : null);
    const cell = aCell('a100', 'cards', nominal, { borrowingLimit: limit(), lendingLimit: limit() });
    return aQueue(id, [cell], {
      cohort: random.below(3) === 0 ? 'some' : 'all',
      strategy: random.below(2) === 0 ? 'strict' : 'best-effort',
      workClass: random.below(6) === 0 ? 'online' : 'training',
      preemption: {
        withinQueue: (['none', 'lower-priority', 'lower-or-newer-equal-priority'] as const)[random.below(3)] ?? 'none',
        reclaimWithinCohort: (['none', 'lower-priority', 'any'] as const)[random.below(3)] ?? 'none',
        borrowWithinCohort: (['none', 'lower-priority'] as const)[random.below(2)] ?? 'none',
        borrowMaxPriority: null,
      },
    });
  });
  return { flavors: [aFlavor('a100')], cohorts, queues };
}

interface Submission {
  readonly n: number;
  readonly machines: number;
  readonly submittedAtMs: number;
}

/** Of a size that the machines have room for when they are all empty. */
function someJob(random: Random, { n, machines, submittedAtMs }: Submission): QueuedJob {
  const count = 1 + random.below(machines);
  const each = aRequest().whole(1 + random.below(CARDS_OF_MACHINE));
  const queue = QUEUES[random.below(QUEUES.length)] as string;
  return aQueuedJob(
    `j${n}`,
    queue,
    { count, each },
    {
      submittedAtMs,
      priority: random.below(3),
      isPreemptible: random.below(5) > 0,
      minCounts: new Map(random.below(5) === 0 ? [['worker', 1]] : []),
      expectedRunMs: random.below(2) === 0 ? null : 1000 * (1 + random.below(300)),
      deadlineMs: random.below(5) === 0 ? submittedAtMs + 1000 * (1 + random.below(1000)) : null,
    },
  );
}

function someOptions(random: Random): AdmissionOptions {
  return {
    ...ADMISSION_DEFAULTS,
    placesPods: random.below(4) > 0,
    backfill: (['none', 'easy', 'conservative'] as const)[random.below(3)] ?? 'none',
    readyMs: 60_000,
    graceMs: 15_000,
    stopMs: 10_000,
    quantumMs: random.below(3) * 20_000,
    evictionsMax: 1 + random.below(8),
    backOffMs: 5000,
    backOffMaxMs: 60_000,
    unknownRunMs: 120_000,
  };
}

function someFaults(random: Random) {
  const seldom = (): number => (random.below(2) === 0 ? 0 : random.below(150));
  return {
    orderFailed: seldom(),
    stopLost: seldom(),
    neverReady: seldom(),
    checkpointFailed: seldom(),
    repeated: seldom(),
    late: seldom(),
  };
}
