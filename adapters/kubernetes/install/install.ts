import { err, ok, type Result } from '@springtide/core/base';
import { type ClusterFailure, clusterFailure } from '@springtide/ports/cluster';
import type { AppliedObject } from '../client/apply.ts';
import { readAnswer } from '../client/read-answer.ts';
import { fieldsAt, itemsAt, textAt } from '../fields.ts';
import { applyObjects, type ApplyTools, isOurs, type StepFailure } from './apply-objects.ts';
import { type Client, type InstalledObject, LEASE, leasesLeft } from './installed.ts';
import { idOf, textOfId } from './kinds.ts';
import { manifestsOf } from './manifests.ts';
import { namespaceContents } from './namespace-contents.ts';
import type { InstallOptions } from './options.ts';
import { removeObjects } from './remove-objects.ts';

export type InstallTools = ApplyTools;

/** Makes what is missing and changes what differs; removes nothing. */
export async function install(tools: InstallTools, options: InstallOptions): Promise<Result<null, StepFailure>> {
  const objects = manifestsOf(options);
  const unserved = await unservedKind(tools.client, objects);
  return unserved.ok ? applyObjects(tools, objects) : unserved;
}

const CERT_MANAGER = 'cert-manager.io/v1';

/** Before anything is made: whether the kinds of another project that are wanted are there. */
async function unservedKind(client: Client, objects: readonly AppliedObject[]): Promise<Result<null, StepFailure>> {
  const wanted = objects.find(({ apiVersion }) => apiVersion === CERT_MANAGER);
  if (wanted === undefined) return ok(null);
  const served = await client.request({ method: 'GET', path: `/apis/${CERT_MANAGER}` });
  if (served.ok) return ok(null);
  const why = `cert-manager is not installed here: ${CERT_MANAGER} is not served`;
  const failure = served.error.code === 'unsupported' ? clusterFailure('unsupported', why) : served.error;
  return err({ id: idOf(wanted), failure });
}

/** The same, and then removes what a former version had installed and this one has no more. */
export async function upgrade(
  tools: InstallTools,
  options: InstallOptions,
  before: readonly InstalledObject[],
): Promise<Result<null, StepFailure>> {
  const wanted = manifestsOf(options);
  const applied = await applyObjects(tools, wanted);
  if (!applied.ok) return applied;
  const names = new Set(wanted.map((object) => textOfId(idOf(object))));
  // A Secret holds what is in use, whoever made it.
  const isKept = ({ id }: InstalledObject): boolean => ['Namespace', 'Secret'].includes(id.kind.kind);
  const old = before.filter((object) => !isKept(object) && !names.has(textOfId(object.id)));
  return removeObjects(tools.client, old.toReversed(), tools);
}

/**
 * Removes what is installed, last made first: the scheduler stops before its permissions go. A namespace in which
 * there is something else stays, with what is told in `keptFor`.
 */
export async function uninstall(
  tools: InstallTools,
  before: readonly InstalledObject[],
): Promise<Result<{ readonly keptFor: readonly string[] }, StepFailure>> {
  const { client } = tools;
  const isSpace = ({ id }: InstalledObject): boolean => id.kind.kind === 'Namespace';
  const removed = await removeObjects(client, before.filter((object) => !isSpace(object)).toReversed(), tools);
  if (!removed.ok) return removed;
  const leases = await leasesLeft(client);
  if (!leases.ok) return { ok: false, error: { id: LEASE, failure: leases.error } };
  const unleased = await removeObjects(client, leases.value, tools);
  if (!unleased.ok) return unleased;
  const keptFor: string[] = [];
  for (const space of before.filter(isSpace)) {
    const others = await namespaceContents(client, space.id.name);
    if (!others.ok) return { ok: false, error: { id: space.id, failure: others.error } };
    keptFor.push(...others.value);
    if (others.value.length > 0) {
      tools.onStep({ id: space.id, outcome: 'kept' });
      continue;
    }
    const gone = await removeObjects(client, [space], tools);
    if (!gone.ok) return gone;
  }
  return ok({ keptFor });
}

/** How many objects of our own kinds people have made, by the name of their kind: they go with it. */
export async function customObjects(
  client: Client,
  installed: readonly InstalledObject[],
): Promise<Result<ReadonlyMap<string, number>, ClusterFailure>> {
  const counts = new Map<string, number>();
  for (const { id, fields } of installed) {
    if (id.kind.kind !== 'CustomResourceDefinition') continue;
    const spec = fieldsAt(fields, 'spec');
    const plural = textAt(fieldsAt(spec, 'names'), 'plural');
    const [version] = itemsAt(spec, 'versions');
    if (version === undefined) continue;
    const path = `/apis/${textAt(spec, 'group')}/${textAt(version, 'name')}/${plural}`;
    const count = await readAnswer(
      client,
      { method: 'GET', path },
      (list) => itemsAt(list, 'items').filter((item) => !isOurs({ fields: item })).length,
    );
    if (!count.ok) return count;
    counts.set(id.name, count.value);
  }
  return ok(counts);
}
