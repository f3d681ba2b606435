import type { ExpectedStart, JobRecord, JobRefusal, JobStanding } from '@springtide/core/model';
import type { SnapshotJob } from '@springtide/services/queue';
import type { Language } from '@springtide/wire/messages';
import {
  type FlavorOutlook,
  flavorOutlooks,
  jobAsked,
  type QueueOptions,
  queuesAt,
  type QueueWorld,
  startsOf,
} from '../../queues/index.ts';
import { EXIT, type ExitCode } from '../../terminal/index.ts';
import { jobAccountJson, jobAccountLines } from './job-account.ts';

interface JobQuestion {
  readonly path: string | undefined;
  readonly target: string;
  readonly language: Language;
  readonly options: QueueOptions & { readonly json?: boolean };
}

/** Everything there is to say about one queued job. */
export interface JobAccount {
  readonly job: SnapshotJob;
  /** Null: nothing is decided about it. */
  readonly record: JobRecord | null;
  /** It starts now, by what was just decided on the copy. */
  readonly isStarting: boolean;
  readonly refusal: JobRefusal | null;
  /** Null: it does not wait. */
  readonly standing: JobStanding | null;
  readonly start: ExpectedStart | null;
  readonly flavors: readonly FlavorOutlook[];
}

/** The answer is no when the job waits, or can never start. */
export async function explainJob({ path, target, language, options }: JobQuestion): Promise<ExitCode> {
  const world = await queuesAt(path, options, language);
  const account = jobAccountOf(world, jobAsked(world, target, language));
  const text =
    options.json === true
      ? JSON.stringify(jobAccountJson(world, account), null, 1)
      : jobAccountLines(world, account, language).join('\n');
  process.stdout.write(`${text}\n`);
  return account.job.job === null || account.standing !== null || account.refusal !== null ? EXIT.no : EXIT.done;
}

/** O(flavors x worlds) where it waits. */
function jobAccountOf(world: QueueWorld, job: SnapshotJob): JobAccount {
  const { id } = job;
  const own = world.commands.findLast((command) => 'job' in command && command.job === id);
  const event = world.moment.events.find((each) => each.kind === 'job' && each.job.workload.id === id);
  const kept = event?.kind === 'job' ? event.record : null;
  const record = own !== undefined && 'record' in own ? own.record : kept;
  const standing = world.admission.standing(id);
  const isQueued = standing !== null && job.job !== null;
  return {
    job,
    record,
    isStarting: own?.kind === 'admit',
    refusal: own?.kind === 'refuse' ? own.refusal : null,
    standing,
    start: isQueued ? (startsOf(world, [id]).get(id) ?? null) : null,
    flavors: isQueued ? flavorOutlooks(world, job.job) : [],
  };
}
