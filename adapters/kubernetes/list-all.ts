import type { Result } from '@springtide/core/base';
import type { ClusterFailure } from '@springtide/ports/cluster';
import type { ApiClient } from './client/api-client.ts';
import type { Fields } from './fields.ts';
import { listOnce } from './watch/list-once.ts';
import { REFLECTOR_TIMES } from './watch/reflected.ts';

/** Every object of a list, page by page, all of one version; `take` says false when it has seen enough. */
export async function listAll(
  client: Pick<ApiClient, 'request'>,
  path: string,
  take: (object: Fields) => boolean,
  query: Readonly<Record<string, string>> = {},
): Promise<Result<string, ClusterFailure>> {
  let isEnough = false;
  return listOnce(client, { path, query, isOptional: false }, REFLECTOR_TIMES, {
    began: () => true,
    heard: () => {},
    take: (object) => {
      isEnough = !take(object);
    },
    room: () => null,
    isStopped: () => isEnough,
  });
}
