import { err, ok, type Result } from '@springtide/core/base';
import type { Clock } from '@springtide/ports/clock';
import { type ClusterFailure, clusterFailure } from '@springtide/ports/cluster';
import { isDeepStrictEqual } from 'node:util';
import { type AppliedObject, applyObject } from '../client/apply.ts';
import { fieldsAt, fieldsOf, textAt } from '../fields.ts';
import { type Client, type InstalledObject, lookUp } from './installed.ts';
import { idOf, type ObjectId, pathOf } from './kinds.ts';
import { FIELD_MANAGER, PART_LABELS } from './names.ts';

/** What became of one object. `kept`: the namespace was there before and is not ours. */
export type Outcome = 'created' | 'changed' | 'unchanged' | 'kept' | 'removed';

export interface Step {
  readonly id: ObjectId;
  readonly outcome: Outcome;
}

export interface StepFailure {
  readonly id: ObjectId;
  readonly failure: ClusterFailure;
}

export type OnStep = (step: Step) => void;

export interface ApplyTools {
  readonly client: Client;
  readonly clock: Clock;
  readonly onStep: OnStep;
}

/** A kind of ours is served a moment after it was made. */
const SERVED_MS_MAX = 60_000;
const POLL_MS = 200;

/**
 * Applies objects one after the other, by server-side apply; what others have set in fields of ours is set back. Stops
 * at the first that is refused: what is done stays, and the next try goes on from there.
 */
export async function applyObjects(
  tools: ApplyTools,
  objects: readonly AppliedObject[],
): Promise<Result<null, StepFailure>> {
  for (const object of objects) {
    const id = idOf(object);
    const outcome = await applyOnceServed(tools, object, id);
    if (!outcome.ok) return err({ id, failure: outcome.error });
    tools.onStep({ id, outcome: outcome.value });
  }
  return ok(null);
}

async function applyOnceServed(
  { client, clock }: ApplyTools,
  object: AppliedObject,
  id: ObjectId,
): Promise<Result<Outcome, ClusterFailure>> {
  const endMs = clock.nowMs() + SERVED_MS_MAX;
  for (;;) {
    const outcome = await applyOne(client, object, id);
    const isAwaited = !outcome.ok && outcome.error.code === 'unsupported' && isOwnKind(id);
    if (!isAwaited || clock.nowMs() > endMs) return outcome;
    await new Promise<void>((resolve) => void clock.after(POLL_MS, resolve));
  }
}

function isOwnKind({ kind }: ObjectId): boolean {
  return kind.apiVersion.startsWith('springtide.io/');
}

async function applyOne(client: Client, object: AppliedObject, id: ObjectId): Promise<Result<Outcome, ClusterFailure>> {
  const before = await lookUp(client, id);
  if (!before.ok) return before;
  if (before.value !== null && !isOurs(before.value)) {
    if (id.kind.kind === 'Namespace') return ok('kept');
    return err(clusterFailure('exists', 'it was there before, and not because of Springtide'));
  }
  const options = { path: pathOf(id.kind, id.namespace), fieldManager: FIELD_MANAGER, force: true };
  const applied = await applyObject(client, object, options);
  if (!applied.ok) return applied;
  if (before.value === null) return ok('created');
  return ok(isDeepStrictEqual(wishes(before.value.fields.values), wishes(applied.value)) ? 'unchanged' : 'changed');
}

/** Whether it is there because of us. */
export function isOurs({ fields }: Pick<InstalledObject, 'fields'>): boolean {
  const labels = fieldsAt(fieldsAt(fields, 'metadata'), 'labels');
  return Object.entries(PART_LABELS).every(([key, value]) => textAt(labels, key) === value);
}

/** An object without what the API server and controllers keep in it. */
function wishes(object: unknown): unknown {
  const { status: _status, metadata: _metadata, ...rest } = fieldsOf(object, null).values;
  const { values } = fieldsAt(fieldsOf(object, null), 'metadata');
  return { ...rest, labels: values['labels'], annotations: values['annotations'], generation: values['generation'] };
}
