import type { ClusterEvent } from '@springtide/ports/cluster';

/** The changes of a world, numbered from 1, as far back as it remembers. */
export class Journal {
  readonly #historyMax: number;
  readonly #listeners = new Set<() => void>();
  #events: ClusterEvent[] = [];
  /** The number of the newest change. */
  #version = 0;

  constructor(historyMax: number) {
    this.#historyMax = historyMax;
  }

  get version(): number {
    return this.#version;
  }

  add(event: ClusterEvent): void {
    this.#version += 1;
    this.#events.push(event);
    // Cut in large pieces, so that it costs nothing on average.
    if (this.#events.length > 2 * this.#historyMax) this.#events = this.#events.slice(-this.#historyMax);
    for (const listener of this.#listeners) listener();
  }

  /** The change of this number; null: it is forgotten. */
  at(version: number): ClusterEvent | null {
    return this.#events[version - 1 - (this.#version - this.#events.length)] ?? null;
  }

  /** Whether everything after this version can still be told. */
  reaches(version: number): boolean {
    return version >= this.#version - this.#events.length;
  }

  /** Forgets everything: who is behind has to list anew. */
  compact(): void {
    this.#events = [];
  }

  onAdd(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
