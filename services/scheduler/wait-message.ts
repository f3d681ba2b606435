import type { WaitReport } from '@springtide/core/scheduler';
import { refusalText, remedyText, type Wording } from '@springtide/wire/reasons';

/** `kubectl describe` shows this much well; the rest is in `springtide explain`. */
const LENGTH_MAX = 1000;

const WORDING: Wording = { language: 'en' };

/** Why a pod waits and what would change it, as the message of its condition and event. */
export function waitMessage(report: WaitReport): string {
  const { reason, explanation, members, membersWanted } = report;
  if (reason === 'claims') {
    return 'It asks for devices by resource claims, which this scheduler does not allocate yet: ask for cards by resource, or name another scheduler.';
  }
  if (reason === 'gang-incomplete') {
    const wanted = Number.isFinite(membersWanted) ? String(membersWanted) : 'an unknown number of';
    return `Its gang has ${members} of ${wanted} members; none starts before all can.`;
  }
  const gang = reason === 'gang-too-large' ? `No room for all ${members} members of its gang at once. ` : '';
  const refusals = explanation?.refusals.map((refusal) => refusalText(WORDING, refusal)) ?? [];
  const remedies = explanation?.remedies.slice(0, 3).map((remedy) => remedyText(WORDING, remedy)) ?? [];
  const help = remedies.length > 0 ? ` What would help: ${remedies.join('; or ')}.` : '';
  return `${gang}No machine takes it: ${refusals.join(', ')}.${help}`.slice(0, LENGTH_MAX);
}
