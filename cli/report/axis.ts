/** An axis of a chart: what it measures, in which unit, and the part of it that is shown. */
export interface Axis {
  readonly label: string;
  readonly unit: string;
  readonly min: number;
  readonly max: number;
  /** How a tick is written; else as the number it is. */
  readonly tick?: (value: number) => string;
  /** The distance of ticks; else a round one. */
  readonly step?: number;
}

/** A round step (1, 2 or 5 times a power of ten) that gives about `count` ticks. */
export function stepFor(span: number, count: number): number {
  const rough = span / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10;
  return step * power;
}

export function ticksOf(axis: Axis, count: number): number[] {
  const step = axis.step ?? stepFor(axis.max - axis.min, count);
  const first = Math.ceil(axis.min / step - 1e-9);
  const last = Math.floor(axis.max / step + 1e-9);
  return Array.from({ length: last - first + 1 }, (_, i) => round((first + i) * step));
}

export function tickText(axis: Axis, value: number): string {
  return axis.tick === undefined ? String(value).replace('-', '−') : axis.tick(value);
}

export function axisTitle(axis: Axis): string {
  if (axis.unit === '') return axis.label;
  return /\p{Script=Han}$/u.test(axis.label) ? `${axis.label}（${axis.unit}）` : `${axis.label} (${axis.unit})`;
}

/** Width of a text in pixels at a font size, good enough to keep labels apart: Chinese characters are square. */
export function textWidth(text: string, fontSize: number): number {
  let width = 0;
  for (const character of text) width += (character.codePointAt(0) ?? 0) >= 0x2e80 ? fontSize : fontSize * 0.56;
  return width;
}

/** Sets labels apart: each keeps its wish as far as the ones above allow, all within `[min, max]`. */
export function spaced(wishes: readonly number[], gap: number, min: number, max: number): number[] {
  const order = wishes.map((_, i) => i).toSorted((left, right) => (wishes[left] ?? 0) - (wishes[right] ?? 0));
  const places = [...wishes];
  let floor = min;
  for (const i of order) {
    places[i] = Math.max(wishes[i] as number, floor);
    floor = places[i] + gap;
  }
  let ceiling = max;
  for (const i of order.toReversed()) {
    places[i] = Math.min(places[i] as number, ceiling);
    ceiling = places[i] - gap;
  }
  return places;
}

function round(value: number): number {
  return Number(value.toPrecision(12));
}

/** A length in a drawing, to a tenth of a pixel. */
export function px(value: number): string {
  return String(Math.round(value * 10) / 10);
}
