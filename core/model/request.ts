import type { Slicing } from './card.ts';
import { NO_CONSTRAINTS, type Constraints } from './constraints.ts';

/** Card memory: MiB of each card, thousandths of each card, or none at all (compute only). */
export type SliceMemory =
  | { readonly unit: 'mib'; readonly amount: number }
  | { readonly unit: 'milli'; readonly amount: number }
  | { readonly unit: 'none' };

/** Which cards of the right kind a pod wants, in the words of plug-ins. What is absent is not asked. */
export interface CardChoice {
  /** Only cards of these ids; an empty list admits none. */
  readonly ids?: readonly string[];
  /** No card of these ids. */
  readonly idsDenied?: readonly string[];
  /** Product names that contain one of these words, in any case; blanks and hyphens are one. Empty: none. */
  readonly words?: readonly string[];
  readonly wordsDenied?: readonly string[];
  /** Only cards that may be cut so. */
  readonly slicings?: readonly Slicing[];
  /** Cards that nobody else holds a part of. */
  readonly isAlone?: boolean;
  /** All cards at one NUMA node. */
  readonly isOneNuma?: boolean;
  /** Several slices may lie on one card: each is a container's own. Else every slice is on a card of its own. */
  readonly isStacked?: boolean;
}

interface OfCards {
  /** The extended resource that names the family of cards, such as `nvidia.com/gpu`. */
  readonly resource: string;
  /** How many cards; a slice request takes its slice on each of `count` different cards. */
  readonly count: number;
  /** Product names allowed; null: any of the resource. */
  readonly models: readonly string[] | null;
  /** Product names preferred, best first: among equals they win. */
  readonly preferredModels?: readonly string[];
  readonly choice?: CardChoice;
}

/** What a pod asks of cards (architecture, "A card, a request"). */
export type CardRequest =
  | { readonly kind: 'none' }
  | (OfCards & { readonly kind: 'whole' })
  | (OfCards & {
      readonly kind: 'slice';
      readonly memory: SliceMemory;
      readonly computeMilli: number;
      /** A share told by another scheduler's annotations: it needs cards cut that way. */
      readonly isFraction?: boolean;
    })
  | (OfCards & { readonly kind: 'mig'; readonly profile: string })
  | (OfCards & { readonly kind: 'template'; readonly template: string })
  | (OfCards & {
      readonly kind: 'shared';
      readonly memory: SliceMemory;
      readonly computeMilli: number;
      /** As plug-ins count it: 0 runs first on the card, and what is higher yields. */
      readonly priority: number;
    });

/** Never share a card, or a machine, with pods of other tenants (P2, O1). Only pods that hold cards count. */
export type Isolation = 'none' | 'card' | 'machine';

export interface Request {
  readonly cpuMilli: number;
  readonly memoryBytes: number;
  /** Other resources by name, as in `Machine.resources`. */
  readonly resources: ReadonlyMap<string, number>;
  readonly cards: CardRequest;
  readonly constraints: Constraints;
  readonly isolation: Isolation;
}

export const NO_CARDS: CardRequest = { kind: 'none' };

export const EMPTY_REQUEST: Request = {
  cpuMilli: 0,
  memoryBytes: 0,
  resources: new Map(),
  cards: NO_CARDS,
  constraints: NO_CONSTRAINTS,
  isolation: 'none',
};
