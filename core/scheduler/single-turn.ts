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

/** Places a single pod. The book keeps the holding when the answer is yes. */
export function placeOne(placer: Placer, { item, pods }: Waiting & { readonly item: Item }): SingleTurn {
  const [seen] = pods as [SeenPod];
  const requestClass = placer.book.classOf(seen.pod.request, seen.pod.tenant);
  if (!item.memory.isObserved) placer.policy.observe(requestClass);
  item.memory.isObserved = true;
  const decision = placer.decide(seen.pod, requestClass);
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
