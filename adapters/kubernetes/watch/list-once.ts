import { err, ok, type Result } from '@springtide/core/base';
import { type ClusterFailure, clusterFailure } from '@springtide/ports/cluster';
import type { ApiClient } from '../client/api-client.ts';
import { InputFault } from '../fault.ts';
import { type Fields, fieldsAt, fieldsOf, itemsAt, textAt } from '../fields.ts';
import type { ReflectedResource, ReflectorTimes } from './reflected.ts';

export interface ListPage {
  readonly items: readonly Fields[];
  readonly version: string;
  /** Asks for the next page; empty after the last. */
  readonly next: string;
}

export interface ListHandlers {
  /** A page came, with the version of the whole list; false: the list is not wanted. */
  readonly began: (version: string) => boolean;
  readonly heard: () => void;
  readonly take: (object: Fields) => void;
  readonly room: () => Promise<void> | null;
  readonly isStopped: () => boolean;
}

/** More pages than any cluster has: a server that never ends a list is not believed. */
const PAGES_MAX = 100_000;

/**
 * Lists a resource in pages, all of one version: read by quorum, so that nothing is missing which was written
 * before. The version of the list.
 */
export async function listOnce(
  client: Pick<ApiClient, 'request'>,
  resource: ReflectedResource,
  times: ReflectorTimes,
  handlers: ListHandlers,
): Promise<Result<string, ClusterFailure>> {
  let version = '';
  let next = '';
  for (let pages = 0; pages < PAGES_MAX; pages += 1) {
    const page = await readPage(client, resource, times, next);
    if (!page.ok) return page;
    handlers.heard();
    version ||= page.value.version;
    if (pages === 0 && !handlers.began(version))
      return err(clusterFailure('server', 'the list is older than one before'));
    for (const object of page.value.items) {
      const room = handlers.room();
      if (room !== null) await room;
      if (handlers.isStopped()) return err(clusterFailure('stopped', ''));
      handlers.take(object);
    }
    next = page.value.next;
    if (next === '') return ok(version);
  }
  return err(clusterFailure('malformed', 'the list does not end'));
}

async function readPage(
  client: Pick<ApiClient, 'request'>,
  resource: ReflectedResource,
  times: ReflectorTimes,
  next: string,
): Promise<Result<ListPage, ClusterFailure>> {
  const query = { ...resource.query, limit: String(times.pageSize), ...(next === '' ? {} : { continue: next }) };
  const limits = { timeoutMs: times.requestMs, bytesMax: times.pageBytesMax };
  const answer = await client.request({ method: 'GET', path: resource.path, query, ...limits });
  if (!answer.ok) return answer;
  try {
    const list = fieldsOf(answer.value, null);
    const metadata = fieldsAt(list, 'metadata');
    const version = textAt(metadata, 'resourceVersion');
    if (version === '') return err(clusterFailure('malformed', `${resource.path}: no list with a version`));
    return ok({ items: itemsAt(list, 'items'), version, next: textAt(metadata, 'continue') });
  } catch (error) {
    if (!(error instanceof InputFault)) throw error;
    return err(clusterFailure('malformed', `${resource.path}: no list`));
  }
}
