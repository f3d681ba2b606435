import { err, ok, type Result } from '@springtide/core/base';
import type { ClusterFailure } from '@springtide/ports/cluster';
import { said } from '@springtide/wire/messages';
import { type Fields, fieldsAt, textAt, textsAt } from '../fields.ts';
import { KUEUE_QUEUE_LABEL, QUEUE_LABEL } from '../jobs/labels.ts';
import { listAll } from '../list-all.ts';
import { QUEUEING_VERSION } from '../queueing/version.ts';
import { type Client, type Finding, finding, someOf, unread } from './finding.ts';

const LOCAL_QUEUES = ['kueue.x-k8s.io/v1beta2', 'kueue.x-k8s.io/v1beta1'];

/** Whose queued work is where Kueue is too: each object belongs to exactly one of the two. */
export async function checkQueues(client: Client, served: ReadonlySet<string>): Promise<Finding[]> {
  const version = LOCAL_QUEUES.find((each) => served.has(each));
  if (version === undefined) return [];
  const theirs = await listed(client, `/apis/${version}/localqueues`, (object) => [idOf(object)]);
  if (!theirs.ok) return [unread('queues', 'localqueues', theirs.error)];
  const own = await listed(client, `/apis/${QUEUEING_VERSION}/queues`, (object) =>
    textsAt(fieldsAt(object, 'spec'), 'aliases'),
  );
  // Where our kinds are not served, nothing is ours.
  if (!own.ok && own.error.code !== 'not-found') return [unread('queues', 'queues', own.error)];
  const both = await listed(client, '/apis/batch/v1/jobs', (object) => [idOf(object)], {
    labelSelector: `${QUEUE_LABEL},${KUEUE_QUEUE_LABEL}`,
  });
  if (!both.ok) return [unread('queues', 'jobs', both.error)];
  return queueFindings(new Set(theirs.value), own.ok ? own.value : [], both.value);
}

/** `theirs`: LocalQueues; `aliases`: names that queues of ours have; `both`: Jobs that name a queue of each. */
export function queueFindings(
  theirs: ReadonlySet<string>,
  aliases: readonly string[],
  both: readonly string[],
): Finding[] {
  const left = aliases.filter((alias) => theirs.has(alias));
  const taken = aliases.filter((alias) => !theirs.has(alias));
  const findings = [finding('queues', 'ok', said('doctor.queues.kueue', { count: theirs.size }))];
  if (left.length > 0) {
    const found = said('doctor.queues.left', { names: someOf(left) });
    findings.push(finding('queues', 'warning', found, said('doctor.queues.leftTodo')));
  }
  if (taken.length > 0) {
    const found = said('doctor.queues.taken', { names: someOf(taken) });
    findings.push(finding('queues', 'warning', found, said('doctor.queues.takenTodo')));
  }
  if (both.length > 0) {
    const found = said('doctor.queues.both', { names: someOf(both) });
    findings.push(finding('queues', 'problem', found, said('doctor.queues.bothTodo', { label: KUEUE_QUEUE_LABEL })));
  }
  return findings;
}

async function listed(
  client: Client,
  path: string,
  read: (object: Fields) => readonly string[],
  query: Readonly<Record<string, string>> = {},
): Promise<Result<string[], ClusterFailure>> {
  const found: string[] = [];
  const list = await listAll(client, path, (object) => found.push(...read(object)) >= 0, query);
  return list.ok ? ok(found) : err(list.error);
}

function idOf(object: Fields): string {
  const metadata = fieldsAt(object, 'metadata');
  return `${textAt(metadata, 'namespace')}/${textAt(metadata, 'name')}`;
}
