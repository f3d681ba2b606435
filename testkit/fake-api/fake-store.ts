export type Json = Record<string, unknown>;

export interface FakeEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: Json;
}

interface Recorded {
  readonly version: number;
  readonly event: FakeEvent;
}

/** The objects of one resource, with a history that can be watched from any version until it is compacted. */
export class FakeStore {
  readonly #objects = new Map<string, Json>();
  readonly #listeners: ((event: FakeEvent) => void)[] = [];
  #history: Recorded[] = [];
  /** What lists that go on were begun with, by the version in their `continue`. */
  readonly #listed = new Map<number, readonly Json[]>();
  #compactedTo = 0;
  #uids = 0;
  version = 100;

  onEvent(listener: (event: FakeEvent) => void): void {
    this.#listeners.push(listener);
  }

  get names(): string[] {
    return [...this.#objects.keys()].toSorted();
  }

  /** `name uid version` of each object. */
  get heads(): string[] {
    const metadata = [...this.#objects.values()].map((object) => object['metadata'] as Record<string, string>);
    return metadata.map(({ name, uid, resourceVersion }) => `${name} ${uid} ${resourceVersion}`).toSorted();
  }

  /** Makes or changes the object of this name. */
  put(name: string, fields: Json = {}): void {
    const old = this.#objects.get(name)?.['metadata'] as Json | undefined;
    this.version += 1;
    const uid = old?.['uid'] ?? `uid-${(this.#uids += 1)}`;
    const object = { ...fields, metadata: { name, uid, resourceVersion: String(this.version) } };
    this.#objects.set(name, object);
    this.#record({ type: old === undefined ? 'ADDED' : 'MODIFIED', object });
  }

  remove(name: string): void {
    const old = this.#objects.get(name);
    if (old === undefined) return;
    this.version += 1;
    this.#objects.delete(name);
    const metadata = { ...(old['metadata'] as Json), resourceVersion: String(this.version) };
    this.#record({ type: 'DELETED', object: { ...old, metadata } });
  }

  /** Forgets the history: watches from before now are refused. */
  compact(): void {
    this.#history = [];
    this.#compactedTo = this.version;
  }

  /** Events after a version; null: it is too old. */
  since(version: number): FakeEvent[] | null {
    if (version < this.#compactedTo) return null;
    return this.#history.filter((item) => item.version > version).map((item) => item.event);
  }

  /** A page of what there was at the version at which its list began, whatever has happened since. */
  page(query: URLSearchParams): Json {
    const limit = Number(query.get('limit') ?? '500');
    const [from, version] = (query.get('continue') ?? `0@${this.version}`).split('@').map(Number) as [number, number];
    const all = from === 0 ? [...this.#objects.values()] : (this.#listed.get(version) ?? []);
    this.#listed.set(version, all);
    const items = all.slice(from, from + limit);
    const hasMore = from + limit < all.length;
    const metadata = {
      resourceVersion: String(version),
      ...(hasMore ? { continue: `${from + limit}@${version}` } : {}),
    };
    return { kind: 'List', metadata, items };
  }

  #record(event: FakeEvent): void {
    this.#history.push({ version: this.version, event });
    for (const listener of this.#listeners) listener(event);
  }
}
