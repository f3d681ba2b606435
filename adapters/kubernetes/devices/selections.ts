import type { DeviceSlice, SliceDevice } from './slices.ts';
import { readSelector, type Selector } from './expressions.ts';

/** Different lists of selectors known at once. */
const SELECTIONS_MAX = 1000;

/** A list of expressions that all have to admit a device. */
export interface Selection {
  readonly id: string;
  /** Which expression cannot be read, and why; null: all can. */
  readonly broken: SelectorFault | null;
  /** Which expression fails on some device, and how; the first that was met. Null: none does. */
  failing: SelectorFault | null;
}

export interface SelectorFault {
  /** Of the expression in the list. */
  readonly index: number;
  readonly why: string;
}

interface Known extends Selection {
  readonly selectors: readonly Selector[];
  /** What was found of devices, which never change. */
  readonly verdicts: WeakMap<SliceDevice, boolean>;
}

/**
 * Which devices the selectors of classes and requests admit. Equal lists are one selection, so that the claims of one
 * template are told apart by nothing, and each device is asked once.
 */
export class Selections {
  readonly #known = new Map<string, Known>();
  #made = 0;
  #hasFailed = false;

  /** The selection of a list of expressions. `isNew`: no device has been asked. Null: there are too many. */
  of(expressions: readonly string[]): { readonly selection: Selection; readonly isNew: boolean } | null {
    const key = JSON.stringify(expressions);
    const known = this.#known.get(key);
    if (known !== undefined) return { selection: known, isNew: false };
    if (this.#known.size >= SELECTIONS_MAX) return null;
    this.#made += 1;
    const selection = newSelection(`s${this.#made}`, expressions);
    this.#known.set(key, selection);
    return { selection, isNew: true };
  }

  /** Forgets selections that nobody uses. */
  keepOnly(ids: ReadonlySet<string>): void {
    for (const [key, { id }] of this.#known) if (!ids.has(id)) this.#known.delete(key);
  }

  /** Whether one has failed on a device, for the first time, since this was last asked. */
  takeFailed(): boolean {
    const hasFailed = this.#hasFailed;
    this.#hasFailed = false;
    return hasFailed;
  }

  /** Ids of those that admit a device, in the order in which they became known. */
  admitting(item: SliceDevice, slice: DeviceSlice): string[] {
    if (item.isOddlyShared) return [];
    const found: string[] = [];
    for (const selection of this.#known.values()) {
      const before = selection.failing;
      if (admits(selection, item, slice)) found.push(selection.id);
      if (selection.failing !== before) this.#hasFailed = true;
    }
    return found;
  }
}

function newSelection(id: string, expressions: readonly string[]): Known {
  const selectors: Selector[] = [];
  let broken: SelectorFault | null = null;
  for (const [index, expression] of expressions.entries()) {
    const read = readSelector(expression);
    if (read.ok) selectors.push(read.value);
    else broken ??= { index, why: read.error };
  }
  return { id, broken, failing: null, selectors, verdicts: new WeakMap() };
}

/** The class's selectors come first, and the first that says no is the last that is asked, as in Kubernetes. */
function admits(selection: Known, item: SliceDevice, { driver, pool }: DeviceSlice): boolean {
  const known = selection.verdicts.get(item);
  if (known !== undefined || selection.broken !== null) return known ?? false;
  let verdict = true;
  for (const [index, selector] of selection.selectors.entries()) {
    const answer = selector.admits(item.facts);
    verdict = answer.ok && answer.value;
    if (!answer.ok) selection.failing ??= { index, why: `${answer.error} (${driver}/${pool}/${item.device.name})` };
    if (!verdict) break;
  }
  selection.verdicts.set(item, verdict);
  return verdict;
}
