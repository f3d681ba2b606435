import type { ClusterFailure } from '@springtide/ports/cluster';
import { type Said, said } from '@springtide/wire/messages';
import type { ApiClient } from '../client/api-client.ts';

/** What is looked at. */
export type Check =
  | 'server'
  | 'apis'
  | 'clock'
  | 'cards'
  | 'schedulers'
  | 'queues'
  | 'webhooks'
  | 'permissions'
  | 'installation'
  | 'webhook'
  | 'leader';

/** `problem`: Springtide cannot work, or cannot be installed, until it is mended. */
export type Level = 'ok' | 'warning' | 'problem';

export interface Finding {
  readonly check: Check;
  readonly level: Level;
  readonly found: Said;
  /** What to do about it; null: nothing. */
  readonly todo: Said | null;
}

export type Client = Pick<ApiClient, 'request'>;

export function finding(check: Check, level: Level, found: Said, todo: Said | null = null): Finding {
  return { check, level, found, todo };
}

/** What could not be looked at is told, and the rest is. */
export function unread(check: Check, what: string, failure: ClusterFailure): Finding {
  const todo = said('doctor.unreadTodo', { what });
  return finding(check, 'warning', said('doctor.unread', { what, why: failure.message }), todo);
}

const NAMES_TOLD = 5;

/** The first few of a list of names, and how many more there are. */
export function someOf(names: readonly string[]): string {
  const told = names.slice(0, NAMES_TOLD).join(', ');
  return names.length <= NAMES_TOLD ? told : `${told}, … (${names.length})`;
}
