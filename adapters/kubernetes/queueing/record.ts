import { type Checkpoint, JOB_LEAVES, JOB_STATES, type JobRecord, type PodSetAssignment } from '@springtide/core/model';
import {
  type Fields,
  fieldsAt,
  has,
  integerAt,
  itemsAt,
  requiredTextAt,
  textAt,
  textMapAt,
  textsAt,
} from '../fields.ts';
import { wordAt } from './flavor.ts';
import { timeAt, timeText } from './times.ts';

const COUNT = { absent: 0, min: 0, max: 2 ** 31 - 1 };
const LONG = { absent: 0, min: 0, max: Number.MAX_SAFE_INTEGER };

/** What is kept with a job; null: nothing yet. Throws an `InputFault` where it cannot be read. */
export function recordOf(status: Fields): JobRecord | null {
  if (textAt(status, 'state') === '') return null;
  const startedAtMs = timeAt(status, 'startedAt');
  return {
    state: wordAt(status, 'state', JOB_STATES),
    sinceMs: timeAt(status, 'since') ?? 0,
    incarnation: integerAt(status, 'incarnation', COUNT),
    podSets: itemsAt(status, 'podSets').map(assignmentOf),
    evictions: integerAt(status, 'evictions', COUNT),
    setBacks: integerAt(status, 'setBacks', COUNT),
    retryAtMs: timeAt(status, 'retryAt') ?? 0,
    startedAtMs,
    attainedCardMs: integerAt(status, 'attainedCardMs', LONG),
    checkpoint: has(status, 'checkpoint') ? checkpointOf(fieldsAt(status, 'checkpoint')) : null,
    avoids: textsAt(status, 'avoids'),
    leaves: has(status, 'leaves') ? wordAt(status, 'leaves', JOB_LEAVES) : null,
  };
}

function assignmentOf(item: Fields): PodSetAssignment {
  return {
    podSet: textAt(item, 'podSet'),
    count: integerAt(item, 'count', COUNT),
    flavor: textAt(item, 'flavor'),
    charged: textMapAt(item, 'charged'),
    machines: itemsAt(item, 'machines').flatMap((run) => {
      const name = textAt(run, 'name');
      return Array.from({ length: integerAt(run, 'pods', { absent: 1, min: 1, max: 1_000_000 }) }, () => name);
    }),
  };
}

function checkpointOf(from: Fields): Checkpoint {
  return { uri: requiredTextAt(from, 'uri'), step: integerAt(from, 'step', LONG), atMs: timeAt(from, 'at') ?? 0 };
}

/**
 * The same as the status of a Workload, for a merge patch: what is not so any more is null. A list of machines is
 * told by runs of pods on one machine.
 */
export function recordStatus(record: JobRecord): Readonly<Record<string, unknown>> {
  const { checkpoint, startedAtMs, retryAtMs } = record;
  return {
    state: record.state,
    since: timeText(record.sinceMs),
    incarnation: record.incarnation,
    podSets: record.podSets.length === 0 ? null : record.podSets.map(assignmentObject),
    evictions: record.evictions || null,
    setBacks: record.setBacks || null,
    retryAt: retryAtMs === 0 ? null : timeText(retryAtMs),
    startedAt: startedAtMs === null ? null : timeText(startedAtMs),
    attainedCardMs: Math.round(record.attainedCardMs) || null,
    checkpoint: checkpoint === null ? null : { ...checkpoint, at: timeText(checkpoint.atMs), atMs: undefined },
    avoids: record.avoids.length === 0 ? null : record.avoids,
    leaves: record.leaves,
  };
}

function assignmentObject({ podSet, count, flavor, charged, machines }: PodSetAssignment): object {
  const runs: { name: string; pods: number }[] = [];
  for (const name of machines) {
    const last = runs.at(-1);
    if (last?.name === name) last.pods += 1;
    else runs.push({ name, pods: 1 });
  }
  return {
    podSet,
    count,
    ...(flavor === '' ? {} : { flavor }),
    ...(charged.size === 0 ? {} : { charged: Object.fromEntries(charged) }),
    ...(runs.length === 0 ? {} : { machines: runs }),
  };
}
