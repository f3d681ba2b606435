import Table from 'cli-table3';

export interface TextColumn {
  /** May have several lines; units stand here. */
  readonly head: string;
  readonly align: 'text' | 'number';
}

/** A table without rules for the terminal: numbers to the right, one line a row, plain text. */
export function textTable(columns: readonly TextColumn[], rows: readonly (readonly string[])[]): string {
  const none = '';
  const table = new Table({
    chars: {
      top: none,
      'top-mid': none,
      'top-left': none,
      'top-right': none,
      bottom: none,
      'bottom-mid': none,
      'bottom-left': none,
      'bottom-right': none,
      left: none,
      'left-mid': none,
      mid: none,
      'mid-mid': none,
      right: none,
      'right-mid': none,
      middle: '  ',
    },
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
    colAligns: columns.map(({ align }) => (align === 'number' ? 'right' : 'left')),
  });
  table.push(
    columns.map(({ head }) => head),
    ...rows.map((row) => [...row]),
  );
  return table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
}
