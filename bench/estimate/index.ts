import {
  admissionOutlookOf,
  adviceOn,
  Calibration,
  outlookOf,
  type QueueSnapshot,
  type WaitForecast,
} from '@springtide/core/estimate';
import { RunTimeHistory } from '@springtide/core/forecast';
import { mulberry32 } from '@springtide/core/base';
import { snapshotOf, TraceTraits } from '@springtide/lab/estimates';
import { WaitingLine, type QueueJob } from '@springtide/lab/queues';
import { aFlavor } from '@springtide/testkit/builders';
import { adviceText } from '@springtide/wire/reasons';
import { type Bound, holds, writeResult } from '../report.ts';
import { admissionScene } from './admission-scene.ts';

const MACHINES = 1000;
const RUNNING = 3000;
const QUEUED = 10_000;
const CARDS = [1, 1, 1, 1, 1, 2, 2, 4, 4, 8, 8, 16, 32] as const;
const QUESTIONS = 1000;
const ANSWER_MS_MAX = 50;
const HOUR_MS = 3_600_000;

/** CPU milliseconds of what is done, and what it gives. */
function timed<T>(work: () => T): { readonly cpuMs: number; readonly value: T } {
  const before = process.cpuUsage();
  const value = work();
  const { user, system } = process.cpuUsage(before);
  return { cpuMs: (user + system) / 1000, value };
}

/** A full cluster with so many jobs waiting, and a history of jobs that ran before. */
function scene(): { readonly snapshot: QueueSnapshot<number>; readonly history: RunTimeHistory } {
  const random = mulberry32(1);
  const [line, history, traits] = [new WaitingLine('any', MACHINES), new RunTimeHistory(), new TraceTraits()];
  const jobOf = (index: number): QueueJob => ({
    index,
    submittedAtMs: index * 1000,
    runTimeMs: Math.round(60_000 * 1000 ** random.unit()),
    cards: CARDS[random.below(CARDS.length)] as number,
    tenant: `tenant ${random.below(50)}`,
  });
  for (let i = 0; i < RUNNING + QUEUED; i += 1) {
    const job = jobOf(i);
    const { submittedAtMs, runTimeMs } = job;
    history.started(`past ${i}`, traits.of(job), submittedAtMs, submittedAtMs);
    history.ended(`past ${i}`, submittedAtMs + runTimeMs);
    line.submit({ job, rank: 0, expectedMs: runTimeMs, runTimeMs: HOUR_MS * 1000 });
    if (i < RUNNING) for (const run of line.start(submittedAtMs)) startedIn(history, traits, run.job, submittedAtMs);
  }
  const nowMs = (RUNNING + QUEUED) * 1000;
  for (const run of line.start(nowMs)) startedIn(history, traits, run.job, nowMs);
  return { snapshot: snapshotOf(line, nowMs, traits), history };
}

function startedIn(history: RunTimeHistory, traits: TraceTraits, job: QueueJob, nowMs: number): void {
  history.started(String(job.index), traits.of(job), job.submittedAtMs, nowMs);
}

/** What an outlook of the real admission costs with as many jobs, how many are told a start, and how far it is played. */
function playAdmission(): object {
  const { moment, waiting, running, history } = admissionScene({
    machines: MACHINES,
    jobs: RUNNING + QUEUED,
    cards: CARDS,
  });
  const { cpuMs, value } = timed(() => admissionOutlookOf(moment, waiting, { history }));
  const told = waiting.filter((id) => value.waitOf(id)?.p50Ms !== Infinity).length;
  const { reachMs } = value;
  console.log(
    `the real admission, ${waiting.length} waiting, ${running} running: the outlook ${(cpuMs / 1000).toFixed(1)} s of CPU, ${told} told a start, the others later than ${(reachMs / HOUR_MS).toFixed(2)} h`,
  );
  return { waiting: waiting.length, running, outlookMs: cpuMs, told, reachMs };
}

/**
 * What one answer costs at 10,000 queued jobs (Q5): CPU of an answer from an outlook that is there, told in both
 * languages with three flavors; and CPU of the outlook itself, which is made beside the answers and shared by all.
 */
export function estimate(): Promise<boolean> {
  const { snapshot, history } = scene();
  const kinds: readonly number[] = [...new Set(CARDS)];
  const asked = new Set(snapshot.waiting.map(({ id }) => id));
  const making = timed(() => outlookOf({ snapshot, history, kinds, asked, effortMax: Infinity, mayGoOn: () => true }));
  const calibration = new Calibration();
  for (const { id } of snapshot.waiting) {
    calibration.told(id, making.value.waitOf(id) as WaitForecast, snapshot.nowMs);
  }
  const flavors = ['A100', 'H100', 'L40S'].map((id, i) => aFlavor(id, { priceMicrosPerCardHour: i * 1_000_000 }));
  const answersMs = Array.from({ length: QUESTIONS }, (_, i) => {
    const cards = kinds[i % kinds.length] as number;
    const { cpuMs } = timed(() => {
      const wait = calibration.corrected(making.value.waitOfKind(cards) as WaitForecast, snapshot.nowMs);
      const options = flavors.map((flavor) => ({ flavor, cards, isPlaced: false, wait, madeAtMs: snapshot.nowMs }));
      const advice = adviceOn(options, snapshot.nowMs);
      return adviceText(advice, 'zh') + adviceText(advice, 'en');
    });
    return cpuMs;
  });
  const mostMs = Math.max(...answersMs);
  const meanMs = answersMs.reduce((sum, each) => sum + each, 0) / QUESTIONS;
  const { waiting, running } = snapshot;
  console.log(
    `${waiting.length} waiting, ${running.length} running on ${MACHINES} machines: an answer ${meanMs.toFixed(3)} ms of CPU, at most ${mostMs.toFixed(1)}; the outlook ${(making.cpuMs / 1000).toFixed(1)} s of CPU`,
  );
  const played = playAdmission();
  const bounds: Bound[] = [
    { figure: 'CPU milliseconds of the slowest of 1,000 answers', value: mostMs, max: ANSWER_MS_MAX },
    { figure: 'jobs that wait', value: waiting.length, min: 9000 },
  ];
  writeResult('estimate', {
    waiting: waiting.length,
    running: running.length,
    meanMs,
    mostMs,
    outlookMs: making.cpuMs,
    admission: played,
  });
  return Promise.resolve(holds(bounds));
}
