import { err, type Result } from '@springtide/core/base';
import type { ClusterFailure } from '@springtide/ports/cluster';
import type { ApiClient } from './client/api-client.ts';
import type { Dump } from './dump.ts';
import { type InputError, InputFault, inputError } from './fault.ts';
import type { Fields } from './fields.ts';
import type { Gathering } from './gathering.ts';
import { listAll } from './list-all.ts';
import { addObject, type DumpOptions, finished, gatheringOf, subjectOf } from './read-dump.ts';

export type LiveError =
  /** The API server could not be read. */
  | { readonly kind: 'cluster'; readonly failure: ClusterFailure }
  /** What it said is no cluster that can be judged. */
  | { readonly kind: 'input'; readonly error: InputError };

const LISTS = [
  ['/api/v1/nodes', 'Node'],
  ['/api/v1/pods', 'Pod'],
] as const;

/** A list that takes longer than the API server keeps its version is begun anew, so often. */
const TRIES = 3;

/** Reads a live cluster as `readDump` reads a dump of it. Two paged lists and nothing else; nothing is changed. */
export async function readLive(
  client: Pick<ApiClient, 'request'>,
  options: DumpOptions = {},
): Promise<Result<Dump, LiveError>> {
  for (let tries = 1; ; tries += 1) {
    const gathering = gatheringOf(options);
    const error = await gather(client, gathering);
    const isOld = error?.kind === 'cluster' && error.failure.code === 'expired';
    if (isOld && tries < TRIES) continue;
    if (error !== null) return err(error);
    const dump = finished(gathering, LISTS[0][0]);
    return dump.ok ? dump : err({ kind: 'input', error: dump.error });
  }
}

async function gather(client: Pick<ApiClient, 'request'>, gathering: Gathering): Promise<LiveError | null> {
  for (const [path, kind] of LISTS) {
    let refused: InputError | null = null;
    const listed = await listAll(client, path, (object) => {
      refused = addItem(gathering, object, path, kind);
      return refused === null;
    });
    if (refused !== null) return { kind: 'input', error: refused };
    if (!listed.ok) return { kind: 'cluster', failure: listed.error };
  }
  return null;
}

function addItem(gathering: Gathering, object: Fields, file: string, kind: string): InputError | null {
  try {
    addObject(gathering, object, kind);
    return null;
  } catch (error) {
    if (!(error instanceof InputFault)) throw error;
    return inputError(error, { file, line: null, column: null, subject: subjectOf(object.values, kind) });
  }
}
