import {
  inputErrorText,
  readDump,
  readLive,
  readRequests,
  type Dump,
  type DumpOptions,
  type RequestedWorkload,
} from '@springtide/adapters/kubernetes';
import { DEFAULT_POLICY, isPolicyName, POLICY_NAMES, type PolicyName } from '@springtide/core/placement';
import { message, type Language } from '@springtide/wire/messages';
import { BadInput } from '../terminal/index.ts';
import { type LiveOptions, withLive } from './live.ts';

export interface ReadOptions {
  /** Node label that tells the rack, in place of the usual ones. */
  readonly rackLabel?: string | undefined;
  /** Whole cards are to be cut into fractions, even if no pod of the dump shows it. */
  readonly hasFractions?: boolean;
}

function rackLabels({ rackLabel }: ReadOptions): { readonly rackLabels?: readonly string[] } {
  return rackLabel === undefined ? {} : { rackLabels: [rackLabel] };
}

export const DUMP_ARGUMENT =
  'kubectl get nodes,pods -A -o json: a file, a folder with nodes.json and pods.json, or - (default: a live cluster)';

/** Arguments of a command that asks one thing about a dump, or, where only one is given, about a live cluster. */
export interface ClusterAndTask {
  readonly path: string | undefined;
  readonly task: string;
}

export function clusterAndTask(first: string | undefined, second: string | undefined, name: string): ClusterAndTask {
  if (first === undefined) throw new BadInput(`missing argument: ${name} (see --help)`);
  return second === undefined ? { path: undefined, task: first } : { path: first, task: second };
}

/** A cluster as it was read, and the namespace that is meant where none is named; empty: there is none. */
export interface ClusterRead {
  readonly dump: Dump;
  readonly namespace: string;
}

/** The dump at a path; BadInput for what is none. */
export async function dumpAt(path: string, options: ReadOptions = {}): Promise<Dump> {
  const read = await readDump(path, dumpOptions(options));
  if (!read.ok) throw new BadInput(inputErrorText(read.error));
  return read.value;
}

/** The dump at a path, or, where there is none, the live cluster. */
export async function clusterAt(
  path: string | undefined,
  options: ReadOptions & LiveOptions,
  language: Language,
): Promise<ClusterRead> {
  if (path === undefined) return liveCluster(options, language);
  const { kubeconfig, context } = options;
  if (kubeconfig !== undefined || context !== undefined) throw new BadInput(message(language, 'cluster.bad.both'));
  return { dump: await dumpAt(path, options), namespace: '' };
}

function liveCluster(options: ReadOptions & LiveOptions, language: Language): Promise<ClusterRead> {
  return withLive(options, language, async ({ client, config }) => {
    const read = await readLive(client, dumpOptions(options));
    if (read.ok) return { dump: read.value, namespace: config.namespace };
    if (read.error.kind === 'input') throw new BadInput(inputErrorText(read.error.error));
    throw new BadInput(
      message(language, 'cluster.bad.live', { server: config.server, why: read.error.failure.message }),
    );
  });
}

function dumpOptions(options: ReadOptions): DumpOptions {
  return { ...rackLabels(options), hasFractions: options.hasFractions === true };
}

/** What a file asks to place; BadInput for what asks nothing. */
export async function requestsAt(path: string, options: ReadOptions = {}): Promise<RequestedWorkload[]> {
  const read = await readRequests(path, rackLabels(options));
  if (!read.ok) throw new BadInput(inputErrorText(read.error));
  return read.value;
}

/** The placement policy asked for with `--policy`, else ours. */
export function policyAsked(name: string | undefined, language: Language): PolicyName {
  if (name === undefined) return DEFAULT_POLICY;
  if (isPolicyName(name)) return name;
  throw new BadInput(message(language, 'cluster.bad.policy', { name, known: POLICY_NAMES.join(', ') }));
}
