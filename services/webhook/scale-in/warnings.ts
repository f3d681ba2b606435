import type { ScaleInRequest } from '@springtide/ports/replicas';
import { said, type Said } from '@springtide/wire/messages';
import { saidTwice } from '../said-twice.ts';
import type { ScaleInOutcome } from './scale-in.ts';

/** Pods that a warning names. */
const PODS_TOLD = 2;

/** What whoever shrinks a workload is told: nothing where all went as it should. */
export function scaleInWarnings({ namespace, name }: ScaleInRequest, outcome: ScaleInOutcome): string[] {
  const told = warningOf(`${namespace}/${name}`, outcome);
  return told === null ? [] : [saidTwice(told)];
}

function warningOf(workload: string, outcome: ScaleInOutcome): Said | null {
  switch (outcome.outcome) {
    case 'indifferent':
    case 'rollout':
    case 'chosen':
      return null;
    case 'ordinal':
      return said('scaleIn.webhook.ordinal', { workload });
    case 'default':
      return said(`scaleIn.webhook.default.${outcome.why}`);
    case 'shown': {
      const { leaving, frees } = outcome.choice;
      const names = leaving.slice(0, PODS_TOLD).map(({ replica }) => replica.pod.id.split('/')[1] ?? '');
      const values = { cards: frees.cards.length, machines: frees.machines.length, pods: names.join(', ') };
      const more = leaving.length - names.length;
      return more > 0 ? said('scaleIn.webhook.shownMore', { ...values, more }) : said('scaleIn.webhook.shown', values);
    }
  }
}
