import type { JobRecord, JobStanding } from '@springtide/core/model';
import { type Language, message } from '@springtide/wire/messages';
import {
  adviceText,
  jobChangeText,
  jobLeaveText,
  jobRefusalText,
  jobWaitText,
  momentText,
  startText,
} from '@springtide/wire/reasons';
import { comma, indented } from '../../cluster/index.ts';
import { flavorJson, jobNameOf, type QueueWorld, runsText } from '../../queues/index.ts';
import type { JobAccount } from './job.ts';

/** Machines that are named. */
const MACHINES_TOLD = 8;

/** The account as JSON: a stable interface. */
export function jobAccountJson({ moment, runs }: QueueWorld, account: JobAccount): object {
  const { job, record, isStarting, refusal, standing, start, flavors } = account;
  return {
    job: jobNameOf(job),
    workload: job.id,
    queue: job.job?.workload.queue ?? null,
    atMs: moment.nowMs,
    state: record?.state ?? 'queued',
    starting: isStarting,
    refusal,
    position: standing?.position ?? null,
    waiting: standing?.waiting ?? null,
    wait: standing?.wait ?? null,
    promisedStartMs: standing?.promisedStartMs ?? null,
    start,
    flavors: flavors.map(flavorJson),
    runsKnown: runs.runs,
    evictions: record?.evictions ?? 0,
    leaves: record?.leaves ?? null,
    podSets: (record?.podSets ?? []).map(({ podSet, count, flavor, machines }) => ({
      podSet,
      count,
      flavor,
      machines,
    })),
  };
}

/** Where it is, why, until when, and what would be quicker. */
export function jobAccountLines(world: QueueWorld, account: JobAccount, language: Language): string[] {
  const { job, refusal, standing, record } = account;
  if (job.job === null) {
    return [message(language, 'queue.nobody', { queue: job.asked, namespace: job.namespace })];
  }
  const head = headLine(account, job.job.workload.queue, language);
  const rest: string[] = [];
  if (refusal !== null) {
    rest.push(message(language, 'queue.refused', { why: jobRefusalText(language, refusal) }));
  }
  if (standing !== null) rest.push(...waitingLines(world, account, standing, language));
  if (record !== null) rest.push(...recordLines(record, language));
  return [head, ...indented(rest)];
}

function headLine({ job, record, isStarting, standing }: JobAccount, queue: string, language: Language): string {
  const values = { job: jobNameOf(job), queue };
  if (isStarting) return message(language, 'queue.state.starts', values);
  const state = record?.state ?? 'queued';
  switch (state) {
    case 'queued': {
      const { position = 1, waiting = 1 } = standing ?? {};
      return message(language, 'queue.state.queued', { ...values, position, waiting });
    }
    case 'admitted':
      return message(language, 'queue.state.admitted', { ...values, at: startedText(record) });
    case 'running':
      return message(language, 'queue.state.running', { ...values, at: startedText(record) });
    case 'suspending':
      return message(language, 'queue.state.suspending', {
        ...values,
        cause: jobLeaveText(language, record?.leaves ?? 'preempted'),
      });
    default:
      return message(language, `queue.state.${state}`, values);
  }
}

function startedText(record: JobRecord | null): string {
  return momentText(record?.startedAtMs ?? Number.NaN);
}

function waitingLines(
  world: QueueWorld,
  { start, flavors }: JobAccount,
  { wait, promisedStartMs }: JobStanding,
  language: Language,
): string[] {
  const lines = [
    message(language, 'queue.why', { why: jobWaitText(language, wait) }),
    message(language, 'queue.change', { change: jobChangeText(language, wait) }),
  ];
  if (start !== null) {
    const text = startText(start, language);
    lines.push(
      promisedStartMs === null
        ? message(language, 'queue.until', { start: text })
        : message(language, 'queue.untilPromised', { start: text, at: momentText(promisedStartMs) }),
    );
    lines.push(runsText(world, language));
  }
  if (flavors.length > 1) {
    const advice = flavors.map((each) => each.advice);
    lines.push(message(language, 'queue.quicker', { advice: adviceText(advice, language) }));
  }
  return lines;
}

function recordLines({ podSets, leaves, evictions }: JobRecord, language: Language): string[] {
  const lines: string[] = [];
  const machines = [...new Set(podSets.flatMap((set) => set.machines))];
  if (machines.length > 0) {
    const told = machines.length <= MACHINES_TOLD ? machines : [...machines.slice(0, MACHINES_TOLD), '...'];
    const flavors = [...new Set(podSets.map(({ flavor }) => flavor || '-'))].join(comma(language));
    lines.push(message(language, 'queue.on', { machines: told.join(comma(language)), flavors }));
  }
  if (leaves !== null) {
    const cause = jobLeaveText(language, leaves);
    lines.push(message(language, 'queue.leftBefore', { cause, count: evictions }));
  }
  return lines;
}
