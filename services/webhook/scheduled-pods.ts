import { sliceOwner } from '@springtide/core/vendors';
import type { AskedPods, PodChanges, PodVerdict } from '@springtide/ports/admission';
import { said } from '@springtide/wire/messages';
import { type Cards, requestFaults } from './request-faults.ts';
import { saidTwice } from './said-twice.ts';

/** What Kubernetes puts into pods that name no scheduler. */
const DEFAULT_SCHEDULER = 'default-scheduler';

export const NO_CHANGES: PodChanges = {
  schedulerName: null,
  limits: new Map(),
  tolerations: [],
  labels: new Map(),
};

export function isUnset(schedulerName: string): boolean {
  return schedulerName === '' || schedulerName === DEFAULT_SCHEDULER;
}

/**
 * A pod of a namespace that is ours. One that asks for cards and names no scheduler gets ours; what it asks for is
 * looked at, since here is where its owner reads the answer. A pod of another scheduler is none of our business.
 */
export function scheduledPod(asked: AskedPods, schedulerName: string, cards: Cards): PodVerdict {
  const isNamed = asked.template.own !== '';
  if (asked.hasAnnotatedTemplate && !isNamed) {
    return { verdict: 'refused', message: saidTwice(said('admission.template.annotated')) };
  }
  const isOurs = isUnset(asked.schedulerName) || asked.schedulerName === schedulerName;
  if (!isOurs || !asked.containers.some(asksForCards)) {
    return { verdict: 'admitted', changes: NO_CHANGES, warnings: [] };
  }
  const { refusal, warnings } = requestFaults(asked, cards);
  if (refusal !== null) return { verdict: 'refused', message: saidTwice(refusal) };
  const name = asked.schedulerName === schedulerName ? null : schedulerName;
  return { verdict: 'admitted', changes: { ...NO_CHANGES, schedulerName: name }, warnings: warnings.map(saidTwice) };
}

/** A part of a card alone is one card, as HAMi takes it; a count of none is none. */
function asksForCards({ cards }: AskedPods['containers'][number]): boolean {
  return cards.some(({ resource, amount }) => amount !== 0 || sliceOwner(resource) !== null);
}
