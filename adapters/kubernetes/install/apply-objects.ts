import { err, ok, type Result } from '@springtide/core/base';
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

/**
 * Applies objects one after the other, by server-side apply; what others have set in fields of ours is set back. Stops
 * at the first that is refused: what is done stays, and the next try goes on from there.
 */
export async function applyObjects(
  client: Client,
  objects: readonly AppliedObject[],
  onStep: OnStep,
): Promise<Result<null, StepFailure>> {
  for (const object of objects) {
    const id = idOf(object);
    const outcome = await applyOne(client, object, id);
    if (!outcome.ok) return err({ id, failure: outcome.error });
    onStep({ id, outcome: outcome.value });
  }
  return ok(null);
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

function isOurs({ fields }: InstalledObject): boolean {
  const labels = fieldsAt(fieldsAt(fields, 'metadata'), 'labels');
  return Object.entries(PART_LABELS).every(([key, value]) => textAt(labels, key) === value);
}

/** An object without what the API server and controllers keep in it. */
function wishes(object: unknown): unknown {
  const { status: _status, metadata: _metadata, ...rest } = fieldsOf(object, null).values;
  const { values } = fieldsAt(fieldsOf(object, null), 'metadata');
  return { ...rest, labels: values['labels'], annotations: values['annotations'], generation: values['generation'] };
}
