import { InputFault } from '../fault.ts';
import type { Fields } from '../fields.ts';
import { headOf, KnownObjects } from './known-objects.ts';
import type { ReflectorSink } from './reflected.ts';
import { compareVersions } from './versions.ts';

/** What has been told so far, and the version up to which that is so. */
export class Tracker {
  readonly #sink: ReflectorSink;
  readonly #known = new KnownObjects();
  #version: string | null = null;
  #skipped = 0;

  constructor(sink: ReflectorSink) {
    this.#sink = sink;
  }

  /** Where the next watch begins; null: a list has to come first. */
  get version(): string | null {
    return this.#version;
  }

  get size(): number {
    return this.#known.size;
  }

  get skipped(): number {
    return this.#skipped;
  }

  beginList(): void {
    this.#version = null;
    this.#known.beginPass();
  }

  /** What was known before and is not in the list is gone. Null: there is nothing to watch. */
  endList(version: string | null): void {
    for (const gone of this.#known.endPass()) this.#sink.gone(gone, null);
    this.#version = version;
  }

  /** The version is too old to be watched from. */
  expire(): void {
    this.#version = null;
  }

  /** Versions only grow: an event that comes twice takes nothing back. */
  advance(version: string): void {
    if (this.#version === null || version === '') return;
    const order = compareVersions(version, this.#version);
    if (order === null || order > 0) this.#version = version;
  }

  see(object: Fields): void {
    this.#guard(() => {
      const head = headOf(object);
      const { isNews, replaced } = this.#known.see(head);
      if (replaced !== null) this.#sink.gone(replaced, null);
      if (isNews) this.#sink.seen(object);
      this.advance(head.resourceVersion);
    });
  }

  lose(object: Fields): void {
    this.#guard(() => {
      const head = headOf(object);
      if (this.#known.forget(head)) this.#sink.gone(head, object);
      this.advance(head.resourceVersion);
    });
  }

  /** An object without a name cannot be followed: it is counted and passed over. */
  #guard(take: () => void): void {
    try {
      take();
    } catch (error) {
      if (!(error instanceof InputFault)) throw error;
      this.#skipped += 1;
    }
  }
}
