import type { ExpectedStart, FlavorAdvice } from '@springtide/core/model';
import { message, type Language } from '../messages/index.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/**
 * What a waiting person asks, in one sentence: `A100: about 7 min (9 of 10: within 25 min); H100: now, dearer`. The
 * price of each is compared with that of the first, which is the one preferred.
 */
export function adviceText(advice: readonly FlavorAdvice[], language: Language): string {
  const first = advice[0]?.priceMicrosPerHour ?? 0;
  const parts = advice.map(({ flavor, start, priceMicrosPerHour }) => {
    const text = startText(start, language);
    if (priceMicrosPerHour === first) return message(language, 'advice.flavor', { flavor, start: text });
    const key = priceMicrosPerHour > first ? 'advice.dearer' : 'advice.cheaper';
    return message(language, key, { flavor, start: text });
  });
  return parts.join(language === 'zh' ? '；' : '; ');
}

export function startText(start: ExpectedStart, language: Language): string {
  if (start.kind !== 'later') return message(language, `advice.${start.kind}`);
  return message(language, 'advice.later', {
    p50: roundedTimeText(start.p50Ms, language),
    p90: roundedTimeText(start.p90Ms, language),
  });
}

/** A length of time as one says it: minutes up to two hours, hours up to two days, then days; one minute at least. */
export function roundedTimeText(ms: number, language: Language): string {
  if (ms >= 2 * DAY_MS) return message(language, 'advice.days', { count: Math.round(ms / DAY_MS) });
  if (ms >= 2 * HOUR_MS) return message(language, 'advice.hours', { count: Math.round(ms / HOUR_MS) });
  return message(language, 'advice.minutes', { count: Math.max(1, Math.round(ms / MINUTE_MS)) });
}
