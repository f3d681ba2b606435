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
export function placeWaiting(placer: Placer, item: Waiting, place: GangPlace): GangTurn {
  const missing = Math.max(0, item.wanted - item.started);
  const must = gangOf(item, place.beside, item.pods.slice(0, Math.max(1, missing)));
  const { asked, there, free } = gangCards(placer.book, must);
  const cards = { cardsAsked: asked, cardsThere: there, cardsFree: free };
  if (asked > there) return { ok: false, reason: 'gang-too-large', report: { ...gangReport(item), ...cards } };
  // Most that wait are refused by this, and need not be tried.
  if (asked > free) return { ok: false, reason: 'gang-no-room', report: { ...gangReport(item), ...cards } };
  const decision = missing === 0 ? placeEach(placer, item, place) : placeTogether(placer, item, must, place);
  if (decision.ok) return decision;
  return { ok: false, reason: 'gang-no-room', report: { ...gangReport(item), ...cards, refusal: decision.refusal } };
}

type Placed =
  | { readonly ok: true; readonly holdings: readonly Holding[] }
  | { readonly ok: false; readonly refusal: GangRefusal };

function placeTogether(placer: Placer, item: Waiting, must: Gang, { reservation, beside }: GangPlace): Placed {
  const all = placeGang(placer, gangOf(item, beside), reservation);
  return all.ok || must.members.length === item.pods.length ? all : placeGang(placer, must, reservation);
}

function placeEach(placer: Placer, item: Waiting, { beside }: GangPlace): Placed {
  const holdings: Holding[] = [];
  let refused: GangRefusal | null = null;
  for (const pod of item.pods) {
    const decision = placeGang(placer, gangOf(item, beside, [pod]));
    if (decision.ok) holdings.push(...decision.holdings);
    else refused = decision.refusal;
  }
  return refused === null || holdings.length > 0 ? { ok: true, holdings } : { ok: false, refusal: refused };
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
    cardsFree: 0,
  };
}
