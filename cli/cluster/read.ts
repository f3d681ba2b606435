import {
  inputErrorText,
  readDump,
  readRequests,
  type Dump,
  type RequestedWorkload,
} from '@springtide/adapters/kubernetes';
import { DEFAULT_POLICY, isPolicyName, POLICY_NAMES, type PolicyName } from '@springtide/core/placement';
import { message, type Language } from '@springtide/wire/messages';
import { BadInput } from '../terminal/index.ts';

export interface ReadOptions {
  /** Node label that tells the rack, in place of the usual ones. */
  readonly rackLabel?: string | undefined;
  /** Whole cards are to be cut into fractions, even if no pod of the dump shows it. */
  readonly hasFractions?: boolean;
}

function rackLabels({ rackLabel }: ReadOptions): { readonly rackLabels?: readonly string[] } {
  return rackLabel === undefined ? {} : { rackLabels: [rackLabel] };
}

/** The dump at a path; BadInput for what is none. */
export async function dumpAt(path: string, options: ReadOptions = {}): Promise<Dump> {
  const read = await readDump(path, { ...rackLabels(options), hasFractions: options.hasFractions === true });
  if (!read.ok) throw new BadInput(inputErrorText(read.error));
  return read.value;
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
