import { type Gang, gangCards, type GangRefusal, placeGang, type Placer } from '../placement/index.ts';
import type { Holding } from '../state/index.ts';
import type { GangReport, SeenPod, WaitReason } from './events.ts';
import type { Waiting } from './queue.ts';

/** What became of a gang's turn. */
export type GangTurn =
  | { readonly ok: true; readonly holdings: readonly Holding[] }
  | { readonly ok: false; readonly reason: WaitReason; readonly report: GangReport };

export interface GangPlace {
  /** What is kept for it, or NOBODY. */
  readonly reservation: number;
  /** Rank of a machine that a member runs on; undefined: none runs. */
  readonly beside: number | undefined;
}

/** What waits of a gang. */
export function gangOf({ key, pods, topology }: Waiting, beside?: number, members: readonly SeenPod[] = pods): Gang {
  const near = beside === undefined ? {} : { beside };
  return { id: key, members: members.map(({ pod }) => ({ pod, role: 'worker' })), topology, ...near };
}

/** Why a gang is not even tried; null: it is. What has started in part is tried whoever is missing. */
export function gangBlock(item: Waiting): WaitReason | null {
  if (item.unknownTopology !== '') return 'gang-topology';
  return item.started === 0 && item.pods.length < item.wanted ? 'gang-incomplete' : null;
}

/**
 * Places all of a gang that waits; where there is no room for all, as many as must start together; and once those
 * have started, each of the others by itself. The book keeps the holdings when the answer is yes.
 */
export function placeWaiting(placer: Placer, item: Waiting, { reservation, beside }: GangPlace): GangTurn {
  const missing = item.wanted - item.started;
  if (missing <= 0) return placeEach(placer, item, beside);
  const decision = placeGang(placer, gangOf(item, beside), reservation);
  if (decision.ok) return decision;
  if (missing >= item.pods.length) return refusal(placer, item, decision.refusal);
  const few = placeGang(placer, gangOf(item, beside, item.pods.slice(0, missing)), reservation);
  return few.ok ? few : refusal(placer, item, few.refusal);
}

function placeEach(placer: Placer, item: Waiting, beside: number | undefined): GangTurn {
  const holdings: Holding[] = [];
  let refused: GangRefusal | null = null;
  for (const pod of item.pods) {
    const decision = placeGang(placer, gangOf(item, beside, [pod]));
    if (decision.ok) holdings.push(...decision.holdings);
    else refused = decision.refusal;
  }
  return holdings.length > 0 ? { ok: true, holdings } : refusal(placer, item, refused);
}

function refusal(placer: Placer, item: Waiting, refused: GangRefusal | null): GangTurn {
  const must = gangOf(item, undefined, item.pods.slice(0, Math.max(1, item.wanted - item.started)));
  const { asked, there } = gangCards(placer.book, must);
  const cards = { cardsAsked: asked, cardsThere: there };
  const reason = asked > there ? 'gang-too-large' : 'gang-no-room';
  return { ok: false, reason, report: { ...gangReport(item), ...cards, refusal: refused } };
}

/** What is told of a gang that was not tried. */
export function gangReport(item: Waiting): GangReport {
  const { key, pods, started, wanted, topology, unknownTopology } = item;
  return {
    id: key.slice('gang:'.length),
    members: started + pods.length,
    membersWanted: wanted,
    topology,
    unknownTopology,
    refusal: null,
    cardsAsked: 0,
    cardsThere: 0,
  };
}
