import type { Machine } from '@springtide/core/model';
import type { Freed, Leaving } from '@springtide/core/scale-in';
import { message, type Language } from '@springtide/wire/messages';
import type { Cluster } from '../../cluster/index.ts';
import { textTable } from '../../terminal/index.ts';
import { countOf, type Plan, type PlanAsked } from './plan.ts';

export function planText(cluster: Cluster, asked: PlanAsked, plan: Plan, language: Language): string {
  const { target, replicas, to } = asked;
  const { kind, namespace, name } = target;
  const workload = `${namespace}/${name}`;
  const from = countOf(replicas);
  switch (plan.kind) {
    case 'nothing':
      return message(language, 'scaleIn.nothing', { workload, kind, from, to });
    case 'ordinal':
      return message(language, 'scaleIn.ordinal', { workload });
    case 'rollout':
      return message(language, 'scaleIn.rollout', { workload, replicaSets: plan.replicaSets.join(', ') });
    case 'choice': {
      const { leaving, frees } = plan.choice;
      const { cards, machines } = plan.usual;
      return [
        message(language, 'scaleIn.head', { workload, kind, from, to, count: leaving.length }),
        leavingTable(cluster, leaving, language),
        freesText(cluster, frees, language),
        message(language, 'scaleIn.usual', { cards: cards.length, machines: machines.length }),
      ].join('\n\n');
    }
  }
}

function leavingTable(cluster: Cluster, leaving: readonly Leaving[], language: Language): string {
  const head = (column: 'pod' | 'machine' | 'cards' | 'why') =>
    ({ head: message(language, `scaleIn.column.${column}`), align: 'text' }) as const;
  const rows = leaving.map(({ replica, why }) => [
    replica.pod.id,
    replica.machine ?? message(language, 'scaleIn.waits'),
    cardsOf(cluster, replica.pod.id).join(', '),
    message(language, `scaleIn.why.${why}`),
  ]);
  return textTable([head('pod'), head('machine'), head('cards'), head('why')], rows);
}

export function cardsOf({ book }: Cluster, pod: string): string[] {
  return (book.holdings.get(pod)?.cards ?? []).map((card) => book.cardIds[card] as string);
}

export function machineNames({ book }: Cluster, { machines }: Freed): string[] {
  return machines.map((machine) => (book.machines[machine] as Machine).id);
}

function freesText(cluster: Cluster, frees: Freed, language: Language): string {
  const values = { cards: frees.cards.length, machines: frees.machines.length };
  const names = machineNames(cluster, frees).join(language === 'zh' ? '、' : ', ');
  if (names === '') return message(language, 'scaleIn.frees', values);
  return message(language, 'scaleIn.freesNamed', { ...values, names });
}
