import { describe, expect, test } from 'vitest';
import { catalogueOf, placeholdersOf, untranslatedWord } from './catalogue.ts';

test('a catalogue has dotted keys, whatever its export is called', () => {
  const module = { en: { title: 'Fleet', refusal: { cpu: 'too few cores' } } };
  expect([...catalogueOf(module)]).toEqual([
    ['title', 'Fleet'],
    ['refusal.cpu', 'too few cores'],
  ]);
});

test('places are found once each, in order', () => {
  expect(placeholdersOf('{count} of {total}, {count} free')).toEqual(['count', 'total']);
});

describe('a message that should be Chinese', () => {
  test.each([
    ['too few cores', 'too'],
    ['Machine', 'Machine'],
    ['{count} cards', 'cards'],
    [String((n: number) => `${n} cards left`), 'cards'],
  ])('%s is not', (text, want) => {
    expect(untranslatedWord(text)).toBe(want);
  });

  test.each([
    ['核心不足'],
    ['空闲的 cards'],
    ['CPU'],
    ['{count} GiB'],
    ['MiB'],
    ['Springtide'],
    ['`kubectl get pods`'],
    ['--lang'],
    [String((n: number) => `${n} 张卡`)],
    [String((count: number) => `${count} / ${count}`)],
  ])('%s is one, or needs none', (text) => {
    expect(untranslatedWord(text)).toBeNull();
  });
});
