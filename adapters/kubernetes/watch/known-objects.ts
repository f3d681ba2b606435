import { type Fields, fieldsAt, requiredTextAt, textAt } from '../fields.ts';
import { compareVersions } from './versions.ts';

/** One incarnation of an object. `id` is `namespace/name`, or the name alone. */
export interface ObjectRef {
  readonly uid: string;
  readonly id: string;
}

export interface ObjectHead extends ObjectRef {
  readonly resourceVersion: string;
}

export function headOf(object: Fields): ObjectHead {
  const metadata = fieldsAt(object, 'metadata');
  const namespace = textAt(metadata, 'namespace');
  const name = requiredTextAt(metadata, 'name');
  return {
    uid: requiredTextAt(metadata, 'uid'),
    id: namespace === '' ? name : `${namespace}/${name}`,
    resourceVersion: textAt(metadata, 'resourceVersion'),
  };
}

interface Known {
  readonly uid: string;
  readonly resourceVersion: string;
  /** The number of the list that it was last in. */
  pass: number;
}

export interface Sighting {
  /** It is newer than what was known. */
  readonly isNews: boolean;
  /** Another object had its name: that one is gone. */
  readonly replaced: ObjectRef | null;
}

/** Which objects have been seen, and how new: tells repeated and reordered events, and what a new list lacks. */
export class KnownObjects {
  readonly #byId = new Map<string, Known>();
  #pass = 0;

  get size(): number {
    return this.#byId.size;
  }

  /** A list begins. */
  beginPass(): void {
    this.#pass += 1;
  }

  see(head: ObjectHead): Sighting {
    const known = this.#byId.get(head.id);
    if (known !== undefined && known.uid === head.uid && isNotNewer(head.resourceVersion, known.resourceVersion)) {
      known.pass = this.#pass;
      return { isNews: false, replaced: null };
    }
    this.#byId.set(head.id, { uid: head.uid, resourceVersion: head.resourceVersion, pass: this.#pass });
    const replaced = known !== undefined && known.uid !== head.uid ? { uid: known.uid, id: head.id } : null;
    return { isNews: true, replaced };
  }

  /** Whether it was known; an object of the same name that is known by now is another one. */
  forget({ uid, id }: ObjectRef): boolean {
    if (this.#byId.get(id)?.uid !== uid) return false;
    return this.#byId.delete(id);
  }

  /** Forgets what the list that has just ended did not have, and tells it. */
  endPass(): ObjectRef[] {
    const gone: ObjectRef[] = [];
    for (const [id, known] of this.#byId) if (known.pass !== this.#pass) gone.push({ uid: known.uid, id });
    for (const { id } of gone) this.#byId.delete(id);
    return gone;
  }
}

function isNotNewer(version: string, than: string): boolean {
  const order = compareVersions(version, than);
  return order !== null && order <= 0;
}
