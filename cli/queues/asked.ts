import type { SnapshotJob } from '@springtide/services/queue';
import { type Language, message } from '@springtide/wire/messages';
import { BadInput } from '../terminal/index.ts';
import type { QueueWorld } from './world.ts';

/** Jobs that are named when the one asked for is not there. */
const KNOWN_TOLD = 5;

const FORM = /^([a-z]+)\/(?:([^/]+)\/)?([^/]+)$/;

/** `job/NAMESPACE/NAME` taken apart; null: it is of another form, or of a pod. */
export function jobTargetOf(text: string): { kind: string; namespace: string | null; name: string } | null {
  const [, kind, namespace = null, name] = FORM.exec(text) ?? [];
  if (kind === undefined || name === undefined) return null;
  const isJob = kind === 'workload' || /(?:jobs?|jobsets?)$/.test(kind);
  return isJob ? { kind: kind.replace(/s$/, ''), namespace, name } : null;
}

/** What a job is called here: as it is asked for. */
export function jobNameOf({ kind, namespace, name }: SnapshotJob): string {
  return `${kind === '' || kind === 'Pod' ? 'workload' : kind.toLowerCase()}/${namespace}/${name}`;
}

/** The job that the text names; BadInput where there is none. */
export function jobAsked({ snapshot, namespace: usual }: QueueWorld, text: string, language: Language): SnapshotJob {
  const target = jobTargetOf(text);
  const namespace = target?.namespace ?? usual;
  if (target === null || namespace === '') throw new BadInput(message(language, 'queue.bad.kindless', { text }));
  const { kind, name } = target;
  const found = snapshot.jobs.find((each) => {
    if (each.namespace !== namespace) return false;
    if (kind === 'workload') return each.id === `${namespace}/${name}`;
    return each.kind.toLowerCase() === kind && each.name === name;
  });
  if (found !== undefined) return found;
  const job = `${kind}/${namespace}/${name}`;
  const known = snapshot.jobs.map(jobNameOf).toSorted().slice(0, KNOWN_TOLD).join(', ');
  if (known === '') throw new BadInput(message(language, 'queue.bad.noJob', { job }));
  throw new BadInput(message(language, 'queue.bad.job', { job, known }));
}
