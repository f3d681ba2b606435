import { axisTitle, px, tickText, ticksOf, type Axis } from './axis.ts';
import { html, type Html } from './html.ts';
import { colourOf } from './palette.ts';

interface ScatterPoint {
  readonly name: string;
  readonly x: number;
  readonly y: number;
}

interface ScatterChart {
  /** What the chart shows, in a sentence: for readers who do not see it. */
  readonly title: string;
  readonly x: Axis;
  readonly y: Axis;
  readonly points: readonly ScatterPoint[];
  /** The name of the point that stands out. */
  readonly strong: string;
}

const WIDTH = 760;
const HEIGHT = 420;
const TOP = 30;
const LEFT = 70;
const RIGHT = 640;
const BOTTOM = HEIGHT - 52;
/** Names closer than this are pushed apart. */
const LABEL_GAP = 15;

/** Named points in a plane; all of them have to be within the axes. */
export function scatterChart({ title, x, y, points, strong }: ScatterChart): Html {
  const xAt = (value: number): number => LEFT + ((value - x.min) / (x.max - x.min)) * (RIGHT - LEFT);
  const yAt = (value: number): number => BOTTOM - ((value - y.min) / (y.max - y.min)) * (BOTTOM - TOP);
  const labels: { readonly atX: number; readonly atY: number }[] = [];
  const marks = points
    .toSorted((left, right) => left.y - right.y || left.x - right.x)
    .map(({ name, ...at }) => {
      const [atX, atY] = [xAt(at.x), yAt(at.y)];
      const labelY = freeHeight(labels, atX, atY);
      labels.push({ atX, atY: labelY });
      return html`<circle cx="${px(atX)}" cy="${px(atY)}" r="${name === strong ? 6 : 4}" fill="${colourOf(name === strong ? 0 : 7)}"/>
<text class="label" x="${px(atX + 9)}" y="${px(labelY + 4)}">${name}</text>`;
    });
  return html`<svg class="chart" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${title}">
${ticksOf(x, 8).map(
  (value) => html`<line class="grid" x1="${px(xAt(value))}" x2="${px(xAt(value))}" y1="${TOP}" y2="${BOTTOM + 5}"/>
<text class="tick middle" x="${px(xAt(value))}" y="${BOTTOM + 20}">${tickText(x, value)}</text>`,
)}${ticksOf(y, 6).map(
  (value) => html`<line class="grid" x1="${LEFT - 5}" x2="${RIGHT}" y1="${px(yAt(value))}" y2="${px(yAt(value))}"/>
<text class="tick end" x="${LEFT - 9}" y="${px(yAt(value) + 4)}">${tickText(y, value)}</text>`,
)}<text class="axis-title" x="4" y="16">${axisTitle(y)}</text>
<text class="axis-title middle" x="${(LEFT + RIGHT) / 2}" y="${HEIGHT - 8}">${axisTitle(x)}</text>${marks}
</svg>`;
}

/** A height for a name near its point at which it covers no other name. */
function freeHeight(
  labels: readonly { readonly atX: number; readonly atY: number }[],
  atX: number,
  atY: number,
): number {
  let free = atY;
  const near = labels.filter((label) => Math.abs(label.atX - atX) < 130);
  for (const label of near.toSorted((left, right) => right.atY - left.atY)) {
    if (Math.abs(label.atY - free) < LABEL_GAP) free = label.atY - LABEL_GAP;
  }
  return free;
}
