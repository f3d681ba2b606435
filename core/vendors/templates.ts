/** Vendor templates: the fixed sizes a card may be cut into. A request is rounded up to one and charged so. */

export interface Template {
  readonly name: string;
  readonly memoryMiB: number;
  readonly cores: number;
  readonly cpus: number;
}

/** What the templates of one product are cut from. */
export interface TemplateTable {
  readonly memoryMiB: number;
  /** What is on the board, if more: a request of so much is one for the whole card. */
  readonly boardMiB: number;
  readonly cores: number;
  /** AI CPUs; 0 where they are not counted. */
  readonly cpus: number;
  /** Ascending by memory. */
  readonly templates: readonly Template[];
}

/** Rows are `name, MiB, cores, AI CPUs`. */
export function templates(
  totals: readonly [memoryMiB: number, cores: number, cpus: number],
  rows: readonly (readonly [name: string, memoryMiB: number, cores: number, cpus: number])[],
  boardMiB = totals[0],
): TemplateTable {
  const [memoryMiB, cores, cpus] = totals;
  const list = rows.map(([name, mib, taken, taken2]) => ({ name, memoryMiB: mib, cores: taken, cpus: taken2 }));
  return { memoryMiB, boardMiB, cores, cpus, templates: list };
}
