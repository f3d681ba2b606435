import type { Cancel, Clock } from '@springtide/ports/clock';
import { type ClusterFailure, clusterFailure } from '@springtide/ports/cluster';
import { TokenBucket } from './token-bucket.ts';

/** Most urgent first. The lease waits for nothing: whoever loses it has no use for the rest. */
export const URGENCIES = ['lease', 'bind', 'evict', 'status', 'event'] as const;
export type Urgency = (typeof URGENCIES)[number];

export interface GateLimits {
  readonly perSecond: number;
  readonly burst: number;
  /** Requests under way at once, of this urgency and all below it: what is slow and unimportant leaves room. */
  readonly inFlightMax: Readonly<Record<Urgency, number>>;
  readonly waitingMax: Readonly<Record<Urgency, number>>;
  /** What has waited longer is refused: by then the decision is old. */
  readonly waitMsMax: Readonly<Record<Urgency, number>>;
}

export const GATE_LIMITS: GateLimits = {
  perSecond: 1000,
  burst: 2000,
  // More at once would not bind more a second, and every gang would be longer on its way (I3).
  inFlightMax: { lease: 64, bind: 32, evict: 24, status: 16, event: 8 },
  waitingMax: { lease: 4, bind: 20_000, evict: 5000, status: 50_000, event: 5000 },
  waitMsMax: { lease: 5000, bind: 30_000, evict: 30_000, status: 120_000, event: 300_000 },
};

/** The longest that a server's wish to be left alone is heeded. */
const PAUSE_MS_MAX = 10_000;

/** A request that waits for its turn. */
export interface Turn {
  readonly urgency: Urgency;
  /** Of two with one key only the newer is sent, in the place of the older. Empty: none is like it. */
  readonly key: string;
  readonly send: () => Promise<void>;
  readonly refuse: (failure: ClusterFailure) => void;
  /** A newer one took its place, or it was withdrawn. */
  readonly replace: () => void;
}

interface Waiting {
  readonly turn: Turn;
  readonly sinceMs: number;
}

/** Lets requests through by urgency, no faster than agreed and not too many at once. Every queue is bounded. */
export class Gate {
  readonly #clock: Clock;
  readonly #limits: GateLimits;
  readonly #bucket: TokenBucket;
  readonly #waiting: Readonly<Record<Urgency, Map<string, Waiting>>>;
  readonly #inFlight: Record<Urgency, number> = { lease: 0, bind: 0, evict: 0, status: 0, event: 0 };
  readonly #sent: Record<Urgency, number> = { lease: 0, bind: 0, evict: 0, status: 0, event: 0 };
  #sequence = 0;
  #pausedUntilMs = Number.NEGATIVE_INFINITY;
  #cancelTimer: Cancel | null = null;
  #isStopped = false;
  #idle: () => void = () => {};

  /** `urgency key` of what was sent and is not answered: a newer one could overtake it, and be undone by it. */
  readonly #underWay = new Set<string>();

  constructor(clock: Clock, limits: GateLimits = GATE_LIMITS) {
    this.#clock = clock;
    this.#limits = limits;
    this.#bucket = new TokenBucket(limits.perSecond, limits.burst, clock.nowMs());
    this.#waiting = { lease: new Map(), bind: new Map(), evict: new Map(), status: new Map(), event: new Map() };
  }

  enter(turn: Turn): void {
    if (this.#isStopped) return turn.refuse(clusterFailure('stopped', 'the client was stopped'));
    const queue = this.#waiting[turn.urgency];
    const key = turn.key === '' ? `${(this.#sequence += 1)}` : turn.key;
    const older = queue.get(key);
    if (older === undefined && queue.size >= this.#limits.waitingMax[turn.urgency]) {
      return turn.refuse(clusterFailure('queue-full', `${queue.size} requests wait`));
    }
    queue.set(key, { turn, sinceMs: older?.sinceMs ?? this.#clock.nowMs() });
    older?.turn.replace();
    this.#pump();
  }

  /** Takes back what waits under a key, if it still does: something else has made it wrong. */
  withdraw(urgency: Urgency, key: string): void {
    const waiting = this.#waiting[urgency].get(key);
    this.#waiting[urgency].delete(key);
    waiting?.turn.replace();
  }

  /** The server asked to be left alone for so long. */
  pause(ms: number): void {
    this.#pausedUntilMs = Math.max(this.#pausedUntilMs, this.#clock.nowMs() + Math.min(ms, PAUSE_MS_MAX));
  }

  counts(urgency: Urgency): { readonly waiting: number; readonly inFlight: number; readonly sent: number } {
    const [inFlight, sent] = [this.#inFlight[urgency], this.#sent[urgency]];
    return { waiting: this.#waiting[urgency].size, inFlight, sent };
  }

  /** Refuses whatever waits, and resolves when what is under way has been answered. */
  stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancelTimer?.();
    for (const urgency of URGENCIES) {
      const waiting = [...this.#waiting[urgency].values()];
      this.#waiting[urgency].clear();
      for (const { turn } of waiting) turn.refuse(clusterFailure('stopped', 'the client was stopped'));
    }
    return new Promise((resolve) => {
      this.#idle = resolve;
      this.#tellIdle();
    });
  }

  #tellIdle(): void {
    if (this.#busy('lease') === 0) this.#idle();
  }

  #pump(): void {
    for (const urgency of URGENCIES) while (this.#sendFirst(urgency));
    this.#arm();
  }

  /** Whether one was taken out of the queue. */
  #sendFirst(urgency: Urgency): boolean {
    const queue = this.#waiting[urgency];
    // Asked first, and often: a map that much was taken out of is slow to say what comes first.
    if (queue.size === 0) return false;
    const first = queue.entries().find(([each]) => !this.#underWay.has(`${urgency} ${each}`));
    if (first === undefined) return false;
    const [key, { turn, sinceMs }] = first;
    const nowMs = this.#clock.nowMs();
    if (nowMs - sinceMs > this.#limits.waitMsMax[urgency]) {
      queue.delete(key);
      turn.refuse(clusterFailure('too-late', 'it waited too long for its turn'));
      return true;
    }
    if (!this.#mayGo(urgency, nowMs)) return false;
    queue.delete(key);
    void this.#send(turn);
    return true;
  }

  #mayGo(urgency: Urgency, nowMs: number): boolean {
    if (urgency === 'lease') return true;
    const isFull = this.#busy(urgency) >= this.#limits.inFlightMax[urgency];
    return !isFull && nowMs >= this.#pausedUntilMs && this.#bucket.take(nowMs);
  }

  /** Under way of this urgency and those below it; of binds everything counts. */
  #busy(urgency: Urgency): number {
    const from = URGENCIES.indexOf(urgency);
    return URGENCIES.reduce((sum, each, index) => (index < from ? sum : sum + this.#inFlight[each]), 0);
  }

  async #send(turn: Turn): Promise<void> {
    const name = `${turn.urgency} ${turn.key}`;
    if (turn.key !== '') this.#underWay.add(name);
    this.#inFlight[turn.urgency] += 1;
    this.#sent[turn.urgency] += 1;
    await turn.send();
    this.#inFlight[turn.urgency] -= 1;
    this.#underWay.delete(name);
    if (this.#isStopped) this.#tellIdle();
    else this.#pump();
  }

  /** Comes back when there will be a token, or the pause is over. A request that ends pumps by itself. */
  #arm(): void {
    if (this.#cancelTimer !== null || URGENCIES.every((urgency) => this.#waiting[urgency].size === 0)) return;
    const nowMs = this.#clock.nowMs();
    const waitMs = Math.max(1, this.#pausedUntilMs - nowMs, this.#bucket.waitMs(nowMs));
    this.#cancelTimer = this.#clock.after(waitMs, () => {
      this.#cancelTimer = null;
      this.#pump();
    });
  }
}
