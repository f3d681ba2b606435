import type { MigTable } from './mig.ts';
import type { TemplateTable } from './templates.ts';

/** The resources by which a pod asks for a part of each card it gets. Empty text: the plug-in has none. */
export interface SliceResources {
  readonly memory: string;
  /** MiB in one unit of `memory`. */
  readonly memoryUnitMiB: number;
  /** `memory` may also be told in bytes, such as `4Gi`. */
  readonly isBytesToo: boolean;
  /** Percent of each card's memory. */
  readonly percentage: string;
  readonly compute: string;
  /** Units of `compute` in a whole card: 100 where it is percent. */
  readonly computeUnits: number;
  /** Thousandths a request without `compute` takes: some plug-ins then give the whole card's. */
  readonly computeAbsentMilli: number;
  /** The count is one of slices of one card, of so many MiB each; 0: it is one of cards. */
  readonly countedMiB: number;
  /** Slices of one card only: a request for more cards takes them whole. */
  readonly isOneCard: boolean;
  readonly priority: string;
  /** The sizes a request is rounded up to, ascending; null: any size. */
  readonly sizesMiB: readonly number[] | null;
}

/** A resource name that stands for cards. */
export interface CardResource {
  readonly name: string;
  /** `shares`: the plug-in counts shares of cards, and something else (an annotation, a label) tells the cards. */
  readonly counts: 'cards' | 'shares';
  /** Cards are given out in such numbers; a request for one gets so many. */
  readonly step: number;
  /** The product that the name alone implies; used for sizes, never shown as the cluster's own word. */
  readonly impliedModel: string;
  readonly slices: SliceResources | null;
}

/** A product. A row matches when all its words occur in the product name; the first row that matches wins. */
export interface CardModel {
  readonly words: readonly string[];
  /** 0 when unknown. */
  readonly memoryMiB: number;
  /** Cards in the machine it usually comes in. */
  readonly usualCards: number;
  /** Cards joined by a fast link (NVLink, HCCS); null: all of a machine. 1: none is. */
  readonly islandSize: number | null;
  readonly mig: MigTable | null;
  readonly templates: TemplateTable | null;
}

export interface Vendor {
  /** Key of the table, as in `Card.vendor`. */
  readonly name: string;
  readonly cards: readonly CardResource[];
  /** Resources of the vendor's plug-ins that are neither cards nor parts of cards. */
  readonly otherResources: readonly string[];
  /** Resources whose unit is a slice cut beforehand (MIG, static vNPU): counted by Kubernetes, kept as they are. */
  readonly instances: RegExp | null;
  /** Node labels that tell the product; the first that is set wins. */
  readonly modelLabels: readonly string[];
  /** Node label with the memory of each card in MiB; empty: none. */
  readonly memoryLabel: string;
  readonly models: readonly CardModel[];
}

/** A resource of whole cards, with an optional plug-in that cuts them. */
export function wholeCards(name: string, slices: SliceResources | null = null, impliedModel = ''): CardResource {
  return { name, counts: 'cards', step: 1, impliedModel, slices };
}

export function shares(name: string, slices: SliceResources | null = null, impliedModel = ''): CardResource {
  return { name, counts: 'shares', step: 1, impliedModel, slices };
}

const NO_SLICES: SliceResources = {
  memory: '',
  memoryUnitMiB: 1,
  isBytesToo: false,
  percentage: '',
  compute: '',
  computeUnits: 100,
  computeAbsentMilli: 0,
  countedMiB: 0,
  isOneCard: false,
  priority: '',
  sizesMiB: null,
};

export function slicedBy(names: Partial<SliceResources>): SliceResources {
  return { ...NO_SLICES, ...names };
}

/** A product of which only the size is known. */
export function model(words: readonly string[], memoryMiB: number, more: Partial<CardModel> = {}): CardModel {
  return { words, memoryMiB, usualCards: 8, islandSize: null, mig: null, templates: null, ...more };
}
