import { type Fields, has } from '../fields.ts';
import { keysOf, type Path, pathText } from '../fault.ts';

/** Why something of Kueue's is not carried over, or not as it was. */
export type LossWhy =
  | 'admission-check'
  | 'counted-twice'
  | 'drain'
  | 'flavor-order'
  | 'kind'
  | 'local-fair-sharing'
  | 'local-stop'
  | 'no-cluster-queue'
  | 'no-namespace'
  | 'pods'
  | 'priority'
  | 'selector'
  | 'topology'
  | 'tree'
  | 'unknown-field'
  | 'weight';

/** One thing that is not carried over, or not as it was. */
export interface Loss {
  readonly kind: string;
  /** `namespace/name`, or the name. */
  readonly name: string;
  /** Such as `spec.admissionChecks`; empty: the object as a whole. */
  readonly path: string;
  /** What stood there, where a few words can tell it; else empty. */
  readonly found: string;
  readonly why: LossWhy;
}

/** Keeps what is lost of one object. */
export class Losses {
  readonly all: Loss[] = [];
  #kind = '';
  #name = '';

  about(kind: string, name: string): void {
    this.#kind = kind;
    this.#name = name;
  }

  /** The path is told from the object on, whatever list it was read from. */
  add(why: LossWhy, path: Path | null, found: unknown = ''): void {
    const keys = keysOf(path);
    const from = keys.findIndex((key) => key === 'spec' || key === 'value' || key === 'metadata');
    const own = keys.slice(Math.max(0, from)).reduce<Path | null>((parent, key) => ({ parent, key }), null);
    const word = typeof found === 'string' || typeof found === 'number' ? String(found) : '';
    this.all.push({ kind: this.#kind, name: this.#name, path: pathText(own), found: word, why });
  }

  /** Tells the fields that nobody here knows. */
  unknownIn(from: Fields, known: readonly string[]): void {
    for (const key of Object.keys(from.values)) {
      if (has(from, key) && !known.includes(key)) this.add('unknown-field', { parent: from.path, key });
    }
  }
}
