import { describe, expect, test } from 'vitest';
import { treeOf } from '../tree.ts';
import { pages } from './pages.ts';

async function findingsIn(texts: Record<string, string>): Promise<string[]> {
  const { findings } = await pages.inspect(treeOf(texts));
  return findings.map((finding) => `${finding.file}:${finding.line} ${finding.why}`);
}

const english = '# Springtide\n\n## Install\n';
const chinese = '# 大潮\n\n## 安装\n';

describe('pages exist in both languages', () => {
  test('a pair with the same headings passes', async () => {
    expect(await findingsIn({ 'README.md': english, 'README.zh.md': chinese })).toEqual([]);
  });

  test('a missing README is found, in either language', async () => {
    expect(await findingsIn({})).toEqual(['README.md:1 the page is missing in English']);
    expect(await findingsIn({ 'README.md': english })).toEqual([
      'README.zh.md:1 the page is missing; README.md is its English twin',
    ]);
  });

  test('a heading that one language lacks is found', async () => {
    const short = '# 大潮\n';
    expect(await findingsIn({ 'README.md': english, 'README.zh.md': short })).toEqual([
      'README.zh.md:2 heading 2 does not match README.md: "Install"',
    ]);
  });

  test('a copy without Chinese is found', async () => {
    expect(await findingsIn({ 'README.md': english, 'README.zh.md': english })).toEqual([
      'README.zh.md:1 the page has no Chinese in it',
    ]);
  });

  test('the guide may have twins beside each other or in two folders', async () => {
    const readme = { 'README.md': english, 'README.zh.md': chinese };
    expect(await findingsIn({ ...readme, 'docs/guide/a.md': english, 'docs/guide/a.zh.md': chinese })).toEqual([]);
    expect(await findingsIn({ ...readme, 'docs/guide/en/a.md': english, 'docs/guide/zh/a.md': chinese })).toEqual([]);
    expect(await findingsIn({ ...readme, 'docs/guide/en/a.md': english })).toHaveLength(1);
    expect(await findingsIn({ ...readme, 'docs/guide/b.zh.md': chinese })).toHaveLength(1);
  });
});
