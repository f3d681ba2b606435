import { createHash } from 'node:crypto';
import { checkpointToLoad } from '@springtide/core/progress';
import type { JobSource, SeenJob, SeenProgress } from '@springtide/ports/queueing';
import { InputFault } from '../fault.ts';
import { below, type Fields, fieldsAt, has, requiredTextAt, textAt, textMapAt } from '../fields.ts';
import { RACK_LABELS } from '../node.ts';
import { PROGRESS, recordOf } from '../progress/record-text.ts';
import { VERDICT, verdictOf } from '../progress/verdict-text.ts';
import { type RequestOptions, workloadOf } from '../workloads.ts';
import { type JobKind, OWNER_KINDS } from './kinds.ts';
import { controllerKindOf, metadataOf, minParallelismOf, queueAskOf } from './labels.ts';
import { asWritten, type JobShape, shapeOf } from './shape.ts';

export interface ReadJob {
  readonly job: SeenJob;
  readonly shape: JobShape;
}

const OPTIONS: RequestOptions = { rackLabels: RACK_LABELS, tenantLabel: '' };

/**
 * An object of a kind of `JOB_KINDS` as a job that may be queued. Null: it names no queue, or another job made it.
 * Throws an `InputFault` where it cannot be read.
 */
export function readJob(object: Fields, kind: JobKind, options: RequestOptions = OPTIONS): ReadJob | null {
  const metadata = metadataOf(object);
  const ask = queueAskOf(metadata);
  if (ask === null || OWNER_KINDS.has(controllerKindOf(metadata))) return null;
  const shape = shapeOf(object, kind);
  const written = asWritten(object, shape);
  const read = workloadOf(written, options);
  const podSets = kind.templates(written).map(({ podSet, count }, index) => {
    const request = read.podSets[index]?.pod.request;
    if (request === undefined) throw new InputFault('missing', null, 'a pod template', undefined);
    return { name: podSet, count, role: podSet === 'ps' ? ('server' as const) : ('worker' as const), request };
  });
  const source = sourceOf(object);
  const job: SeenJob = {
    id: `${source.namespace}/${workloadNameOf(source)}`,
    source,
    ask: { ...ask, priorityClass: ask.priorityClass || podPriorityClassOf(written, kind) },
    labels: textMapAt(metadata, 'labels'),
    podSets,
    minCounts: minCountsOf(metadata, kind, podSets[0]),
    topology: read.topology,
    createdAtMs: Date.parse(textAt(metadata, 'creationTimestamp')) || 0,
    isDeleting: has(metadata, 'deletionTimestamp'),
    isSuspended: shape.isSuspended,
    isRestored: shape.before === null,
    ...kind.progress(object),
    progress: progressOf(metadata),
    podsMissing: 0,
    pods: new Map(),
  };
  return { job, shape };
}

function progressOf(metadata: Fields): SeenProgress | null {
  const annotations = textMapAt(metadata, 'annotations');
  const record = recordOf(annotations.get(PROGRESS) ?? '');
  if (record === null) return null;
  const { incarnation } = record;
  return { incarnation, checkpoint: checkpointToLoad(record), verdict: verdictOf(annotations.get(VERDICT) ?? '') };
}

export function sourceOf(object: Fields): JobSource {
  const metadata = metadataOf(object);
  return {
    apiVersion: requiredTextAt(object, 'apiVersion'),
    kind: requiredTextAt(object, 'kind'),
    namespace: textAt(metadata, 'namespace') || 'default',
    name: requiredTextAt(metadata, 'name'),
    uid: requiredTextAt(metadata, 'uid'),
  };
}

/** A name of an object has at most so many letters. */
const NAME_MAX = 253;

/** The Workload of a job: one name a job, so that it is made once however often it is asked for. */
export function workloadNameOf({ kind, name, uid }: Pick<JobSource, 'kind' | 'name' | 'uid'>): string {
  const whole = `${kind.toLowerCase()}-${name}`;
  if (whole.length <= NAME_MAX) return whole;
  const hash = createHash('sha256').update(uid).digest('hex').slice(0, 10);
  return `${whole.slice(0, NAME_MAX - hash.length - 1)}-${hash}`;
}

function podPriorityClassOf(object: Fields, kind: JobKind): string {
  const [first] = kind.templates(object);
  return first === undefined ? '' : textAt(fieldsAt(first.template, 'spec'), 'priorityClassName');
}

/** An elastic Job says the fewest pods that it starts with. */
function minCountsOf(
  metadata: Fields,
  kind: JobKind,
  podSet: { readonly name: string; readonly count: number } | undefined,
): ReadonlyMap<string, number> {
  const { key, text } = minParallelismOf(metadata);
  if (text === '' || podSet === undefined || kind.parallelism === '') return new Map();
  const count = /^\d{1,7}$/.test(text) ? Number(text) : 0;
  if (count >= 1 && count <= podSet.count) return new Map([[podSet.name, count]]);
  const path = { parent: below(metadata, 'annotations'), key };
  throw new InputFault('value', path, `a number from 1 to the parallelism, ${podSet.count}`, text);
}
