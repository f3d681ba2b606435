/** What is wrong with a cluster but does not keep it from being read: counted and named. */
export type Problem =
  | Overbooked
  /** An annotation that another tool wrote and that cannot be read. */
  | { readonly problem: 'malformed'; readonly node?: string; readonly pod?: string; readonly annotation: string }
  /** The second object of a name; the first counts. `card`: the second card of an id on one machine. */
  | { readonly problem: 'duplicate'; readonly node?: string; readonly pod?: string; readonly card?: string }
  /** A pod bound to a machine that the dump does not have; it is left out. */
  | { readonly problem: 'unknown-node'; readonly pod: string; readonly node: string }
  /** An annotation names a card that the machine does not have; which one is held is then guessed. */
  | { readonly problem: 'unknown-card'; readonly pod: string; readonly node: string; readonly card: string }
  /** The dump has nodes only, so every machine looks empty. */
  | { readonly problem: 'no-pods' }
  /** A plug-in counts shares of cards and nothing tells how many cards they are of. */
  | { readonly problem: 'unregistered'; readonly node: string; readonly resource: string }
  /** A label of ours says what it cannot; it is as if it were not there. It takes a percentage from 100 to `most`. */
  | {
      readonly problem: 'bad-label';
      readonly node: string;
      readonly label: string;
      readonly value: string;
      readonly most: number;
    };

/**
 * More is held than is there. Without further fields: cards of the machine. `resource` is named where it is not
 * the machine's only kind of card, `card` where one card is cut too often (MiB, or thousandths of compute, or
 * pods, as `unit` says), `group` where fractions exceed their card.
 */
export interface Overbooked {
  readonly problem: 'overbooked';
  readonly node: string;
  readonly held: number;
  readonly healthy: number;
  readonly resource?: string;
  readonly card?: string;
  readonly group?: string;
  readonly unit?: 'MiB' | 'computeMilli' | 'pods';
}
