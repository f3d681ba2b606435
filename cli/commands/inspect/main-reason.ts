import type { FilterName } from '@springtide/core/model';
import type { WaitingGroup } from './waiting.ts';

/**
 * Why a pod waits, in a word: `gated`; `fits` when a machine would take it now; `beyond` when it asks for more
 * than any machine has; else the filter whose lifting would open most machines, or the first one that the
 * nearest machine fails by, or the one that refuses most.
 */
export type MainReason = FilterName | 'gated' | 'fits' | 'beyond';

export function mainReason({ gated, explanation }: Pick<WaitingGroup, 'gated' | 'explanation'>): MainReason {
  if (gated) return 'gated';
  if (explanation.machine !== null) return 'fits';
  if (explanation.beyond.length > 0) return 'beyond';
  const [remedy] = explanation.remedies;
  if (remedy !== undefined) return remedy.filter;
  return explanation.nearMiss?.obstacles[0]?.filter ?? explanation.refusals[0]?.filter ?? 'none';
}
