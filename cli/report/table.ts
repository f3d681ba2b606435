import { html, type Content, type Html } from './html.ts';

export interface Column {
  readonly head: string;
  /** Shown below the head. */
  readonly unit?: string;
  /** Numbers stand to the right. */
  readonly align: 'text' | 'number';
}

export interface TableRow {
  readonly cells: readonly Content[];
  readonly strong?: boolean;
}

/** A table; wide ones scroll on a screen and shrink in print. */
export function table(columns: readonly Column[], rows: readonly TableRow[]): Html {
  const head = columns.map(
    ({ head: text, unit, align }) =>
      html`<th class="${align}" scope="col">${text}${unit === undefined ? '' : html`<span class="unit">${unit}</span>`}</th>`,
  );
  const body = rows.map(({ cells, strong }) => {
    const line = cells.map((cell, i) => html`<td class="${columns[i]?.align ?? 'text'}">${cell}</td>`);
    return html`<tr class="${strong === true ? 'strong' : ''}">${line}</tr>\n`;
  });
  return html`<div class="scroll"><table><thead><tr>${head}</tr></thead><tbody>
${body}</tbody></table></div>`;
}
