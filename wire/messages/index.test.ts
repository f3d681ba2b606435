import { describe, expect, test } from 'vitest';
import { isLanguage, languageOfLocale, message } from './index.ts';

describe('message', () => {
  test('fills the places of a text, in both languages', () => {
    expect(message('en', 'report.made', { version: '1.2.3' })).toBe('Made by springtide 1.2.3');
    expect(message('zh', 'report.made', { version: '1.2.3' })).toBe('由 springtide 1.2.3 生成');
  });

  test('needs no values where the text has no place', () => {
    expect(message('zh', 'report.language')).toBe('语言');
  });
});

describe('the language', () => {
  test.each([
    ['zh_CN.UTF-8', 'zh'],
    ['zh', 'zh'],
    ['zh-Hans', 'zh'],
    ['en_US.UTF-8', 'en'],
    ['C', 'en'],
    ['', 'en'],
  ])('of the locale %j is %s', (locale, language) => {
    expect(languageOfLocale(locale)).toBe(language);
  });

  test('is one of two', () => {
    expect([isLanguage('zh'), isLanguage('fr')]).toEqual([true, false]);
  });
});
