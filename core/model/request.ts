import { NO_CONSTRAINTS, type Constraints } from './constraints.ts';

/** Card memory: MiB of each card, thousandths of each card, or none at all (compute only). */
export type SliceMemory =
  | { readonly unit: 'mib'; readonly amount: number }
  | { readonly unit: 'milli'; readonly amount: number }
  | { readonly unit: 'none' };

interface OfCards {
  /** The extended resource that names the family of cards, such as `nvidia.com/gpu`. */
  readonly resource: string;
  /** How many cards; a slice request takes its slice on each of `count` different cards. */
  readonly count: number;
  /** Product names allowed; null: any of the resource. */
  readonly models: readonly string[] | null;
  /** Product names preferred, best first: among equals they win. */
  readonly preferredModels?: readonly string[];
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
      /** Higher runs first on the card. */
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
