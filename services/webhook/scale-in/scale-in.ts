import { chooseScaleIn, type ScaleInChoice } from '@springtide/core/scale-in';
import type { Clock } from '@springtide/ports/clock';
import type { ScaleInMark } from '@springtide/ports/cluster';
import type { MarkOrder, ReplicaPod, Replicas, ReplicaSet, ScaleInRequest } from '@springtide/ports/replicas';
import type { KnownFleet } from './known-fleet.ts';
import { Lanes } from './lanes.ts';
import { markingOf, type Written, written } from './marking.ts';

export interface ScaleInTools {
  readonly replicas: Replicas;
  readonly fleet: KnownFleet;
  readonly clock: Clock;
}

/** What was done about it. The change itself is let through whatever this says. */
export type ScaleInOutcome =
  /** Nobody has to be chosen: no pod leaves, all leave, or none holds a card. */
  | { readonly outcome: 'indifferent' }
  /** A StatefulSet with cards: its pods go by ordinal. */
  | { readonly outcome: 'ordinal' }
  /** Several ReplicaSets of the Deployment have pods: each is chosen from when it shrinks itself. */
  | { readonly outcome: 'rollout' }
  /** Dry run: those that would leave. */
  | { readonly outcome: 'shown'; readonly choice: ScaleInChoice }
  /** They carry a cost that puts them first, as the watch has shown. */
  | { readonly outcome: 'chosen'; readonly choice: ScaleInChoice; readonly written: number }
  /** Kubernetes' own order applies to some or all, and why. */
  | { readonly outcome: 'default'; readonly why: DefaultWhy };

export type DefaultWhy = 'notSynced' | 'tooMany' | 'unreadable' | 'unwritten' | 'late';

/**
 * From a request to the last write: the API server waits for the answer, and whoever asked it does. Longer where many
 * pods have to be marked, which a busy API server takes its time for.
 */
export const BUDGET = { baseMs: 3000, perMarkMs: 20, maxMs: 8000 } as const;
/** The mark has to be seen by our own watch within so long; it is let through then all the same. */
const SEEN_MS_MAX = 500;
/** The controller's watch is another one than ours: so long it may be later. */
const SETTLE_MS = 50;
/** A workload larger than this is left to Kubernetes' order. */
const REPLICAS_MAX = 5000;
/** A mark as old as this is written anew, so that nobody takes it back while it is needed. */
const FRESH_MS = 30_000;

/**
 * Before replicas become fewer, the pods whose leaving frees most get a lower deletion cost (P6). Requests for one
 * ReplicaSet are decided one after the other, so that the last one decides. Nothing here throws or refuses.
 */
export class ScaleIn {
  readonly #tools: ScaleInTools;
  readonly #lanes = new Lanes();

  constructor(tools: ScaleInTools) {
    this.#tools = tools;
  }

  async decide(request: ScaleInRequest): Promise<ScaleInOutcome> {
    const { fleet, clock } = this.#tools;
    const askedAtMs = clock.nowMs();
    if (!fleet.isSynced) return byDefault('notSynced');
    if (!fleet.hasCards(request)) return { outcome: 'indifferent' };
    if (request.kind === 'StatefulSet') return { outcome: 'ordinal' };
    const found = await this.#shrinking(request);
    if (!('selector' in found)) return found;
    return this.#lanes.run(found.uid, () => this.#steer(found, request, askedAtMs));
  }

  /** The ReplicaSet that will shrink. */
  async #shrinking({ kind, namespace, name }: ScaleInRequest): Promise<ReplicaSet | ScaleInOutcome> {
    const { replicas } = this.#tools;
    if (kind === 'ReplicaSet') {
      const found = await replicas.replicaSet(namespace, name);
      return found.ok ? found.value : byDefault('unreadable');
    }
    const found = await replicas.ofDeployment(namespace, name);
    if (!found.ok) return byDefault('unreadable');
    const [only, another] = found.value;
    if (another !== undefined) return { outcome: 'rollout' };
    return only ?? { outcome: 'indifferent' };
  }

  async #steer(replicaSet: ReplicaSet, { to, isDryRun }: ScaleInRequest, askedAtMs: number): Promise<ScaleInOutcome> {
    const { replicas, clock } = this.#tools;
    if (clock.nowMs() >= askedAtMs + BUDGET.maxMs) return byDefault('late');
    const listed = await replicas.pods(replicaSet);
    if (!listed.ok) return byDefault('unreadable');
    const pods = listed.value;
    const count = pods.length - to;
    if (pods.length > REPLICAS_MAX) return byDefault('tooMany');
    if (count <= 0 || to === 0) return { outcome: 'indifferent' };
    const choice = this.#choose(pods, count);
    const isOurs = choice.leaving.some(({ why }) => why === 'chosen');
    if (isDryRun) return isOurs ? { outcome: 'shown', choice } : { outcome: 'indifferent' };
    const mark = { replicaSet: replicaSet.uid, to, atMs: clock.wallMs() };
    const leaving = new Set(isOurs ? choice.leaving.map(({ replica }) => replica.uid) : []);
    const { done, failed, isCut } = await this.#write(pods, leaving, mark, askedAtMs);
    if (isCut) return byDefault('late');
    if (failed > 0) return byDefault('unwritten');
    return isOurs ? { outcome: 'chosen', choice, written: done.length } : { outcome: 'indifferent' };
  }

  #choose(pods: readonly ReplicaPod[], count: number): ScaleInChoice {
    const { fleet, clock } = this.#tools;
    const siblingsOn = new Map<string, number>();
    for (const { replica } of pods)
      siblingsOn.set(replica.machine ?? '', (siblingsOn.get(replica.machine ?? '') ?? 0) + 1);
    const namespace = pods[0]?.ref.namespace ?? '';
    const book = fleet.bookAround(new Set(siblingsOn.keys()), namespace);
    return chooseScaleIn(
      book,
      pods.map(({ replica }) => replica),
      count,
      { siblingsOn, nowMs: clock.wallMs(), isGuarded: fleet.guardian(namespace) },
    );
  }

  async #write(
    pods: readonly ReplicaPod[],
    leaving: ReadonlySet<string>,
    mark: ScaleInMark,
    askedAtMs: number,
  ): Promise<Written> {
    const { replicas, clock } = this.#tools;
    const { takenBack, given } = markingOf(pods, leaving, mark, ({ atMs }) => mark.atMs - atMs < FRESH_MS);
    const wantedMs = BUDGET.baseMs + BUDGET.perMarkMs * (takenBack.length + given.length);
    const untilMs = askedAtMs + Math.min(BUDGET.maxMs, wantedMs);
    const isLate = (): boolean => clock.nowMs() >= untilMs;
    const back = await written(replicas, takenBack, isLate);
    const marked = await written(replicas, given, isLate);
    const done = [...back.done, ...marked.done];
    if (done.length > 0) await this.#untilSeen(done, mark);
    return { done, failed: back.failed + marked.failed, isCut: back.isCut || marked.isCut };
  }

  /**
   * Waits, for a bounded time, until our own watch shows the marks, and a little longer for the controller's. There
   * is no certainty: the controller reads a copy of its own, which nobody else can ask how old it is.
   */
  async #untilSeen(orders: readonly MarkOrder[], { atMs }: ScaleInMark): Promise<void> {
    const { fleet, clock } = this.#tools;
    const wanted = new Map(orders.map(({ pod, mark }) => [pod.uid, mark === null ? null : atMs]));
    const pods = orders.map(({ pod }) => pod);
    const seen = fleet.untilSeen(pods, ({ uid, scaleInMark }) => (scaleInMark?.atMs ?? null) === wanted.get(uid));
    await Promise.race([seen, passed(clock, SEEN_MS_MAX)]);
    await passed(clock, SETTLE_MS);
  }
}

function passed(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => void clock.after(ms, resolve));
}

function byDefault(why: DefaultWhy): ScaleInOutcome {
  return { outcome: 'default', why };
}
