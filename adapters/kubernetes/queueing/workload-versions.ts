import { compareVersions } from '../watch/versions.ts';

/** The newest version of each Workload, seen or written, by uid: writes are for that one, and what is older is not told. */
export class WorkloadVersions {
  readonly #versions = new Map<string, string>();

  /** Whether it is not older than what is known. */
  see(uid: string, version: string): boolean {
    const known = this.#versions.get(uid);
    const order = known === undefined ? null : compareVersions(version, known);
    if (order !== null && order < 0) return false;
    this.#versions.set(uid, version);
    return true;
  }

  of(uid: string): string | undefined {
    return this.#versions.get(uid);
  }

  forget(uid: string): void {
    this.#versions.delete(uid);
  }
}
