import { forAll } from '@springtide/testkit/property';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { jsonDocuments, parseSpan } from './json-items.ts';

describe('the objects of a dump', () => {
  test('are what the parser of the platform finds, for any list', () => {
    const lists = fc.record({
      apiVersion: fc.string(),
      items: fc.array(fc.dictionary(fc.string(), fc.jsonValue())),
      kind: fc.string(),
    });
    forAll(fc.tuple(lists, fc.constantFrom(0, 2, '\t')), ([list, space]) => {
      const bytes = Buffer.from(JSON.stringify(list, null, space));
      const [document, ...more] = jsonDocuments(bytes);
      expect(more).toEqual([]);
      expect(document?.kind).toBe(list.kind);
      const items = document?.items?.map((span, index) => parseSpan(bytes, span, index));
      expect(items).toEqual(JSON.parse(bytes.toString()).items);
    });
  });
});
