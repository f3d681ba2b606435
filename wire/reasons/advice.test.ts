import { expect, test } from 'vitest';
import type { ExpectedStart, FlavorAdvice } from '@springtide/core/model';
import { adviceText, roundedTimeText } from './advice.ts';

const MINUTE_MS = 60_000;

function advice(flavor: string, start: ExpectedStart, priceMicrosPerHour: number): FlavorAdvice {
  return { flavor, start, priceMicrosPerHour, bytesToMove: null, ageMs: 0 };
}

test('advice is one sentence, prices beside that of the first flavor', () => {
  const all = [
    advice('A100', { kind: 'later', p50Ms: 7 * MINUTE_MS, p90Ms: 25 * MINUTE_MS }, 2_000_000),
    advice('H100', { kind: 'now' }, 3_000_000),
    advice('L40S', { kind: 'unforeseeable' }, 1_000_000),
  ];
  expect(adviceText(all, 'en')).toBe(
    'A100: about 7 min (9 of 10: within 25 min); H100: now, dearer; L40S: not foreseeable, cheaper',
  );
  expect(adviceText(all, 'zh')).toBe(
    'A100：约 7 分钟（十次有九次在 25 分钟内）；H100：现在，更贵；L40S：无法预计，更便宜',
  );
});

test('times are told as one says them, and never as nothing', () => {
  const text = (minutes: number): string => roundedTimeText(minutes * MINUTE_MS, 'en');
  expect([0, 1, 119, 121, 47 * 60, 49 * 60].map(text)).toEqual(['1 min', '1 min', '119 min', '2 h', '47 h', '2 d']);
});
