import type { Clock } from '@springtide/ports/clock';
import { said } from '@springtide/wire/messages';
import { fieldsAt, integerAt, itemsAt, textAt } from '../fields.ts';
import {
  type InstalledObject,
  installedObjects,
  isOfHelm,
  LEASE,
  lookUp,
  whereInstalled,
} from '../install/installed.ts';
import { idOf, textOfId } from '../install/kinds.ts';
import { manifestsOf } from '../install/manifests.ts';
import { PART_OF_SELECTOR, QUEUE_CONTROLLER, SCHEDULER, WEBHOOK } from '../install/names.ts';
import { leaseOf } from '../lease/lease-object.ts';
import { type Client, type Finding, finding, someOf, unread } from './finding.ts';

const REPLICAS = { absent: 0, min: 0, max: 1_000_000 };

export interface InstallationFound {
  readonly findings: readonly Finding[];
  readonly installed: readonly InstalledObject[];
  /** Empty: it is not installed, as far as is known. */
  readonly namespace: string;
}

/** Whether it is installed, which release, and whether it runs. `version`: of this program. */
export async function checkInstallation(client: Client, version: string): Promise<InstallationFound> {
  const read = await installedObjects(client, PART_OF_SELECTOR);
  const nowhere = { installed: [], namespace: '' };
  if (!read.ok) return { findings: [unread('installation', 'what is installed', read.error)], ...nowhere };
  const [installed, there] = [read.value, whereInstalled(read.value)];
  const { namespace = '' } = there ?? {};
  if (there !== null) return { findings: installedFindings(installed, there, version), installed, namespace };
  const none = finding('installation', 'ok', said('doctor.installation.none'), said('doctor.installation.noneTodo'));
  return { findings: [none], ...nowhere };
}

type There = NonNullable<ReturnType<typeof whereInstalled>>;

function installedFindings(installed: readonly InstalledObject[], there: There, version: string): Finding[] {
  const about = { version: there.version, namespace: there.namespace };
  const first =
    there.version === version
      ? finding('installation', 'ok', said('doctor.installation.there', about))
      : finding(
          'installation',
          'warning',
          said('doctor.installation.other', { ...about, own: version }),
          said('doctor.installation.otherTodo'),
        );
  const parts = [SCHEDULER, WEBHOOK, QUEUE_CONTROLLER].flatMap((part) => replicaFindings(installed, part));
  return [first, ...missingFindings(installed, there), ...parts];
}

function missingFindings(installed: readonly InstalledObject[], there: There): Finding[] {
  // Helm may have been told to leave modules out.
  if (installed.some(isOfHelm)) return [];
  const names = new Set(installed.map(({ id }) => textOfId(id)));
  const wanted = manifestsOf({ ...there, image: 'registry.example.com/any:1' }).map(idOf);
  // A namespace that was there before is not ours.
  const missing = wanted.filter((id) => id.kind.kind !== 'Namespace' && !names.has(textOfId(id)));
  if (missing.length === 0) return [];
  const found = said('doctor.installation.missing', { objects: someOf(missing.map(textOfId)) });
  return [finding('installation', 'problem', found, said('doctor.installation.otherTodo'))];
}

function replicaFindings(installed: readonly InstalledObject[], name: string): Finding[] {
  const deployment = installed.find(({ id }) => id.kind.kind === 'Deployment' && id.name === name);
  if (deployment === undefined) return [];
  const wanted = integerAt(fieldsAt(deployment.fields, 'spec'), 'replicas', REPLICAS);
  const status = fieldsAt(deployment.fields, 'status');
  const ready = integerAt(status, 'readyReplicas', REPLICAS);
  const { namespace } = deployment.id;
  const found = said('doctor.installation.replicas', { ready, wanted, name });
  if (ready >= wanted && ready > 0) return [finding('installation', 'ok', found)];
  const why = itemsAt(status, 'conditions').find((condition) => textAt(condition, 'status') === 'False');
  const todo = said('doctor.installation.replicasTodo', {
    namespace,
    why: why === undefined ? '' : `${textAt(why, 'message')} `,
  });
  return [finding('installation', ready === 0 ? 'problem' : 'warning', found, todo)];
}

/** A lease may be renewed at the very end of its term, and a request takes its time. */
const MARGIN_MS = 5000;
/** A holder renews more often than this. */
const RENEWED_MS = 8000;

export interface LeaderOptions {
  readonly clock: Clock;
  /** How far the API server's clock is ahead of ours. */
  readonly aheadMs: number;
  /** Where it is installed; empty: it is not. */
  readonly namespace: string;
}

/**
 * Who leads. A lease that looks old may be that of a machine whose clock is behind: whether it is renewed is what
 * counts, so it is looked at twice.
 */
export async function checkLeader(client: Client, options: LeaderOptions): Promise<Finding> {
  const { clock, aheadMs, namespace } = options;
  const first = await lookUp(client, LEASE);
  if (!first.ok) return unread('leader', textOfId(LEASE), first.error);
  const lease = first.value === null ? null : leaseOf(first.value.fields.values);
  if (lease === null || lease.holder === '') return nobody(namespace);
  const { holder, renewTime, durationMs, resourceVersion } = lease;
  const ageMs = clock.wallMs() + aheadMs - Date.parse(renewTime);
  const isFresh = ageMs > -MARGIN_MS && ageMs < durationMs + MARGIN_MS;
  if (isFresh) return finding('leader', 'ok', said('doctor.leader.held', { holder }));
  await new Promise<void>((resolve) => void clock.after(RENEWED_MS, resolve));
  const second = await lookUp(client, LEASE);
  if (!second.ok) return unread('leader', textOfId(LEASE), second.error);
  const now = second.value === null ? null : leaseOf(second.value.fields.values);
  const seconds = Math.round(Math.abs(ageMs) / 1000);
  if (now !== null && now.resourceVersion !== resourceVersion) {
    return finding('leader', 'warning', said('doctor.leader.skewed', { holder, seconds }), said('doctor.clock.todo'));
  }
  return { ...nobody(namespace), found: said('doctor.leader.lost', { holder, seconds }) };
}

/** Where it is installed, somebody should lead. */
function nobody(namespace: string): Finding {
  const found = said('doctor.leader.none');
  if (namespace === '') return finding('leader', 'ok', found, said('doctor.leader.noneTodo'));
  return finding('leader', 'problem', found, said('doctor.leader.noneInstalledTodo', { namespace }));
}
