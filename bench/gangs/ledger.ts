import type { GangPlan } from './plan.ts';

/** A pod as the API server shows it at a moment. */
export interface PodSight {
  readonly gang: string;
  readonly name: string;
  readonly isBound: boolean;
  readonly hasRun: boolean;
}

/** What became of all gangs. */
export interface GangFigures {
  /** From the start until every member of the last gang had run; null: some never did. */
  readonly allRunningMs: number | null;
  readonly gangsStarted: number;
  /** Card-seconds that were held by gangs of which not all members were bound. */
  readonly cardSecondsIncomplete: number;
  /** The longest time that one gang was bound in part. */
  readonly longestPartMs: number;
  /** Gangs that were ever bound in part for as long as a second. */
  readonly gangsPartASecond: number;
  /** The most gangs bound in part at one of the looks, which are a second apart. */
  readonly mostPartAtALook: number;
  readonly looks: number;
  /** Pods that were taken back. */
  readonly podsLost: number;
}

interface GangState {
  readonly plan: GangPlan;
  readonly bound: Set<string>;
  readonly run: Set<string>;
  /** Since when it has been bound in part; null: it is not. */
  partSinceMs: number | null;
  longestPartMs: number;
  runMs: number | null;
  /** Cards held in part, counted up to `heldMs`. */
  cardsHeld: number;
  heldMs: number;
}

/** Keeps account of gangs by what is seen of their pods, in the order of time. */
export class GangLedger {
  readonly #gangs: Map<string, GangState>;
  #cardMsIncomplete = 0;
  #mostPartAtALook = 0;
  #looks = 0;
  #podsLost = 0;

  constructor(plan: readonly GangPlan[]) {
    this.#gangs = new Map(plan.map((each) => [each.name, freshState(each)]));
  }

  see(pod: PodSight, atMs: number): void {
    const gang = this.#gangs.get(pod.gang);
    if (gang === undefined) return;
    if (pod.isBound) gang.bound.add(pod.name);
    if (pod.hasRun) gang.run.add(pod.name);
    this.#settle(gang, atMs);
  }

  lose({ gang: name, name: pod }: PodSight, atMs: number): void {
    const gang = this.#gangs.get(name);
    if (gang === undefined) return;
    this.#podsLost += 1;
    gang.bound.delete(pod);
    this.#settle(gang, atMs);
  }

  /** Once a second. */
  look(): void {
    this.#looks += 1;
    const part = [...this.#gangs.values()].filter(({ partSinceMs }) => partSinceMs !== null).length;
    this.#mostPartAtALook = Math.max(this.#mostPartAtALook, part);
  }

  get isOver(): boolean {
    return [...this.#gangs.values()].every(({ runMs }) => runMs !== null);
  }

  /** All times are since `startMs`; what is bound in part at `endMs` counts up to then. */
  figures(startMs: number, endMs: number): GangFigures {
    const gangs = [...this.#gangs.values()];
    for (const gang of gangs) this.#close(gang, endMs);
    const longest = gangs.map(({ longestPartMs }) => longestPartMs);
    const runs = gangs.flatMap(({ runMs }) => (runMs === null ? [] : [runMs]));
    return {
      allRunningMs: runs.length < gangs.length ? null : Math.round(Math.max(...runs) - startMs),
      gangsStarted: runs.length,
      cardSecondsIncomplete: Math.round(this.#cardMsIncomplete / 100) / 10,
      longestPartMs: Math.round(Math.max(...longest)),
      gangsPartASecond: longest.filter((ms) => ms >= 1000).length,
      mostPartAtALook: this.#mostPartAtALook,
      looks: this.#looks,
      podsLost: this.#podsLost,
    };
  }

  #settle(gang: GangState, atMs: number): void {
    const { bound, run, plan } = gang;
    this.#close(gang, atMs);
    gang.partSinceMs = bound.size > 0 && bound.size < plan.members ? (gang.partSinceMs ?? atMs) : null;
    gang.heldMs = atMs;
    gang.cardsHeld = gang.partSinceMs === null ? 0 : bound.size * plan.cardsPerMember;
    if (run.size === plan.members) gang.runMs ??= atMs;
  }

  /** Counts what has been held in part up to a moment. */
  #close(gang: GangState, atMs: number): void {
    if (gang.partSinceMs === null) return;
    this.#cardMsIncomplete += gang.cardsHeld * (atMs - gang.heldMs);
    gang.heldMs = atMs;
    gang.longestPartMs = Math.max(gang.longestPartMs, atMs - gang.partSinceMs);
  }
}

function freshState(plan: GangPlan): GangState {
  return {
    plan,
    bound: new Set(),
    run: new Set(),
    partSinceMs: null,
    longestPartMs: 0,
    runMs: null,
    heldMs: 0,
    cardsHeld: 0,
  };
}
