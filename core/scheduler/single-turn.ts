import { compareText } from '../base/index.ts';
import type { Explanation, RefusalCount } from '../model/index.ts';
import { explain, type Placer } from '../placement/index.ts';
import type { Holding } from '../state/index.ts';
import type { SeenPod } from './events.ts';
import type { Item, Lane, Waiting } from './queue.ts';

/** An explanation is made anew when other filters refuse, or when it is older than this. */
const EXPLAINED_MS = 30_000;

/** What became of a single pod's turn. */
export type SingleTurn =
  | { readonly ok: true; readonly holdings: readonly Holding[] }
  | { readonly ok: false; readonly refusals: readonly RefusalCount[] };

/** Tells the policy of a pod that has come, once, so that it learns what is asked for: placed or not. */
export function observe(placer: Placer, { item, pods }: Waiting & { readonly item: Item }): void {
  if (item.memory.isObserved) return;
  item.memory.isObserved = true;
  const [{ pod }] = pods as [SeenPod];
  placer.policy.observe(placer.book.classOf(pod.request, pod.tenant));
}

/** Places a single pod. The book keeps the holding when the answer is yes. */
export function placeOne(placer: Placer, { pods }: Waiting): SingleTurn {
  const [{ pod }] = pods as [SeenPod];
  const decision = placer.decide(pod);
  if (!decision.ok) return decision;
  placer.book.hold(decision.holding);
  return { ok: true, holdings: [decision.holding] };
}

/**
 * Why what rests in a lane is refused. Made anew when other filters refuse than before, and otherwise not too often:
 * it costs a look at every machine.
 */
export function explained(
  placer: Placer,
  lane: Lane,
  { pods, nowMs }: Waiting & { readonly nowMs: number },
  refusals: readonly RefusalCount[] | null,
): Explanation {
  const [{ pod }] = pods as [SeenPod];
  const known = lane.explained;
  const names = refusals?.map(({ filter }) => filter).toSorted(compareText);
  const filters = names?.join(' ') ?? known?.filters ?? '';
  if (known !== null && known.filters === filters && nowMs - known.atMs < EXPLAINED_MS) {
    return { ...known.explanation, pod: pod.id };
  }
  const explanation = explain(placer, pod);
  lane.explained = { filters, atMs: nowMs, explanation };
  return explanation;
}
