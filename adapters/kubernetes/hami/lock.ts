import { err, ok, type Result } from '@springtide/core/base';
import { CAMBRICON_NODE_LOCK, HAMI_NODE_LOCK, type HamiKeys } from './keys.ts';

/** HAMi's lock of a node: an annotation `time,namespace,pod`, held while the cards of one pod are handed out. */

export interface NodeLock {
  readonly annotation: string;
  readonly value: string;
}

/** A lock older than this is nobody's. */
export const LOCK_EXPIRES_MS = 300_000;

export interface LockAsk {
  readonly namespace: string;
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly nowMs: number;
  /** A container other than an init container has a card. */
  readonly hasCards: boolean;
}

/** The lock that a pod of the kind takes; null: none. */
export function lockOf(kind: HamiKeys['lock'], { namespace, name, nowMs, hasCards }: LockAsk): NodeLock | null {
  if (kind === 'none' || !hasCards) return null;
  const time = `${new Date(nowMs).toISOString().slice(0, 19)}Z`;
  // Cambricon's plug-in reads a bare time under a key of its own.
  if (kind === 'cambricon') return { annotation: CAMBRICON_NODE_LOCK, value: time };
  return { annotation: HAMI_NODE_LOCK, value: `${time},${namespace},${name}` };
}

export interface LockHolder {
  /** Empty, as is `pod`, where the lock does not tell. */
  readonly namespace: string;
  readonly pod: string;
  /** Milliseconds since 1970. */
  readonly sinceMs: number;
}

const RFC3339 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/;

/** Who holds a lock, by its annotation. The error says what is wrong with the text. */
export function parseLock(text: string): Result<LockHolder, string> {
  const parts = text.split(',');
  if (parts.length !== 1 && parts.length !== 3) return err(`${parts.length} parts instead of time,namespace,pod`);
  const [time = '', namespace = '', pod = ''] = parts;
  const sinceMs = RFC3339.test(time) ? Date.parse(time) : Number.NaN;
  if (Number.isNaN(sinceMs)) return err('no time of the form 2000-01-01T00:00:00Z');
  return ok({ namespace, pod, sinceMs });
}

/** What a lock means for a pod that wants it. `own` may be kept, `stale` taken over, `unreadable` cannot be judged. */
export type LockState = 'free' | 'own' | 'held' | 'stale' | 'unreadable';

/**
 * Judges a lock as HAMi does: its owner may take it again, one whose pod is gone or whose time is up is taken over.
 * At exactly the expiry it still holds. `text` is null where the node has no such annotation.
 */
export function lockState(
  text: string | null,
  by: Pick<LockAsk, 'namespace' | 'name' | 'nowMs'>,
  isAlive: (namespace: string, pod: string) => boolean,
): LockState {
  if (text === null) return 'free';
  const read = parseLock(text);
  if (!read.ok) return 'unreadable';
  const { namespace, pod, sinceMs } = read.value;
  if (by.nowMs - sinceMs > LOCK_EXPIRES_MS) return 'stale';
  if (pod === '') return 'held';
  if (namespace === by.namespace && pod === by.name) return 'own';
  return isAlive(namespace, pod) ? 'held' : 'stale';
}
