import type { Freed } from '@springtide/core/scale-in';
import type { Cluster } from '../../cluster/index.ts';
import { countOf, type Plan, type PlanAsked } from './plan.ts';
import { cardsOf, machineNames } from './text.ts';

/** The plan as JSON: a stable interface. */
export function planJson(cluster: Cluster, { target, replicas, to }: PlanAsked, plan: Plan): object {
  const { kind, namespace, name } = target;
  const head = { workload: `${namespace}/${name}`, kind, replicas: countOf(replicas), to, answer: plan.kind };
  if (plan.kind === 'rollout') return { ...head, replicaSets: plan.replicaSets };
  if (plan.kind !== 'choice') return head;
  return {
    ...head,
    replicaSet: [...replicas.keys()][0],
    leaving: plan.choice.leaving.map(({ replica, why }) => ({
      pod: replica.pod.id,
      node: replica.machine,
      cards: cardsOf(cluster, replica.pod.id),
      why,
    })),
    frees: freedJson(cluster, plan.choice.frees),
    kubernetesFrees: freedJson(cluster, plan.usual),
  };
}

function freedJson(cluster: Cluster, freed: Freed): object {
  return { cards: freed.cards.map((card) => cluster.book.cardIds[card]), nodes: machineNames(cluster, freed) };
}
