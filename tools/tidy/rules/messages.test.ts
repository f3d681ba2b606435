import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { treeOf } from '../tree.ts';
import { messages } from './messages.ts';

const folders: string[] = [];

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

async function findingsIn(texts: Record<string, string>): Promise<string[]> {
  const root = mkdtempSync(join(tmpdir(), 'tidy-messages-'));
  folders.push(root);
  for (const [path, text] of Object.entries(texts)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  const { findings } = await messages.inspect(treeOf(texts, root));
  return findings.map((finding) => `${finding.file}:${finding.line} ${finding.why}`);
}

const english = "export const en = {\n  title: 'Fleet',\n  free: '{count} cards free',\n} as const;\n";

function chinese(body: string): Record<string, string> {
  return { 'wire/messages/en.ts': english, 'wire/messages/zh.ts': `export const zh = {\n${body}\n};\n` };
}

describe('both languages are complete', () => {
  test('the same keys, filled and translated, pass', async () => {
    expect(await findingsIn(chinese("  title: '机群',\n  free: '空闲 {count} 张卡',"))).toEqual([]);
  });

  test('a missing key is found where it stands in the other language', async () => {
    expect(await findingsIn(chinese("  title: '机群',"))).toEqual(['wire/messages/en.ts:3 free is missing in Chinese']);
    expect(await findingsIn(chinese("  title: '机群',\n  free: '空闲 {count}',\n  idle: '闲',"))).toEqual([
      'wire/messages/zh.ts:4 idle is missing in English',
    ]);
  });

  test('an empty, an untranslated and a mistaken message are found', async () => {
    expect(await findingsIn(chinese("  title: ' ',\n  free: '空闲 {total} 张卡',"))).toEqual([
      'wire/messages/zh.ts:2 title is empty',
      'wire/messages/zh.ts:3 free takes {total} where English takes {count}',
    ]);
    expect(await findingsIn(chinese("  title: 'Fleet',\n  free: '空闲 {count} 张卡',"))).toEqual([
      'wire/messages/zh.ts:2 title is not in Chinese: "Fleet"',
    ]);
  });

  test("a message of a subject is found in the subject's own file", async () => {
    const texts = {
      'wire/messages/en.ts': "import { fleet } from './en/fleet.ts';\nexport const en = { fleet };\n",
      'wire/messages/en/fleet.ts': "export const fleet = {\n  title: 'Fleet',\n  free: '{count} free',\n};\n",
      'wire/messages/zh.ts': "import { fleet } from './zh/fleet.ts';\nexport const zh = { fleet };\n",
      'wire/messages/zh/fleet.ts': "export const fleet = {\n  title: 'Fleet',\n};\n",
    };
    expect(await findingsIn(texts)).toEqual([
      'wire/messages/en/fleet.ts:3 fleet.free is missing in Chinese',
      'wire/messages/zh/fleet.ts:2 fleet.title is not in Chinese: "Fleet"',
    ]);
  });

  test('one language alone is found', async () => {
    expect(await findingsIn({ 'wire/messages/en.ts': english })).toEqual(['wire/messages/zh.ts:1 the file is missing']);
  });
});
