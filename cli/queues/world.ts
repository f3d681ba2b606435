import { systemClock } from '@springtide/adapters/clock';
import { inputErrorText } from '@springtide/adapters/kubernetes';
import { readLiveQueueing, readQueueing } from '@springtide/adapters/kubernetes/queueing';
import { type Admission, ADMISSION_DEFAULTS, type AdmissionCommand } from '@springtide/core/admission';
import { type AdmissionMoment, type KnownRuns, knownRunsOf, settledAdmission } from '@springtide/core/estimate';
import type { QuotaSpecs } from '@springtide/core/model';
import type { Unreadable } from '@springtide/ports/cluster';
import type { SeenCluster } from '@springtide/ports/queueing';
import { queueSnapshotOf, type QueueSnapshot } from '@springtide/services/queue';
import { type Language, message } from '@springtide/wire/messages';
import { quotaFaultText } from '@springtide/wire/reasons';
import type { Command } from 'commander';
import { addLiveOptions, type LiveOptions, withLive } from '../cluster/index.ts';
import { BadInput } from '../terminal/index.ts';

export const QUEUES_ARGUMENT =
  'kubectl get nodes,pods,namespaces,jobs,queues,cohorts,flavors,workloads -A -o json: a file, or -';

export interface QueueOptions extends LiveOptions {
  readonly gateOnly?: boolean;
  readonly at?: string;
}

export function addQueueOptions(command: Command): Command {
  return addLiveOptions(command)
    .option('--gate-only', 'as the queue controller decides that runs with --gate-only')
    .option('--at <time>', 'when a dump was made (default: now)');
}

/** Queues and jobs at one moment, and an admission that has decided there what the queue controller would. */
export interface QueueWorld {
  readonly snapshot: QueueSnapshot;
  readonly specs: QuotaSpecs;
  readonly moment: AdmissionMoment;
  readonly admission: Admission;
  /** What it decided. */
  readonly commands: readonly AdmissionCommand[];
  readonly runs: KnownRuns;
  /** Objects that could not be read. */
  readonly unreadable: readonly Unreadable[];
  /** Of those that name none; empty: there is none. */
  readonly namespace: string;
}

/** The queues of the dump at a path, or, where there is none, of the live cluster; BadInput for what is none. */
export async function queuesAt(
  path: string | undefined,
  options: QueueOptions,
  language: Language,
): Promise<QueueWorld> {
  const nowMs = momentAsked(options.at, language);
  if (path === undefined) {
    return withLive(options, language, async ({ client, config }) => {
      const read = await readLiveQueueing(client, systemClock);
      if (read.ok) return worldOf(read.value, { nowMs, options, language, namespace: config.namespace });
      const key = read.error.code === 'unsupported' ? 'queue.bad.kinds' : 'cluster.bad.live';
      throw new BadInput(message(language, key, { server: config.server, why: read.error.message }));
    });
  }
  const { kubeconfig, context } = options;
  if (kubeconfig !== undefined || context !== undefined) throw new BadInput(message(language, 'cluster.bad.both'));
  const read = await readQueueing(path);
  if (!read.ok) throw new BadInput(inputErrorText(read.error));
  return worldOf(read.value, { nowMs, options, language, namespace: '' });
}

function momentAsked(text: string | undefined, language: Language): number {
  if (text === undefined) return systemClock.wallMs();
  const atMs = Date.parse(text);
  if (Number.isNaN(atMs)) throw new BadInput(message(language, 'queue.bad.at', { text }));
  return atMs;
}

interface Reading {
  readonly nowMs: number;
  readonly options: QueueOptions;
  readonly language: Language;
  readonly namespace: string;
}

function worldOf(seen: SeenCluster, { nowMs, options, language, namespace }: Reading): QueueWorld {
  const snapshot = queueSnapshotOf(seen);
  const placesPods = options.gateOnly !== true;
  const moment = { nowMs, options: { ...ADMISSION_DEFAULTS, placesPods }, events: snapshot.events };
  const { admission, commands } = settledAdmission(moment);
  const refused = commands.find((command) => command.kind === 'refuse-quota');
  if (refused !== undefined) {
    const faults = refused.faults.map((fault) => quotaFaultText({ language }, fault));
    throw new BadInput(message(language, 'queue.bad.quota', { faults: faults.join(language === 'zh' ? '；' : '; ') }));
  }
  const quota = snapshot.events.find((event) => event.kind === 'quota');
  const specs = quota?.specs ?? { flavors: [], cohorts: [], queues: [] };
  const runs = knownRunsOf(moment);
  return { snapshot, specs, moment, admission, commands, runs, unreadable: seen.unreadable, namespace };
}
