import { describe, expect, test } from 'vitest';
import { treeOf } from '../tree.ts';
import { length } from './length.ts';

async function remarksOn(text: string, path = 'core/state/book.ts'): Promise<string[]> {
  const { findings } = await length.inspect(treeOf({ [path]: text }));
  return findings.map((finding) => `${finding.line}: ${finding.why}`);
}

/** A function that is `lines` long from its first to its last line. */
function functionOf(lines: number, opening = 'export function place() {', closing = '}'): string {
  return [opening, ...Array.from({ length: lines - 2 }, () => '  step();'), closing, ''].join('\n');
}

describe('files and functions are short', () => {
  test('a function of 70 lines passes and one of 71 does not', async () => {
    expect(await remarksOn(functionOf(70))).toEqual([]);
    expect(await remarksOn(functionOf(71))).toEqual(['1: place has 71 lines; 70 are the most']);
  });

  test('arrow functions and methods are measured too', async () => {
    expect(await remarksOn(functionOf(71, 'const score = () => {', '};'))).toHaveLength(1);
    const method = `class Book {\n${functionOf(71, '  apply() {', '  }')}}\n`;
    expect(await remarksOn(method)).toEqual(['2: apply has 71 lines; 70 are the most']);
  });

  test('a file of 400 lines passes and one of 401 does not', async () => {
    expect(await remarksOn('step();\n'.repeat(400))).toEqual([]);
    expect(await remarksOn('step();\n'.repeat(401))).toEqual(['401: the file has 401 lines; 400 are the most']);
  });

  test('six parameters pass and seven do not', async () => {
    expect(await remarksOn('function f(a, b, c, d, e, g) {}')).toEqual([]);
    expect(await remarksOn('function f(a, b, c, d, e, g, h) {}')).toEqual([
      '1: f has 7 parameters; beyond 6 take an options object',
    ]);
  });

  test('a group of tests may be long, a single test may not', async () => {
    const suite = functionOf(80, "describe('books', () => {", '});');
    expect(await remarksOn(suite, 'core/state/book.test.ts')).toEqual([]);
    const single = functionOf(80, "test('books', () => {", '});');
    expect(await remarksOn(single, 'core/state/book.test.ts')).toHaveLength(1);
  });

  test('messages are data and may be long', async () => {
    expect(await remarksOn('step();\n'.repeat(500), 'wire/messages/en.ts')).toEqual([]);
  });
});
