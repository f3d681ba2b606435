import { err, ok, type Result } from '@springtide/core/base';
import { type ClusterFailure, clusterFailure } from '@springtide/ports/cluster';
import { InputFault } from '../fault.ts';
import { type Fields, fieldsOf } from '../fields.ts';
import type { ApiClient, ApiRequest } from './api-client.ts';

/** What `read` makes of the answer to a request; what it refuses is a malformed answer. */
export async function readAnswer<T>(
  client: Pick<ApiClient, 'request'>,
  request: ApiRequest,
  read: (answer: Fields) => T,
): Promise<Result<T, ClusterFailure>> {
  const answer = await client.request(request);
  if (!answer.ok) return answer;
  try {
    return ok(read(fieldsOf(answer.value, null)));
  } catch (error) {
    if (!(error instanceof InputFault)) throw error;
    return err(clusterFailure('malformed', `${request.path}: expected ${error.expected}`));
  }
}
