import { err, ok, type Result } from '@springtide/core/base';
import { HAMI_NODE_LOCK } from './keys.ts';

/** The lock of a node, an annotation, held while a plug-in gives the cards of one pod: `time,namespace,pod`. */

export interface LockHolder {
  /** Empty, as is `pod`, where the lock does not tell. */
  readonly namespace: string;
  readonly pod: string;
  /** Milliseconds since 1970. */
  readonly sinceMs: number;
}

/** The lock that a pod takes. Cambricon's plug-in reads a bare time under a key of its own. */
export function lockValue(annotation: string, pod: Pick<LockHolder, 'namespace' | 'pod'>, nowMs: number): string {
  const time = `${new Date(nowMs).toISOString().slice(0, 19)}Z`;
  return annotation === HAMI_NODE_LOCK ? `${time},${pod.namespace},${pod.pod}` : time;
}

const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/;

/** Who holds a lock. The error is what HAMi finds wrong with the text: the number of its parts, or its time. */
export function parseLock(text: string): Result<LockHolder, 'lock-parts' | 'time-format'> {
  const parts = text.split(',');
  if (parts.length !== 1 && parts.length !== 3) return err('lock-parts');
  const [time = '', namespace = '', pod = ''] = parts;
  const sinceMs = TIME.test(time) ? Date.parse(time) : Number.NaN;
  return Number.isNaN(sinceMs) ? err('time-format') : ok({ namespace, pod, sinceMs });
}
