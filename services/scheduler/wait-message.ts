import type { Request } from '@springtide/core/model';
import type { GangReport, WaitReason, WaitReport } from '@springtide/core/scheduler';
import { cardResource } from '@springtide/core/vendors';
import { claimText, refusalText, remedyText, type Wording } from '@springtide/wire/reasons';

/** `kubectl describe` shows this much well; the rest is in `springtide explain`. */
const LENGTH_MAX = 1000;

const WORDING: Wording = { language: 'en' };

/** Why a pod waits and what would change it, as the message of its condition and event. */
export function waitMessage({ reason, explanation, gang, claims }: WaitReport, request: Request): string {
  const troubles = claims.map((trouble) => claimText(WORDING, trouble)).join('; ');
  if (reason === 'claims') return `Its resource claims cannot be served: ${troubles}.`.slice(0, LENGTH_MAX);
  const other = otherKindOf(request);
  if (other !== null) {
    return `It asks for cards of two kinds, ${other.join(' and ')}, and a pod is given cards of one kind: ask for one of them.`;
  }
  if (gang !== null) return gangMessage(reason, gang).slice(0, LENGTH_MAX);
  const refusals = explanation?.refusals.map((refusal) => refusalText(WORDING, refusal)) ?? [];
  const remedies = explanation?.remedies.slice(0, 3).map((remedy) => remedyText(WORDING, remedy)) ?? [];
  const help = remedies.length > 0 ? ` What would help: ${remedies.join('; or ')}.` : '';
  const more = troubles === '' ? '' : ` Besides, ${troubles}.`;
  return `No machine takes it: ${refusals.join(', ')}.${help}${more}`.slice(0, LENGTH_MAX);
}

/** The two kinds of card that a pod asks for; null: it asks for one, or none. */
function otherKindOf({ cards, resources }: Request): readonly [string, string] | null {
  if (cards.kind === 'none') return null;
  const other = [...resources.keys()].find((name) => cardResource(name) !== null);
  return other === undefined ? null : [cards.resource, other];
}

function gangMessage(reason: WaitReason, gang: GangReport): string {
  const { id, members, membersWanted, topology, unknownTopology, refusal, cardsAsked, cardsThere, cardsFree } = gang;
  const within = topology?.mode === 'required' ? ` within one ${topology.level}` : '';
  switch (reason) {
    case 'gang-incomplete':
      if (!Number.isFinite(membersWanted)) {
        return `Nothing says how many members its gang ${id} has: make the object that describes it.`;
      }
      return `Its gang has ${members} of ${membersWanted} members; none starts before all can.`;
    case 'gang-topology':
      return `Its gang has to be within one value of the node label ${unknownTopology}, which is no level that this scheduler knows: start it with --rack-label ${unknownTopology}.`;
    case 'gang-too-large':
      return `Its gang asks for ${cardsAsked} cards at once${within}, and machines that may take it have ${cardsThere} even when they are empty: ask for fewer, or add machines.`;
    default: {
      if (refusal === null && cardsAsked > cardsFree) {
        return `Its gang asks for ${cardsAsked} cards at once${within}, and its members would find only ${cardsFree} free: it starts when there is room for all.`;
      }
      const refusals = refusal?.refusals.map((count) => refusalText(WORDING, count)).join(', ') ?? 'no machine';
      const [placed, all] = [refusal?.membersPlaced ?? 0, refusal?.members ?? members];
      return `No room for all members of its gang at once${within}: ${placed} of ${all} find a place, and then none is left for ${refusal?.pod ?? 'any'}: ${refusals}. It starts when there is room for all.`;
    }
  }
}
