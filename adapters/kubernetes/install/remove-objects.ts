import { err, ok, type Result } from '@springtide/core/base';
import type { Clock } from '@springtide/ports/clock';
import { type ClusterFailure, clusterFailure } from '@springtide/ports/cluster';
import type { OnStep, StepFailure } from './apply-objects.ts';
import { type Client, type InstalledObject, lookUp, objectPath } from './installed.ts';

export interface RemoveOptions {
  readonly clock: Clock;
  readonly onStep: OnStep;
  /** How long one object may take to go. */
  readonly waitMsMax?: number;
}

const WAIT_MS_MAX = 300_000;
const POLL_FIRST_MS = 50;
const POLL_MAX_MS = 2000;

/** Removes objects in the order given, each with what it owns, and waits until each is gone. */
export async function removeObjects(
  client: Client,
  objects: readonly InstalledObject[],
  options: RemoveOptions,
): Promise<Result<null, StepFailure>> {
  for (const object of objects) {
    const removed = await removeOne(client, object, options);
    if (!removed.ok) return err({ id: object.id, failure: removed.error });
    options.onStep({ id: object.id, outcome: 'removed' });
  }
  return ok(null);
}

async function removeOne(
  client: Client,
  { id, uid }: InstalledObject,
  { clock, waitMsMax = WAIT_MS_MAX }: RemoveOptions,
): Promise<Result<null, ClusterFailure>> {
  // Foreground: what it owns, such as the pods of a Deployment, goes first.
  const body = { kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy: 'Foreground', preconditions: { uid } };
  const answer = await client.request({ method: 'DELETE', path: objectPath(id), body });
  // A conflict: another object has its name by now, so that it is gone.
  if (!answer.ok && answer.error.code !== 'not-found' && answer.error.code !== 'conflict') return answer;
  const endMs = clock.nowMs() + waitMsMax;
  for (let pollMs = POLL_FIRST_MS; ; pollMs = Math.min(pollMs * 2, POLL_MAX_MS)) {
    const now = await lookUp(client, id);
    if (now.ok && (now.value === null || now.value.uid !== uid)) return ok(null);
    // An API server that is away for a moment is waited for.
    if (!now.ok && (now.error.retry === 'never' || clock.nowMs() > endMs)) return now;
    if (clock.nowMs() > endMs) return err(clusterFailure('too-late', `not gone after ${waitMsMax / 1000} s`));
    await new Promise<void>((resolve) => void clock.after(pollMs, resolve));
  }
}
