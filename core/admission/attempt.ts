import { podsOf, type Pod, type Workload } from '../model/index.ts';
import { type Gang, type GangRefusal, placeGang, type Placer } from '../placement/index.ts';
import type { Holding } from '../state/index.ts';
import { avoidsOf } from './avoids.ts';
import type { Fleet } from './fleet.ts';
import type { StartOption } from './start-options.ts';

/** Why one way to start does not work now; the reason for people is made of it when it is told. */
export type Refused =
  | {
      readonly kind: 'quota';
      readonly option: StartOption;
      /** It may not borrow, and its queue's own quota is what is short. */
      readonly isOwnOnly: boolean;
    }
  | { readonly kind: 'place'; readonly option: StartOption; readonly refusal: GangRefusal }
  /** None of the flavors of its queue suits it. */
  | { readonly kind: 'flavor' }
  /** It fits, and would delay a job before it. */
  | { readonly kind: 'delays'; readonly job: string; readonly startMs: number };

export interface Started {
  readonly option: StartOption;
  /** One for each pod, set by set; empty in gate-only mode. */
  readonly holdings: readonly Holding[];
}

export type Attempt = { readonly ok: true; readonly value: Started } | { readonly ok: false; readonly error: Refused };

/** What is to be started. */
export interface Candidate {
  readonly id: string;
  readonly workload: Workload;
  /** Whether its queue may borrow for it. */
  readonly mayBorrow: boolean;
  readonly avoids: readonly string[];
}

/**
 * Starts a job in one way, quota and place in one transaction: the book holds both when the answer is yes, and is as
 * before when it is no. Quota is looked at first, since it costs O(depth) and placing a look at the machines.
 */
export function attempt(fleet: Fleet, candidate: Candidate, option: StartOption, placesPods: boolean): Attempt {
  const { quota } = fleet;
  const isOwnOnly = !candidate.mayBorrow && quota.wouldBorrow(option.demand);
  if (isOwnOnly || !quota.fits(option.demand)) return { ok: false, error: { kind: 'quota', option, isOwnOnly } };
  if (!placesPods) {
    quota.charge(candidate.id, option.demand);
    return { ok: true, value: { option, holdings: [] } };
  }
  const pods = plannedPods({ ...candidate, avoids: avoidsOf(fleet.book, candidate, option) }, option);
  if (fleet.machines.size === 0) return { ok: false, error: { kind: 'place', option, refusal: nowhere(pods) } };
  const decision = placeGang(fleet.placer, gangOf(candidate, option, pods));
  if (!decision.ok) return { ok: false, error: { kind: 'place', option, refusal: decision.refusal } };
  quota.charge(candidate.id, option.demand);
  // Placement starts with the hard ones; what is told goes by pod set and index.
  const byPod = new Map(decision.holdings.map((holding) => [holding.pod.id, holding]));
  return { ok: true, value: { option, holdings: pods.flatMap(({ id }) => byPod.get(id) ?? []) } };
}

/** Tells the placement policy of a job that has come, once, so that it learns what is asked for. */
export function observe({ policy, book }: Placer, candidate: Candidate, option: StartOption): void {
  for (const { request, tenant } of plannedPods(candidate, option)) policy.observe(book.classOf(request, tenant));
}

function nowhere(pods: readonly Pod[]): GangRefusal {
  return { membersPlaced: 0, members: pods.length, nearest: '', pod: pods[0]?.id ?? '', refusals: [] };
}

function gangOf({ id, workload: { topology } }: Candidate, { sets }: StartOption, pods: readonly Pod[]): Gang {
  const roles = sets.flatMap(({ set }) => Array.from({ length: set.count }, () => set.role));
  return { id, members: pods.map((pod, i) => ({ pod, role: roles[i] ?? 'worker' })), topology };
}

/** Places for pods that have not been made yet: their names are none that a pod can have. */
export function plannedPods({ workload, avoids }: Candidate, { sets }: StartOption): Pod[] {
  const podSets = sets.map(({ set }) =>
    avoids.length === 0 ? set : { ...set, request: avoiding(set.request, avoids) },
  );
  return podsOf({ ...workload, podSets }).map((pod) => Object.assign(pod, { id: `${pod.id} (planned)` }));
}

type Request = Pod['request'];

function avoiding(request: Request, machines: readonly string[]): Request {
  const elsewhere = { key: 'metadata.name', operator: 'NotIn' as const, values: machines };
  const { constraints } = request;
  const terms = constraints.nodeTerms ?? [{ expressions: [], fields: [] }];
  const nodeTerms = terms.map(({ expressions, fields }) => ({ expressions, fields: [...fields, elsewhere] }));
  return { ...request, constraints: { ...constraints, nodeTerms } };
}
