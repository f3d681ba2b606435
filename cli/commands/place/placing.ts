import type { RequestedPods, RequestedWorkload } from '@springtide/adapters/kubernetes';
import type { Explanation, Pod } from '@springtide/core/model';
import {
  copiesThatFit,
  explain,
  feasibleMachines,
  placeGang,
  type Copies,
  type Domain,
  type GangRefusal,
  type Placer,
} from '@springtide/core/placement';
import type { Holding } from '@springtide/core/state';
import type { Cluster } from '../../cluster/index.ts';

/** Equal pods of a workload, before any of it is placed. */
export interface PodSetAnswer {
  readonly asked: RequestedPods;
  /** By rank. */
  readonly feasible: readonly number[];
  readonly copies: Copies;
  readonly explanation: Explanation;
}

export interface WorkloadAnswer {
  readonly workload: RequestedWorkload;
  /** All of its pods find a place, together if it is a gang. */
  readonly fits: boolean;
  /** Pods that find a place, or would if the gang could start without the others. */
  readonly placed: number;
  readonly podSets: readonly PodSetAnswer[];
  /** Where they go, in the order of the pods; empty for a gang that cannot start. */
  readonly holdings: readonly Holding[];
  /** Where a gang would be; null when it is none or cannot start. */
  readonly domain: Domain | null;
  readonly gangRefusal: GangRefusal | null;
  /** The first pod that finds no place when those before it are placed; null when all do, or nobody knows. */
  readonly missing: Explanation | null;
}

/** Places workloads one after the other, each beside what was placed before it. The book is as before afterwards. */
export function placeAll(cluster: Cluster, workloads: readonly RequestedWorkload[]): WorkloadAnswer[] {
  const { book, placer } = cluster;
  const savepoint = book.savepoint();
  const answers = workloads.map((workload) => placeOne(placer, workload));
  book.rollBack(savepoint);
  return answers;
}

function placeOne(placer: Placer, workload: RequestedWorkload): WorkloadAnswer {
  const podSets = workload.podSets.map((asked): PodSetAnswer => {
    const { pod } = asked;
    return {
      asked,
      feasible: feasibleMachines(placer, pod),
      copies: copiesThatFit(placer, pod),
      explanation: explain(placer, pod),
    };
  });
  return workload.gang ? placeTogether(placer, workload, podSets) : placeApart(placer, workload, podSets);
}

/** The pods of a set, each with an id that nobody in the book has. */
function* podsOf(placer: Placer, { pod, count }: RequestedPods): Generator<Pod> {
  let next = 0;
  for (let i = 0; i < count; i += 1) {
    let id = `${pod.id}-${next++}`;
    while (placer.book.holdings.has(id)) id = `${pod.id}-${next++}`;
    yield { ...pod, id };
  }
}

function placeApart(placer: Placer, workload: RequestedWorkload, podSets: readonly PodSetAnswer[]): WorkloadAnswer {
  const holdings: Holding[] = [];
  let missing: Explanation | null = null;
  for (const set of workload.podSets) {
    const stop = placeSet(placer, set, holdings);
    missing ??= stop;
  }
  const fits = holdings.length === workload.replicas;
  return { workload, fits, placed: holdings.length, podSets, holdings, domain: null, gangRefusal: null, missing };
}

/** Places pods of a set until one finds no place; that one is explained. */
function placeSet(placer: Placer, set: RequestedPods, holdings: Holding[]): Explanation | null {
  for (const pod of podsOf(placer, set)) {
    const decision = placer.decide(pod);
    if (!decision.ok) return explain(placer, pod);
    placer.book.hold(decision.holding);
    holdings.push(decision.holding);
  }
  return null;
}

function placeTogether(placer: Placer, workload: RequestedWorkload, podSets: readonly PodSetAnswer[]): WorkloadAnswer {
  const base = { workload, podSets, domain: null, gangRefusal: null, holdings: [] };
  const isHopeless = podSets.some(({ asked, copies }) => !copies.isCut && asked.count > copies.total);
  if (!isHopeless) {
    const decision = placeGang(placer, {
      id: workload.id,
      topology: workload.topology,
      members: workload.podSets.flatMap((set) =>
        [...podsOf(placer, set)].map((pod) => ({ pod, role: 'worker' as const })),
      ),
    });
    if (decision.ok) {
      const { holdings, domain } = decision;
      return { ...base, fits: true, placed: holdings.length, holdings, domain, missing: null };
    }
    if (workload.topology !== null) {
      const { refusal } = decision;
      return { ...base, fits: false, placed: refusal.membersPlaced, gangRefusal: refusal, missing: null };
    }
  }
  return { ...base, fits: false, ...firstMissing(placer, workload) };
}

/** How far the pods of a gang come one by one, and why the next one does not. Nothing of it stays. */
function firstMissing(placer: Placer, workload: RequestedWorkload): Pick<WorkloadAnswer, 'placed' | 'missing'> {
  const savepoint = placer.book.savepoint();
  const holdings: Holding[] = [];
  let missing: Explanation | null = null;
  for (const set of workload.podSets) missing ??= placeSet(placer, set, holdings);
  placer.book.rollBack(savepoint);
  return { placed: holdings.length, missing };
}
