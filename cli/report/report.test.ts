import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import {
  axisTitle,
  barChart,
  deviation,
  fixed,
  html,
  lineChart,
  mean,
  page,
  signed,
  spaced,
  stepFor,
  table,
  textWidth,
  ticksOf,
  writeWholeFile,
} from './index.ts';

describe('html', () => {
  test('escapes what is put in, and only that', () => {
    expect(html`<b>${'a < b & "c"'}</b>${[html`<i>`, 1, 'x>']}`.html).toBe(
      '<b>a &lt; b &amp; &quot;c&quot;</b><i>1x&gt;',
    );
  });
});

describe('numbers', () => {
  test('have fixed decimals, groups of thousands and a real minus', () => {
    expect([fixed(1234567.891, 2), fixed(-0.001, 2), fixed(-1234, 0), fixed(999)]).toEqual([
      '1,234,567.89',
      '0.00',
      '−1,234',
      '999',
    ]);
    expect([signed(0.5, 1), signed(-0.5, 1), signed(0.001, 1)]).toEqual(['+0.5', '−0.5', '0.0']);
  });

  test('have a mean and a sample deviation', () => {
    expect([mean([1, 2, 3]), deviation([1, 2, 3]), deviation([7])]).toEqual([2, 1, 0]);
  });
});

describe('an axis', () => {
  test('has round ticks within its ends', () => {
    expect(stepFor(70, 9)).toBe(10);
    expect(ticksOf({ label: '', unit: '', min: 61, max: 96, step: 10 }, 5)).toEqual([70, 80, 90]);
    expect(ticksOf({ label: '', unit: '', min: 0, max: 0.3 }, 3)).toEqual([0, 0.1, 0.2, 0.3]);
  });

  test('is named with its unit, in the brackets of its language', () => {
    const axis = { unit: '%', min: 0, max: 1 };
    expect(axisTitle({ ...axis, label: 'load' })).toBe('load (%)');
    expect(axisTitle({ ...axis, label: '负载' })).toBe('负载（%）');
  });

  test('gives Chinese characters a square each', () => {
    expect(textWidth('卡', 13)).toBe(13);
    expect(textWidth('a', 10)).toBeLessThan(10);
  });

  test('sets labels apart and keeps them inside', () => {
    expect(spaced([10, 11, 50], 16, 0, 100)).toEqual([10, 26, 50]);
    expect(spaced([99, 100], 16, 0, 100)).toEqual([84, 100]);
  });
});

describe('a chart', () => {
  const axis = { label: 'load', unit: '%', min: 0, max: 10 };

  test('draws the points within its axes and names each line', () => {
    const points = [
      [0, 1],
      [5, 5],
      [20, 5],
    ] as const;
    const { html: svg } = lineChart({
      title: 't',
      x: axis,
      y: axis,
      series: [{ name: 'tide', style: 0, points, last: '5.00' }],
    });
    expect(/<polyline class="line" points="([^"]*)"/.exec(svg)?.[1]?.split(' ')).toHaveLength(2);
    expect(svg).toContain('>tide 5.00</text>');
  });

  test('stacks parts and writes the total behind them', () => {
    const rows = [{ name: 'tide', parts: [2, 3], total: '5 %' }];
    const { html: svg } = barChart({ title: 't', x: axis, legend: ['a', 'b'], rows, part: (value) => fixed(value, 1) });
    expect(svg.match(/<rect/g)).toHaveLength(4);
    expect(svg).toContain('>5 %</text>');
  });
});

describe('a page', () => {
  const made = page({
    language: 'zh',
    title: (language) => (language === 'zh' ? '报告' : 'Report'),
    body: () => table([{ head: 'cards', unit: '%', align: 'number' }], [{ cells: [fixed(12.3, 1)] }]),
  });

  test('stands alone: no script, nothing fetched', () => {
    expect(made).not.toMatch(/<script|https?:|@import|url\(|<link|<img/);
  });

  test('holds both languages and shows the one asked for', () => {
    expect(made).toContain('<html lang="zh-CN">');
    expect(made).toContain('id="language-zh" checked');
    expect(made).toContain('<h1>报告</h1>');
    expect(made).toContain('<h1>Report</h1>');
  });

  test('sets numbers to the right, with their unit in the head', () => {
    expect(made).toContain('<td class="number">12.3</td>');
    expect(made).toContain('<span class="unit">%</span>');
  });
});

describe('a whole file', () => {
  const folders: string[] = [];
  const folder = (): string => {
    const made = mkdtempSync(join(tmpdir(), 'whole-file-'));
    folders.push(made);
    return made;
  };
  afterEach(() => {
    for (const made of folders.splice(0)) rmSync(made, { recursive: true });
  });

  test('is written under its name, with nothing beside it', () => {
    const inside = folder();
    const path = writeWholeFile(join(inside, 'report.html'), 'text');
    expect(readFileSync(path, 'utf8')).toBe('text');
    expect(readdirSync(inside)).toEqual(['report.html']);
  });

  test('leaves nothing behind when it cannot be written', () => {
    const inside = folder();
    expect(() => writeWholeFile(join(inside, 'none', 'report.html'), 'text')).toThrow(/ENOENT/);
    expect(readdirSync(inside)).toEqual([]);
  });
});
