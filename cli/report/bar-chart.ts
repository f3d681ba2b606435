import { axisTitle, px, textWidth, tickText, ticksOf, type Axis } from './axis.ts';
import { html, type Html } from './html.ts';
import { fillOf } from './palette.ts';

export interface BarRow {
  readonly name: string;
  /** In the order of the legend. */
  readonly parts: readonly number[];
  /** Written behind the bar. */
  readonly total: string;
}

export interface BarChart {
  readonly title: string;
  readonly x: Axis;
  readonly legend: readonly string[];
  readonly rows: readonly BarRow[];
  /** How a part is written inside the bar, where it has room. */
  readonly part: (value: number) => string;
  /** Numbers of the fills, in the order of the legend; 0, 1, 2, ... when left out. */
  readonly fills?: readonly number[];
}

const WIDTH = 760;
const ROW = 34;
const BAR = 22;
const FONT = 13;
const BOTTOM = 50;
const LEGEND_LINE = 22;

/** Horizontal bars made of parts, with a legend above. */
export function barChart(chart: BarChart): Html {
  const left = Math.max(40, ...chart.rows.map((row) => textWidth(row.name, FONT))) + 14;
  const right = WIDTH - Math.max(30, ...chart.rows.map((row) => textWidth(row.total, FONT))) - 16;
  const legend = legendOf(chart);
  const top = legend.height + 10;
  const bottom = top + chart.rows.length * ROW;
  const xAt = (value: number): number => left + ((value - chart.x.min) / (chart.x.max - chart.x.min)) * (right - left);
  return html`<svg class="chart" viewBox="0 0 ${WIDTH} ${bottom + BOTTOM}" role="img" aria-label="${chart.title}">
${legend.html}${ticksOf(chart.x, 8).map(
  (value) => html`<line class="grid" x1="${px(xAt(value))}" x2="${px(xAt(value))}" y1="${top}" y2="${bottom + 5}"/>
<text class="tick middle" x="${px(xAt(value))}" y="${bottom + 20}">${tickText(chart.x, value)}</text>`,
)}${chart.rows.map((row, i) => bar(chart, row, { y: top + i * ROW + (ROW - BAR) / 2, left, xAt }))}
<text class="axis-title middle" x="${px((left + right) / 2)}" y="${bottom + BOTTOM - 8}">${axisTitle(chart.x)}</text>
</svg>`;
}

/** Colour keys in as many lines as they need. */
function legendOf({ legend: names, fills = [] }: BarChart): { readonly html: Html; readonly height: number } {
  let x = 4;
  let y = 4;
  const keys = names.map((name, i) => {
    const width = textWidth(name, FONT) + 38;
    if (x + width > WIDTH) {
      x = 4;
      y += LEGEND_LINE;
    }
    const key = html`<rect x="${px(x)}" y="${y}" width="14" height="14" fill="${fillOf(fills[i] ?? i)}"/>
<text class="label" x="${px(x + 20)}" y="${y + 12}">${name}</text>`;
    x += width;
    return key;
  });
  return { html: html`${keys}`, height: y + LEGEND_LINE };
}

interface BarPlace {
  readonly y: number;
  readonly left: number;
  readonly xAt: (value: number) => number;
}

function bar(chart: BarChart, row: BarRow, { y, left, xAt }: BarPlace): Html {
  let sum = 0;
  const parts = row.parts.map((value, i) => {
    const [from, to] = [Math.max(xAt(sum), left), Math.max(xAt(sum + value), left)];
    sum += value;
    const text = chart.part(value);
    const fill = chart.fills?.[i] ?? i;
    const hasRoom = to - from > textWidth(text, FONT - 1) + 6;
    return html`<rect x="${px(from)}" y="${px(y)}" width="${px(to - from)}" height="${BAR}" fill="${fillOf(fill)}"/>${
      hasRoom
        ? html`<text class="part middle" x="${px((from + to) / 2)}" y="${px(y + 15.5)}" style="fill:${fill === 0 ? '#fff' : '#1b1f24'}">${text}</text>`
        : ''
    }`;
  });
  return html`<text class="label end" x="${left - 8}" y="${px(y + 15.5)}">${row.name}</text>${parts}
<text class="label" x="${px(Math.max(xAt(sum), left) + 6)}" y="${px(y + 15.5)}">${row.total}</text>`;
}
