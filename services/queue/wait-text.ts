import type { JobRefusal, JobWait, QuotaLack } from '@springtide/core/model';

/** Why a job waits, in one line of the status of its Workload. */
export function waitText(wait: JobWait): string {
  switch (wait.kind) {
    case 'quota':
      return wait.lacks.map(lackText).join('; ');
    case 'place': {
      const { flavor, cardsAsked, cardsFree, podsPlaced, pods } = wait;
      return `${flavor === '' ? 'no place' : `no place on ${flavor}`}: ${podsPlaced} of ${pods} pods fit, ${cardsAsked} cards asked, ${cardsFree} free`;
    }
    case 'behind':
      return `behind ${wait.job}, which is before it in a strict queue`;
    case 'would-delay':
      return `it would delay ${wait.job}, which is to start by ${new Date(wait.startMs).toISOString()}`;
    case 'eviction':
      return `${wait.jobs.length} jobs leave its place, by ${new Date(wait.untilMs).toISOString()}`;
    case 'back-off':
      return `it rests until ${new Date(wait.untilMs).toISOString()} after ${wait.cause}`;
    case 'flavor':
      return `its queue has none of the flavors that it accepts; it has ${wait.there.join(', ')}`;
    case 'no-queue':
      return `there is no queue ${wait.queue}, or it takes nothing in`;
    case 'turn':
      return 'it has not had its turn';
  }
}

function lackText({ flavor, resource, node, asked, available }: QuotaLack): string {
  return `${flavor} ${resource}: ${asked} asked, ${available} available in ${node}`;
}

/** Why it can never start as it is. */
export function refusalText(refusal: JobRefusal): string {
  switch (refusal.kind) {
    case 'larger-than-cohort':
      return `${refusal.flavor} ${refusal.resource}: ${refusal.asked} asked, ${refusal.most} are the most there could be`;
    case 'no-flavor':
      return `its queue has none of the flavors ${refusal.asked.join(', ')}; it has ${refusal.there.join(', ')}`;
    case 'no-quota':
      return `no flavor of its queue has quota for ${refusal.resource}`;
    case 'field':
      return `${refusal.path}: expected ${refusal.expected}, found ${refusal.given}`;
    case 'duplicate':
      return `it is queued already as ${refusal.job}`;
  }
}
