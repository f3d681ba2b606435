import { err, ok, type Result } from '@springtide/core/base';
import type { Cancel, Clock } from '@springtide/ports/clock';
import {
  type BindAnswer,
  type BindOrder,
  type ClusterFailure,
  clusterFailure,
  type Term,
} from '@springtide/ports/cluster';
import type { HamiAllocation } from '../hami/allocation.ts';
import { lockValue } from '../hami/lock.ts';
import type { LockHolders } from './lock-holders.ts';
import type { NodeLocks, SeenLock } from './node-locks.ts';
import {
  bindAnswer,
  bindRequest,
  type LockWrite,
  lockRequest,
  lookUpRequest,
  whereabouts,
  type Words,
} from './pod-orders.ts';
import type { Answer, Send } from './sending.ts';

/**
 * A bind waits no longer for a machine whose lock has stood for so long: several times what locks have stood of late,
 * since where everything is slow none of them is stuck, and at least and at most so long.
 */
const LOCK_WAITS = { times: 4, minMs: 30_000, maxMs: 120_000 } as const;
/** How soon a lock that stands is looked into; then at twice the age, again and again. */
const LOOK_MS = 500;
/** Times that a lock is tried for when the node changes meanwhile: heartbeats are seconds apart. */
const TRIES_MAX = 20;
/** What is left behind is cleared away when it has stood for so long, even if nobody wants the machine. */
const LEFT_AFTER_MS = 10_000;
/** How often such are looked for. */
const SWEEP_MS = 5000;
/** Binds that wait for one machine. */
const WAITING_MAX = 64;

export interface LockedBind {
  readonly order: BindOrder;
  /** Made when it is its turn, so that cards and times are those of the bind. */
  readonly allocate: () => Result<HamiAllocation | null, string>;
  /** Of the lock. */
  readonly annotation: string;
  readonly send: Send;
}

interface LockedBindsTools {
  readonly clock: Clock;
  readonly locks: NodeLocks;
  readonly holders: LockHolders;
  /** A machine has been locked for so long that nothing more is to be placed there. */
  readonly shun: (machine: string) => void;
}

interface TakenLock extends LockWrite {
  readonly value: string;
}

/** Binds to one machine. */
interface Lane {
  last: Promise<unknown>;
  count: number;
  /** The version of the machine that the last lock was written on: while it is the one that is seen, ours stands. */
  takenOn: string | null;
}

/**
 * Binds to machines whose device plug-in gives cards to one pod at a time, and finds it by a lock on the node:
 *
 *     lock the node -> bind, annotations and all -> (the plug-in gives the cards and takes the lock away)
 *
 * One after the other on each machine; no machine waits for another. What was not bound leaves no lock.
 */
export class LockedBinds {
  readonly #clock: Clock;
  readonly #locks: NodeLocks;
  readonly #holders: LockHolders;
  readonly #shun: LockedBindsTools['shun'];
  /** By machine. */
  readonly #lanes = new Map<string, Lane>();
  #isStopped = false;
  #cancelSweep: Cancel = () => {};
  #sweptTerm: Term | null = null;

  constructor({ clock, locks, holders, shun }: LockedBindsTools) {
    this.#clock = clock;
    this.#locks = locks;
    this.#holders = holders;
    this.#shun = shun;
  }

  bind(bind: LockedBind): Promise<BindAnswer> {
    const { machine } = bind.order;
    const lane = this.#lanes.get(machine) ?? { last: Promise.resolve(), count: 0, takenOn: null };
    this.#lanes.set(machine, lane);
    if (lane.count >= WAITING_MAX) return Promise.resolve(refusal('queue-full', `${lane.count} binds to it wait`));
    lane.count += 1;
    const answer = lane.last.then(() => this.#inTurn(bind, lane));
    lane.last = answer;
    return answer.finally(() => {
      lane.count -= 1;
      if (lane.count === 0) this.#lanes.delete(machine);
    });
  }

  /** Clears locks away that were left behind, now and then, while the term lasts. */
  sweepUnder(term: Term, send: Send): void {
    this.#cancelSweep();
    if (this.#isStopped) return;
    this.#cancelSweep = this.#clock.after(SWEEP_MS, () => {
      if (!term.isValid()) return;
      void this.#sweep(send).then(() => this.#sweptTerm === term && this.sweepUnder(term, send));
    });
    this.#sweptTerm = term;
  }

  async #sweep(send: Send): Promise<void> {
    for (const machine of this.#locks.locked()) {
      const node = this.#locks.of(machine);
      for (const [annotation, lock] of node?.locks ?? []) {
        const isYoung = this.#clock.nowMs() - lock.sinceMs < LEFT_AFTER_MS;
        if (node === undefined || isYoung || this.#lanes.has(machine)) continue;
        if (!(await this.#holders.isLeft(machine, annotation, lock, send)) || this.#lanes.has(machine)) continue;
        await write(send, { machine, version: node.version, annotation, value: null });
      }
    }
  }

  /** Refuses what waits, and resolves when what has taken a lock is bound or has given it back. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancelSweep();
    this.#locks.release();
    await Promise.all([...this.#lanes.values()].map(({ last }) => last));
  }

  async #inTurn(bind: LockedBind, lane: Lane): Promise<BindAnswer> {
    const { order, allocate, send } = bind;
    const lock = await this.#take(bind, lane);
    if (!lock.ok) return { answer: 'refused', failure: lock.error };
    const allocation = allocate();
    const answer: BindAnswer = allocation.ok
      ? await sendBind(order, allocation.value, send)
      : { answer: 'refused', failure: clusterFailure('conflict', allocation.error) };
    if (answer.answer === 'bound') return answer;
    const isOpen = answer.answer === 'unknown' && (await mayBeThere(order, send));
    // Else the pod is not there, and no plug-in would ever take the lock away.
    if (!isOpen) await this.#giveBack(lock.value, send);
    return answer;
  }

  async #take(bind: LockedBind, lane: Lane): Promise<Result<TakenLock, ClusterFailure>> {
    const { order, annotation, send } = bind;
    const { machine, pod } = order;
    for (let tries = 0; tries < TRIES_MAX && !this.#isStopped; tries += 1) {
      const free = await this.#untilFree(bind);
      if (!free.ok) return free;
      const version = free.value;
      if (version !== lane.takenOn) {
        const value = lockValue(annotation, { namespace: pod.namespace, pod: pod.name }, this.#clock.wallMs());
        const answer = await write(send, { machine, version, annotation, value });
        if (answer.ok) {
          lane.takenOn = version;
          return ok({ machine, annotation, value, version: answer.value });
        }
        if (answer.error.code !== 'conflict') return answer;
      }
      await this.#locks.changed(machine, version, LOOK_MS);
    }
    return err(this.#isStopped ? STOPPED : clusterFailure('conflict', `${machine} changes all the time`));
  }

  /** The version of the machine in which the lock is free to take. */
  async #untilFree({ order, annotation, send }: LockedBind): Promise<Result<string, ClusterFailure>> {
    const { machine } = order;
    let [looked, againAtMs] = [null as SeenLock | null, 0];
    while (!this.#isStopped) {
      const node = this.#locks.of(machine);
      if (node === undefined) return err(clusterFailure('not-found', `there is no node ${machine}`));
      const lock = node.locks.get(annotation);
      if (lock === undefined) return ok(node.version);
      const nowMs = this.#clock.nowMs();
      const stoodMs = nowMs - lock.sinceMs;
      if (looked !== lock || nowMs >= againAtMs) {
        [looked, againAtMs] = [lock, nowMs + Math.max(LOOK_MS, stoodMs)];
        if (await this.#mayTake(order, annotation, lock, send)) return ok(node.version);
      }
      if (stoodMs >= this.#waitMs()) return err(this.#giveUp(machine, lock));
      await this.#locks.changed(machine, node.version, LOOK_MS);
    }
    return err(STOPPED);
  }

  #waitMs(): number {
    const { times, minMs, maxMs } = LOCK_WAITS;
    return Math.min(maxMs, Math.max(minMs, times * this.#locks.stoodMsMax(maxMs)));
  }

  /** Nothing is placed there any more until the lock changes: pods that wait for others would be placed there again. */
  #giveUp(machine: string, { value }: SeenLock): ClusterFailure {
    this.#shun(machine);
    return clusterFailure('conflict', `${machine} is locked: ${value}`);
  }

  /** A lock that stands names this very pod, or has been left. */
  #mayTake({ machine, pod }: BindOrder, annotation: string, standing: SeenLock, send: Send): Promise<boolean> {
    if (standing.value.endsWith(`,${pod.namespace},${pod.name}`)) return Promise.resolve(true);
    return this.#holders.isLeft(machine, annotation, standing, send);
  }

  /** Takes our own lock away again, unless it is gone or another's. */
  async #giveBack({ machine, annotation, value, version }: TakenLock, send: Send): Promise<void> {
    let known = version;
    for (let tries = 0; tries < TRIES_MAX; tries += 1) {
      const answer = await write(send, { machine, version: known, annotation, value: null });
      if (answer.ok || answer.error.code !== 'conflict') return;
      await this.#locks.changed(machine, known, LOOK_MS);
      const node = this.#locks.of(machine);
      // A lock that is not seen yet may be ours all the same: the sweep finds it.
      if (node?.locks.get(annotation)?.value !== value) return;
      known = node.version;
    }
  }
}

const STOPPED = clusterFailure('stopped', 'the client was stopped');

function refusal(code: 'queue-full', message: string): BindAnswer {
  return { answer: 'refused', failure: clusterFailure(code, message) };
}

function sendBind(order: BindOrder, words: Words | null, send: Send): Promise<BindAnswer> {
  return send<BindAnswer>({
    urgency: 'bind',
    request: () => bindRequest(order, words),
    read: bindAnswer,
    refused: (failure) => ({ answer: 'refused', failure }),
  });
}

/** After an answer that leaves it open: whether the pod is, or may be, bound to the machine. */
function mayBeThere({ pod, machine }: BindOrder, send: Send): Promise<boolean> {
  return send({
    urgency: 'bind',
    needsOffice: false,
    request: () => lookUpRequest(pod),
    read: (answer) => {
      const where = whereabouts(answer, pod);
      return where.answer === 'unknown' || (where.answer === 'found' && where.machine === machine);
    },
    refused: () => true,
  });
}

/** The version of the node afterwards. */
function write(send: Send, lock: LockWrite): Promise<Result<string, ClusterFailure>> {
  return send<Result<string, ClusterFailure>>({
    urgency: 'bind',
    needsOffice: lock.value !== null,
    request: () => lockRequest(lock),
    read: (answer: Answer) => (answer.ok ? ok(versionOf(answer.value)) : answer),
    refused: (failure) => err(failure),
  });
}

function versionOf(node: unknown): string {
  const { metadata } = node as { readonly metadata?: { readonly resourceVersion?: string } };
  return metadata?.resourceVersion ?? '';
}
