import { describe, expect, test } from 'vitest';
import { treeOf } from '../tree.ts';
import { purity } from './purity.ts';

async function impuritiesOf(text: string, path = 'core/state/book.ts'): Promise<string[]> {
  const { findings } = await purity.inspect(treeOf({ [path]: text }));
  return findings.map((finding) => finding.why);
}

describe('core is pure and synchronous', () => {
  test.each([
    ["import { z } from 'zod';", 'core imports nothing from outside, so not zod'],
    ["import { join } from 'node:path';", 'core imports nothing from outside, so not node:path'],
    ['export const a = Date.now();', 'Date: core has no clock: take nowMs'],
    ['export const a = performance.now();', 'performance: core has no clock: count work instead'],
    ['export const a = Math.random();', 'Math.random: core has no randomness of its own: take a Random'],
    ["export const a = Math['random']();", 'Math.random: core has no randomness of its own: take a Random'],
    ['console.log(1);', 'console: core does not log: return a reason'],
    ['export const a = process.env;', 'process: core reads nothing of its process'],
    ['export const a = { process };', 'process: core reads nothing of its process'],
    ['setTimeout(f, 1);', 'setTimeout: core never waits'],
    ['export type A = Promise<void>;', 'Promise: core is synchronous'],
    ['export async function a() {}', 'core is synchronous'],
    [
      'export const a = [].toSorted((l, r) => l.localeCompare(r));',
      'localeCompare: the order depends on the machine: compare with <',
    ],
    ['export const a = (1).toLocaleString();', 'toLocaleString: the text depends on the machine'],
  ])('refuses %s', async (text, why) => {
    expect(await impuritiesOf(text)).toContain(why);
  });

  test.each([
    ['export interface A { readonly process: string; readonly Date: number }'],
    ['export const a = { process: 1 }; export const b = a.process;'],
    ['export const a = Math.floor(1.5);'],
    ["import { assert } from '../base/index.ts';"],
    ["import { Card } from '@springtide/core/model';"],
    ["export const a = 'Date.now() and Promise in a text'; // Date in a comment"],
  ])('accepts %s', async (text) => {
    expect(await impuritiesOf(text)).toEqual([]);
  });

  test('tests and other folders are left alone', async () => {
    expect(await impuritiesOf('Date.now();', 'core/state/book.test.ts')).toEqual([]);
    expect(await impuritiesOf('Date.now();', 'adapters/traces/openb.ts')).toEqual([]);
  });
});
