import { COHORT_DEPTH_MAX, QUOTA_MAX, type QuotaFault } from '@springtide/core/model';
import { message } from '../messages/index.ts';
import type { Wording } from './refusals.ts';
import { grouped } from './units.ts';

/** What is wrong with quota specs, where, and what would mend it. */
export function quotaFaultText({ language }: Wording, { object, id, field, problem, value }: QuotaFault): string {
  return message(language, 'quota.fault', {
    object: message(language, `quota.object.${object}`),
    id,
    field,
    problem: message(language, `quota.problem.${problem}`, {
      value,
      most: grouped(QUOTA_MAX),
      deepest: COHORT_DEPTH_MAX,
    }),
  });
}
