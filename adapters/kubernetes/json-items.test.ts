import { describe, expect, test } from 'vitest';
import { JsonFault, type JsonDocument, jsonDocuments, parseSpan } from './json-items.ts';

function parsed(bytes: Buffer, document: JsonDocument): unknown {
  return document.items?.map((span, index) => parseSpan(bytes, span, index)) ?? parseSpan(bytes, document.span, null);
}

function faultOf(text: string): JsonFault | null {
  const bytes = Buffer.from(text);
  try {
    for (const document of jsonDocuments(bytes)) parsed(bytes, document);
    return null;
  } catch (error) {
    if (error instanceof JsonFault) return error;
    throw error;
  }
}

describe('the objects of a dump', () => {
  test('are found wherever the kind of the list stands', () => {
    for (const text of [
      '{"kind":"List","items":[{"a":1},{"b":[2,"]"]}]}',
      '{"items":[{"a":1},{"b":[2,"]"]}],"kind":"List"}',
    ]) {
      const bytes = Buffer.from(text);
      const [document] = jsonDocuments(bytes);
      expect(document?.kind).toBe('List');
      expect(document && parsed(bytes, document)).toEqual([{ a: 1 }, { b: [2, ']'] }]);
    }
  });

  test('are found in documents one behind the other', () => {
    const bytes = Buffer.from('{"kind":"NodeList","items":[]}\n{"kind":"PodList","items":[{}]}\n{"kind":"Pod"}\n');
    expect(jsonDocuments(bytes).map(({ kind, items }) => [kind, items?.length])).toEqual([
      ['NodeList', 0],
      ['PodList', 1],
      ['Pod', undefined],
    ]);
  });

  test('a file that is cut anywhere is told to be cut, or to be no JSON', () => {
    const text = JSON.stringify({
      items: [{ metadata: { name: 'a\\"b' }, list: [1, true, null] }, { x: 'é' }],
      kind: 'List',
    });
    const whole = Buffer.from(text);
    for (let length = 1; length < whole.length; length += 1) {
      const fault = faultOf(whole.subarray(0, length).toString('latin1'));
      expect(fault?.code).toBe('cut');
    }
  });

  test.each([
    ['[]', 'not-a-dump', 0],
    ['NAME  STATUS', 'not-a-dump', 0],
    ['{"items":[{"a":}]}', 'syntax', 10],
    ['{"items":[{"a":1,}]}', 'syntax', 10],
    ['{"items":[}]}', 'syntax', 10],
    ['{"items":[{} {}]}', 'syntax', 13],
    ['{"items":[{},]}', 'syntax', 13],
    ['{"items":[,{}]}', 'syntax', 10],
    ['{"items":[],}', 'syntax', 12],
    ['{"items" []}', 'syntax', 9],
    ['{items:[]}', 'syntax', 1],
    ['{"items":[]} trailing', 'not-a-dump', 13],
  ])('%s: %s', (text, code, offset) => {
    const fault = faultOf(text);
    expect(fault?.code).toBe(code);
    expect(fault?.offset).toBeGreaterThanOrEqual(offset);
  });

  test('what is wrong inside an object is told without its text', () => {
    const fault = faultOf('{"items":[{"env":"very secret" "value"}]}');
    expect(fault?.code).toBe('syntax');
    expect(JSON.stringify([fault, fault?.message])).not.toContain('secret');
  });
});
