import type { JobLeave, JobRefusal, JobWait, QuotaLack } from '@springtide/core/model';
import { type Language, message } from '../messages/index.ts';
import { bytesText, coresText, grouped, mibText, percentText } from './units.ts';

type WaitOf<K extends JobWait['kind']> = Extract<JobWait, { readonly kind: K }>;

/** Jobs that are named before the rest is only counted. */
const NAMED_MAX = 3;

/** Why a job waits, as a sentence or two. */
export function jobWaitText(language: Language, wait: JobWait): string {
  switch (wait.kind) {
    case 'quota':
      return message(language, 'job.wait.quota', { lacks: listed(language, wait.lacks.map(lackText(language))) });
    case 'place':
      return placeText(language, wait);
    case 'behind':
      return message(language, 'job.wait.behind', { job: wait.job });
    case 'would-delay':
      return message(language, 'job.wait.wouldDelay', { job: wait.job, at: momentText(wait.startMs) });
    case 'eviction': {
      const { jobs, untilMs } = wait;
      const named = jobs.length <= NAMED_MAX ? jobs : [...jobs.slice(0, NAMED_MAX), '…'];
      const values = { jobs: named.join(comma(language)), count: jobs.length, at: momentText(untilMs) };
      return message(language, 'job.wait.eviction', values);
    }
    case 'back-off': {
      const cause = jobLeaveText(language, wait.cause);
      return message(language, 'job.wait.backOff', { at: momentText(wait.untilMs), cause });
    }
    case 'flavor':
      return message(language, 'job.wait.flavor', { there: wait.there.join(comma(language)) });
    case 'no-queue':
      return message(language, 'job.wait.noQueue', { queue: wait.queue });
    case 'turn':
      return message(language, 'job.wait.turn');
  }
}

function placeText(language: Language, wait: WaitOf<'place'>): string {
  const { podsPlaced: placed, pods, cardsAsked: asked, cardsFree: free, nearest } = wait;
  const parts = [message(language, 'job.wait.place', { where: whereOf(language, wait), placed, pods })];
  if (asked > 0) parts.push(message(language, 'job.wait.placeFree', { asked, free }));
  if (nearest !== '') parts.push(message(language, 'job.wait.placeNearest', { nearest }));
  return parts.join(language === 'zh' ? '' : ' ');
}

/** What would let a job start that waits. */
export function jobChangeText(language: Language, wait: JobWait): string {
  switch (wait.kind) {
    case 'quota':
      return quotaChangeText(language, wait.lacks);
    case 'place':
      return isTornApart(wait)
        ? message(language, 'job.change.placeFree')
        : message(language, 'job.change.place', { where: whereOf(language, wait) });
    case 'would-delay':
      return message(language, 'job.change.wouldDelay');
    case 'back-off':
      return message(language, 'job.change.backOff');
    case 'no-queue':
      return message(language, 'job.change.noQueue');
    default:
      return message(language, `job.change.${wait.kind}`);
  }
}

/** As many cards are free as it asks for, and not as one. */
function isTornApart({ cardsAsked, cardsFree }: WaitOf<'place'>): boolean {
  return cardsAsked > 0 && cardsFree >= cardsAsked;
}

function quotaChangeText(language: Language, lacks: readonly QuotaLack[]): string {
  const [lack] = lacks;
  if (lack === undefined) return message(language, 'job.change.turn');
  const { node, borrowers, resource } = lack;
  if (borrowers.length === 0) return message(language, 'job.change.quota', { node });
  const named = borrowers.map(({ queue, amount }) =>
    message(language, 'job.borrower', { queue, amount: quotaAmountText(resource, amount) }),
  );
  return message(language, 'job.change.quotaBorrowed', { node, borrowers: named.join(comma(language)) });
}

/** Why a job can never start as it is, and what would fit. */
export function jobRefusalText(language: Language, refusal: JobRefusal): string {
  switch (refusal.kind) {
    case 'larger-than-cohort': {
      const { flavor, resource } = refusal;
      const [asked, most] = [refusal.asked, refusal.most].map((amount) => quotaAmountText(resource, amount));
      const values = { flavor, resource: quotaResourceText(language, resource), asked: asked ?? '', most: most ?? '' };
      return message(language, 'job.refused.largerThanCohort', values);
    }
    case 'no-flavor': {
      const there = refusal.there.join(comma(language));
      if (refusal.asked.length === 0) return message(language, 'job.refused.noFlavorSuits', { there });
      return message(language, 'job.refused.noFlavor', { asked: refusal.asked.join(comma(language)), there });
    }
    case 'no-quota':
      return message(language, 'job.refused.noQuota', { resource: quotaResourceText(language, refusal.resource) });
    case 'field': {
      const { path, expected, given } = refusal;
      return message(language, 'job.refused.field', { path, expected, given });
    }
    case 'duplicate':
      return message(language, 'job.refused.duplicate', { job: refusal.job });
  }
}

/** Why it was told to leave, as part of a sentence. */
export function jobLeaveText(language: Language, leave: JobLeave): string {
  return message(language, `job.leave.${leave}`);
}

function lackText(language: Language): (lack: QuotaLack) => string {
  return ({ flavor, resource, node, asked, available }) =>
    message(language, 'job.lack', {
      flavor,
      resource: quotaResourceText(language, resource),
      asked: quotaAmountText(resource, asked),
      available: quotaAmountText(resource, available),
      node,
    });
}

const RESOURCES = ['cards', 'cardMemoryMiB', 'computeMilli', 'priceMicrosPerHour', 'cpuMilli', 'memoryBytes'] as const;

/** What a quota counts, by its name among people; a resource of a plug-in by its own. */
export function quotaResourceText(language: Language, resource: string): string {
  const known = RESOURCES.find((each) => each === resource);
  return known === undefined ? resource : message(language, `job.resource.${known}`);
}

/** An amount of a quota in the unit of its resource. */
export function quotaAmountText(resource: string, amount: number): string {
  switch (resource) {
    case 'cardMemoryMiB':
      return mibText(amount);
    case 'computeMilli':
      return percentText(amount);
    case 'cpuMilli':
      return coresText(amount);
    case 'memoryBytes':
      return bytesText(amount);
    case 'priceMicrosPerHour':
      return moneyText(amount);
    default:
      return grouped(amount);
  }
}

/** An amount of money in whole units of the currency, with two decimals where there are any. */
export function moneyText(micros: number): string {
  const cents = Math.round(micros / 10_000);
  return cents % 100 === 0 ? grouped(cents / 100) : grouped(Number((cents / 100).toFixed(2)));
}

/** A moment by the clock on the wall, to the minute: `2026-11-30 08:05 UTC`; a dash for none. */
export function momentText(atMs: number): string {
  if (!Number.isFinite(atMs)) return '-';
  return `${new Date(atMs).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

function whereOf(language: Language, { flavor }: { readonly flavor: string }): string {
  return flavor === '' ? message(language, 'job.anyMachine') : flavor;
}

function comma(language: Language): string {
  return language === 'zh' ? '、' : ', ';
}

function listed(language: Language, parts: readonly string[]): string {
  return parts.join(language === 'zh' ? '；' : '; ');
}
