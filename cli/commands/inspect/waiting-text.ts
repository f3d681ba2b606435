import { message } from '@springtide/wire/messages';
import { beyondText, filterText, needText, remedyText, type Wording } from '@springtide/wire/reasons';
import { mainReason } from './main-reason.ts';
import type { WaitingGroup } from './waiting.ts';

/** Why a group of pods waits, in a few words. */
export function whyText(wording: Wording, group: WaitingGroup): string {
  const { language } = wording;
  const { explanation } = group;
  const reason = mainReason(group);
  switch (reason) {
    case 'gated':
      return message(language, 'inspect.waiting.gated');
    case 'fits':
      return message(language, 'inspect.waiting.fits', { machine: explanation.machine ?? '' });
    case 'beyond':
      return explanation.beyond.map((each) => beyondText(wording, each)).join('; ');
    default:
      return filterText(wording, reason);
  }
}

/** What would help most; empty when nothing single would, or nothing is needed. */
export function helpText(wording: Wording, { gated, explanation }: WaitingGroup): string {
  const { remedies, nearMiss } = explanation;
  const [remedy] = remedies;
  if (gated) return '';
  if (remedy !== undefined) return remedyText(wording, remedy);
  if (nearMiss === null) return '';
  const needs = nearMiss.obstacles.map((each) => needText(wording, each));
  return `${nearMiss.machine}: ${needs.join('; ')}`;
}
