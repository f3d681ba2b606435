export interface Heading {
  readonly level: number;
  readonly text: string;
  readonly line: number;
}

/** The `#` headings of a Markdown text. What stands in a fenced block is no heading. */
export function headingsOf(text: string): Heading[] {
  const headings: Heading[] = [];
  let fence: string | null = null;
  for (const [index, line] of text.split('\n').entries()) {
    const mark = /^\s*(```+|~~~+)/.exec(line)?.[1] ?? null;
    if (mark !== null) {
      if (fence === null) fence = mark;
      else if (mark.startsWith(fence)) fence = null;
      continue;
    }
    const heading = fence === null ? /^(#{1,6})\s+(.*)$/.exec(line) : null;
    if (heading !== null) {
      headings.push({ level: heading[1]?.length ?? 0, text: heading[2] ?? '', line: index + 1 });
    }
  }
  return headings;
}
