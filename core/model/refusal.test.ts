import { expect, test } from 'vitest';
import { isUsable } from './card.ts';
import { FILTER_CODE, FILTERS } from './refusal.ts';

test('the codes of filters are the numbers of their order, and none is 0', () => {
  expect(FILTERS.map((name) => FILTER_CODE[name])).toEqual([...FILTERS.keys()]);
  expect(FILTER_CODE.none).toBe(0);
});

test('a code never changes meaning', () => {
  expect({ ...FILTER_CODE }).toMatchObject({
    unschedulable: 1,
    selector: 4,
    cpu: 10,
    cards: 12,
    tenant: 14,
    'host-port': 18,
    memory: 15,
  });
  expect(FILTERS[21]).toBe('topology-spread');
});

test('a card whose state nobody knows takes no new work', () => {
  expect((['ok', 'degraded', 'fault', 'unknown'] as const).filter(isUsable)).toEqual(['ok', 'degraded']);
});
