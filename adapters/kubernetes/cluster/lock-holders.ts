import type { Clock } from '@springtide/ports/clock';
import { readOr } from '../fault.ts';
import { type Fields, fieldsAt, fieldsOf, itemsAt, textAt, textMapAt } from '../fields.ts';
import { CAMBRICON_NODE_LOCK, HAMI_BIND_PHASE } from '../hami/keys.ts';
import { parseLock } from '../hami/lock.ts';
import { isFinished } from '../observed-pod.ts';
import type { SeenLock } from './node-locks.ts';
import type { Answer, Send } from './sending.ts';

/** A lock older than this is nobody's: HAMi's, and the one that is Cambricon's own. */
const EXPIRES_MS = 300_000;
const CAMBRICON_EXPIRES_MS = 120_000;
/** A lock is looked into when it has stood for so long: a plug-in that is well needs some ten milliseconds. */
const EXAMINED_AFTER_MS = 500;
/** A lock that names nobody is left once no pod of the node has been waiting for cards for so long. */
const QUIET_MS = 10_000;

/** Tells locks that stand for a pod that is being given cards from those that somebody has left behind. */
export class LockHolders {
  readonly #clock: Clock;
  readonly #schedulerName: string;

  constructor(clock: Clock, schedulerName: string) {
    this.#clock = clock;
    this.#schedulerName = schedulerName;
  }

  /**
   * Whether a lock may be taken away: its time is up, or the pod that it names has no use for it any more. Call it
   * only while no bind to the machine is under way here. One request at most.
   */
  async isLeft(machine: string, annotation: string, { value, sinceMs }: SeenLock, send: Send): Promise<boolean> {
    const seenMs = this.#clock.nowMs() - sinceMs;
    const expiresMs = annotation === CAMBRICON_NODE_LOCK ? CAMBRICON_EXPIRES_MS : EXPIRES_MS;
    // Whatever clock wrote it, and whether or not it can be read.
    if (seenMs > expiresMs) return true;
    const read = parseLock(value);
    if (!read.ok) return false;
    const holder = read.value;
    if (this.#clock.wallMs() - holder.sinceMs > expiresMs) return true;
    if (holder.pod === '') return seenMs > QUIET_MS && (await this.#isQuiet(machine, annotation, send));
    if (seenMs < EXAMINED_AFTER_MS) return false;
    const path = `/api/v1/namespaces/${encodeURIComponent(holder.namespace)}/pods/${encodeURIComponent(holder.pod)}`;
    const answer = await get(send, path);
    if (!answer.ok) return answer.error.code === 'not-found';
    return readOr(false, () => this.#isDone(fieldsOf(answer.value, null), machine));
  }

  /** The pod is not on the way to cards of this machine: it has them, or has ended, or is not to be there at all. */
  #isDone(pod: Fields, machine: string): boolean {
    const spec = fieldsAt(pod, 'spec');
    const node = textAt(spec, 'nodeName');
    // Of ours nothing is under way. Another scheduler may be between lock and binding.
    if (node === '') return textAt(spec, 'schedulerName') === this.#schedulerName;
    return node !== machine || !isAllocating(pod);
  }

  async #isQuiet(machine: string, annotation: string, send: Send): Promise<boolean> {
    const answer = await get(send, `/api/v1/pods`, { fieldSelector: `spec.nodeName=${machine}` });
    if (!answer.ok) return false;
    const isWaiting = annotation === CAMBRICON_NODE_LOCK ? isUnassigned : isAllocating;
    return readOr(false, () => !itemsAt(fieldsOf(answer.value, null), 'items').some(isWaiting));
  }
}

/** HAMi's plug-in has still to give it its cards. */
function isAllocating(pod: Fields): boolean {
  const annotations = textMapAt(fieldsAt(pod, 'metadata'), 'annotations');
  return !isFinished(pod) && annotations.get(HAMI_BIND_PHASE) === 'allocating';
}

/** Cambricon's plug-in has still to give it its cards. */
function isUnassigned(pod: Fields): boolean {
  const annotations = textMapAt(fieldsAt(pod, 'metadata'), 'annotations');
  return !isFinished(pod) && annotations.get('CAMBRICON_DSMLU_ASSIGNED') === 'false';
}

function get(send: Send, path: string, query: Readonly<Record<string, string>> = {}): Promise<Answer> {
  return send<Answer>({
    urgency: 'bind',
    needsOffice: false,
    request: () => ({ method: 'GET', path, query }),
    read: (answer) => answer,
    refused: (error) => ({ ok: false, error }),
  });
}
