import { axisTitle, px, spaced, textWidth, tickText, ticksOf, type Axis } from './axis.ts';
import { html, type Html } from './html.ts';
import { colourOf, dashOf } from './palette.ts';

export interface LineSeries {
  readonly name: string;
  /** Number of its colour and dash: the same for the same thing in every chart of a report. */
  readonly style: number;
  readonly points: readonly (readonly [x: number, y: number])[];
  /** Written behind the name at the end of the line. */
  readonly last?: string;
  readonly strong?: boolean;
}

export interface LineChart {
  /** What the chart shows, in a sentence: for readers who do not see it. */
  readonly title: string;
  readonly x: Axis;
  readonly y: Axis;
  readonly series: readonly LineSeries[];
}

const WIDTH = 760;
const HEIGHT = 380;
const TOP = 30;
const LEFT = 58;
const BOTTOM = 52;
const FONT = 13;
const LABEL_GAP = 16;
const LABEL_SPACE = 22;

interface Frame {
  readonly right: number;
  readonly bottom: number;
  readonly xAt: (x: number) => number;
  readonly yAt: (y: number) => number;
}

/** Lines over an axis, each named at its end. Points outside the axes are left out. */
export function lineChart(chart: LineChart): Html {
  const frame = frameOf(chart);
  return html`<svg class="chart" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${chart.title}">
${grid(chart, frame)}${chart.series.map((series) => line(chart, series, frame))}${endLabels(chart, frame)}
</svg>`;
}

function labelOf(series: LineSeries): string {
  return series.last === undefined ? series.name : `${series.name} ${series.last}`;
}

function frameOf({ x, y, series }: LineChart): Frame {
  const labels = Math.max(60, ...series.map((each) => textWidth(labelOf(each), FONT) + LABEL_SPACE));
  const right = WIDTH - labels - 8;
  const bottom = HEIGHT - BOTTOM;
  return {
    right,
    bottom,
    xAt: (value) => LEFT + ((value - x.min) / (x.max - x.min)) * (right - LEFT),
    yAt: (value) => bottom - ((value - y.min) / (y.max - y.min)) * (bottom - TOP),
  };
}

function grid({ x, y }: LineChart, { right, bottom, xAt, yAt }: Frame): Html {
  const rows = ticksOf(y, 6).map((value) => {
    const at = px(yAt(value));
    return html`<line class="grid" x1="${LEFT}" x2="${px(right)}" y1="${at}" y2="${at}"/>
<text class="tick end" x="${LEFT - 8}" y="${px(yAt(value) + 4.5)}">${tickText(y, value)}</text>`;
  });
  const columns = ticksOf(x, 9).map((value) => {
    const at = px(xAt(value));
    return html`<line class="axis" x1="${at}" x2="${at}" y1="${bottom}" y2="${bottom + 5}"/>
<text class="tick middle" x="${at}" y="${bottom + 20}">${tickText(x, value)}</text>`;
  });
  return html`${rows}<line class="axis" x1="${LEFT}" x2="${px(right)}" y1="${bottom}" y2="${bottom}"/>${columns}
<text class="axis-title" x="4" y="16">${axisTitle(y)}</text>
<text class="axis-title middle" x="${px((LEFT + right) / 2)}" y="${HEIGHT - 8}">${axisTitle(x)}</text>`;
}

function shownPoints({ x, y }: LineChart, series: LineSeries): (readonly [number, number])[] {
  return series.points.filter(([at, value]) => at >= x.min && at <= x.max && value >= y.min && value <= y.max);
}

function line(chart: LineChart, series: LineSeries, { xAt, yAt }: Frame): Html {
  const points = shownPoints(chart, series).map(([x, y]) => `${px(xAt(x))},${px(yAt(y))}`);
  const width = series.strong === true ? 3 : 1.8;
  return html`<polyline class="line" points="${points.join(' ')}" stroke="${colourOf(series.style)}" stroke-width="${width}" stroke-dasharray="${dashOf(series.style)}"/>`;
}

function endLabels(chart: LineChart, { right, bottom, xAt, yAt }: Frame): Html[] {
  const ends = chart.series.map((series) => shownPoints(chart, series).at(-1) ?? ([chart.x.max, chart.y.min] as const));
  const wishes = ends.map(([, y]) => yAt(y));
  const places = spaced(wishes, LABEL_GAP, TOP, bottom);
  return chart.series.map((series, i) => {
    const [x, y] = ends[i] as readonly [number, number];
    const at = places[i] as number;
    const leader = `${px(xAt(x) + 2)},${px(yAt(y))} ${px(right + 8)},${px(at)} ${px(right + LABEL_SPACE - 6)},${px(at)}`;
    const weight = series.strong === true ? 'strong' : '';
    return html`<polyline class="leader" points="${leader}" stroke="${colourOf(series.style)}"/>
<text class="label ${weight}" x="${px(right + LABEL_SPACE - 2)}" y="${px(at + 4.5)}" style="fill:${colourOf(series.style)}">${labelOf(series)}</text>`;
  });
}

/** Coordinates with one decimal keep the file small. */
