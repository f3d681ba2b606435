import { compareText } from '../base/index.ts';
import { FILTER_CODE, type FilterName, type NearMiss, type Obstacle, type Remedy } from '../model/index.ts';
import { MODE, type Book, type RequestClass } from '../state/index.ts';
import { cardView } from './card-shortage.ts';

/** Filters of which nothing that somebody could grant would help. */
const HOPELESS: ReadonlySet<FilterName> = new Set(['card-resource', 'card-slicing', 'machine']);

/** Remedies that read the same whatever cards the machine has: they are not told model by model. */
const OF_ANY_MODEL: ReadonlySet<FilterName> = new Set([
  'unschedulable',
  'taint',
  'selector',
  'volume',
  'volume-in-use',
  'pool',
  'pool-asked',
  'card-choice',
  'device',
  'card-limit',
]);

/** The most remedies told; the rest would only be read past. */
export const REMEDIES_MAX = 8;

interface Group {
  readonly obstacle: Obstacle;
  readonly model: string;
  readonly machines: { readonly machine: number; readonly missing: number; readonly cardsFree: number }[];
}

/**
 * What would make machines feasible, from the obstacles of every machine that refuses. A machine counts where it
 * has exactly one obstacle and somebody could lift it. Grouped by what is short and by card model.
 */
export class Remedies {
  readonly #book: Book;
  readonly #requestClass: RequestClass;
  readonly #groups = new Map<string, Group>();
  #nearest: { machine: number; obstacles: readonly Obstacle[] } | null = null;

  constructor(book: Book, requestClass: RequestClass) {
    this.#book = book;
    this.#requestClass = requestClass;
  }

  add(machine: number, obstacles: readonly Obstacle[]): void {
    if (obstacles.some((obstacle) => obstacle.isBeyond || HOPELESS.has(obstacle.filter))) return;
    const [only] = obstacles;
    if (only === undefined) return;
    if (this.#nearest === null || obstacles.length < this.#nearest.obstacles.length) {
      this.#nearest = { machine, obstacles };
    }
    if (obstacles.length === 1) this.#count(machine, only);
  }

  #count(machine: number, obstacle: Obstacle): void {
    const { models, fitting } = cardView(this.#book, this.#requestClass, machine);
    const isOfAny = this.#requestClass.mode === MODE.none || OF_ANY_MODEL.has(obstacle.filter);
    const model = isOfAny ? '' : models.join('+');
    const key = [obstacle.filter, obstacle.resource, model].join('\u0000');
    const group = this.#groups.get(key) ?? { obstacle, model, machines: [] };
    group.machines.push({ machine, missing: obstacle.missing, cardsFree: fitting });
    this.#groups.set(key, group);
  }

  /** Those that open most machines first. */
  list(): Remedy[] {
    return [...this.#groups.values()]
      .map((group) => remedyOf(this.#book, group))
      .toSorted(
        (left, right) =>
          right.machines - left.machines ||
          FILTER_CODE[left.filter] - FILTER_CODE[right.filter] ||
          compareText(left.resource, right.resource) ||
          compareText(left.model, right.model),
      )
      .slice(0, REMEDIES_MAX);
  }

  /** The machine with fewest obstacles, where no machine has only one. */
  nearMiss(): NearMiss | null {
    if (this.#groups.size > 0 || this.#nearest === null) return null;
    const { machine, obstacles } = this.#nearest;
    return { machine: this.#book.machines[machine]?.id ?? '', obstacles };
  }
}

function remedyOf(book: Book, { obstacle, model, machines }: Group): Remedy {
  const missing = machines.reduce((least, entry) => Math.min(least, entry.missing), Infinity);
  const opened = machines.filter((entry) => entry.missing === missing);
  return {
    filter: obstacle.filter,
    resource: obstacle.resource,
    machines: machines.length,
    missing,
    opened: opened.length,
    nearest: book.machines[opened[0]?.machine ?? 0]?.id ?? '',
    cardsFree: opened.reduce((least, entry) => Math.min(least, entry.cardsFree), Infinity),
    model,
  };
}
