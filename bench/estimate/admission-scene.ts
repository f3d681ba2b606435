import { type AdmissionEvent, ADMISSION_DEFAULTS } from '@springtide/core/admission';
import { mulberry32 } from '@springtide/core/base';
import { type AdmissionMoment, settledAdmission, traitsOf } from '@springtide/core/estimate';
import { RunTimeHistory } from '@springtide/core/forecast';
import { type JobRecord, newRecord, type QueuedJob } from '@springtide/core/model';
import { aCardJob, aCardQueue, FLAVORS } from '@springtide/testkit/admission';
import { aCohort, aMachine, PRODUCTS } from '@springtide/testkit/builders';

const QUEUES = 50;
const COHORTS = 10;

export interface AdmissionScene {
  readonly moment: AdmissionMoment;
  readonly history: RunTimeHistory;
  readonly waiting: readonly string[];
  readonly running: number;
}

export interface SceneSize {
  readonly machines: number;
  readonly jobs: number;
  readonly cards: readonly number[];
}

/** The real admission of a full cluster: jobs come one a second to queues of cohorts, and most have to wait. */
export function admissionScene({ machines, jobs, cards }: SceneSize): AdmissionScene {
  const random = mulberry32(2);
  const history = new RunTimeHistory();
  const cohorts = Array.from({ length: COHORTS }, (_, i) => aCohort(`c${i}`));
  const own = Math.floor((machines * 8) / QUEUES);
  const queues = Array.from({ length: QUEUES }, (_, i) => aCardQueue(`q${i}`, own, { cohort: `c${i % COHORTS}` }));
  const world: AdmissionEvent[] = [{ kind: 'quota', specs: { flavors: FLAVORS, cohorts, queues } }];
  for (let i = 0; i < machines; i += 1) {
    world.push({ kind: 'machine', machine: aMachine(`m${i}`).cards(PRODUCTS.a100, 8).build() });
  }
  const all: QueuedJob[] = Array.from({ length: jobs }, (_, i) => {
    const submittedAtMs = i * 1000;
    const job = aCardJob(`j${i}`, cards[random.below(cards.length)] as number, {
      queue: `q${random.below(QUEUES)}`,
      submittedAtMs,
    });
    history.started(`past ${i}`, traitsOf(job), submittedAtMs, submittedAtMs);
    history.ended(`past ${i}`, submittedAtMs + Math.round(60_000 * 1000 ** random.unit()));
    return job;
  });
  const nowMs = jobs * 1000;
  const records = startedOf({ nowMs, options: ADMISSION_DEFAULTS, events: [...world, ...all.map(submitted)] });
  const known = all.map((job): AdmissionEvent => {
    return { kind: 'job', job, record: records.get(job.workload.id) ?? newRecord(job.submittedAtMs) };
  });
  for (const job of all) {
    const { id } = job.workload;
    if (records.has(id)) history.started(id, traitsOf(job), job.submittedAtMs, nowMs - random.below(3_600_000));
  }
  return {
    moment: { nowMs, options: ADMISSION_DEFAULTS, events: [...world, ...known] },
    history,
    waiting: all.flatMap(({ workload: { id } }) => (records.has(id) ? [] : [id])),
    running: records.size,
  };
}

function submitted(job: QueuedJob): AdmissionEvent {
  return { kind: 'job', job, record: null };
}

/** Those that start of all that come. */
function startedOf(moment: AdmissionMoment): Map<string, JobRecord> {
  const { commands } = settledAdmission(moment);
  return new Map(
    commands.flatMap((command): [string, JobRecord][] =>
      command.kind === 'admit' ? [[command.job, { ...command.record, state: 'running' }]] : [],
    ),
  );
}
