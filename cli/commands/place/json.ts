import type { Machine } from '@springtide/core/model';
import { compareText } from '@springtide/core/base';
import type { Holding } from '@springtide/core/state';
import { requestJson, type Cluster } from '../../cluster/index.ts';
import type { PodSetAnswer, WorkloadAnswer } from './placing.ts';

/**
 * The answer as JSON: a stable interface. The fields of the first workload stand at the top; with several in the
 * file, all of them are in `workloads` too, in their order, each judged beside what was placed before it.
 */
export function answerJson(cluster: Cluster, answers: readonly WorkloadAnswer[]): object {
  const all = answers.map((answer) => workloadJson(cluster, answer));
  const fits = answers.every((answer) => answer.fits);
  return answers.length === 1 ? { ...all[0] } : { ...all[0], allFit: fits, workloads: all };
}

function workloadJson(cluster: Cluster, answer: WorkloadAnswer): object {
  const { workload, podSets } = answer;
  const [first] = podSets;
  return {
    workload: workload.id,
    kind: workload.kind,
    replicas: workload.replicas,
    gang: workload.gang,
    topology: workload.topology,
    policy: cluster.placer.policy.name,
    fits: answer.fits,
    placed: answer.placed,
    domain: answer.domain === null ? null : { level: answer.domain.level, name: answer.domain.name },
    ...(first === undefined ? {} : podSetJson(cluster, first)),
    chosen: answer.holdings.map((holding) => chosenJson(cluster, holding)),
    missing: answer.missing,
    gangRefusal: answer.gangRefusal,
    ...(podSets.length > 1 ? { podSets: podSets.map((set) => podSetJson(cluster, set)) } : {}),
  };
}

function nameOf({ book }: Cluster, machine: number): string {
  return (book.machines[machine] as Machine).id;
}

function chosenJson(cluster: Cluster, { pod, machine, cards }: Holding): object {
  const ids = cards.map((card) => cluster.book.cardIds[card]);
  return { pod: pod.id, node: nameOf(cluster, machine), cards: ids };
}

function podSetJson(cluster: Cluster, { asked, feasible, copies, explanation }: PodSetAnswer): object {
  const byNode = [...copies.byMachine].map(([machine, count]) => [nameOf(cluster, machine), count] as const);
  const { refusals, remedies, nearMiss, beyond, best } = explanation;
  return {
    name: asked.name,
    count: asked.count,
    request: requestJson(asked.pod.request),
    hasClaims: asked.hasClaims,
    feasibleNodes: feasible.map((machine) => nameOf(cluster, machine)).toSorted(compareText),
    copiesThatFit: copies.total,
    copiesByNode: Object.fromEntries(byNode.toSorted(([left], [right]) => compareText(left, right))),
    copiesAreCut: copies.isCut,
    refusals,
    remedies,
    nearMiss,
    beyond,
    best,
  };
}
