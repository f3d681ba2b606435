import type { SeenWorkload } from '@springtide/ports/queueing';
import { compareVersions } from '../watch/versions.ts';

/** The version that our last decision about each Workload was written as, by uid. */
export class WorkloadVersions {
  readonly #written = new Map<string, string>();

  wrote(uid: string, version: string): void {
    this.#written.set(uid, version);
  }

  /** False: what we wrote since will come. */
  isNews(uid: string, version: string): boolean {
    const written = this.#written.get(uid);
    const order = written === undefined ? null : compareVersions(version, written);
    return order === null || order >= 0;
  }

  /**
   * The one that a decision stands on: the Workload as it was taken, or as we have written it since. Never one that was
   * seen and not taken yet: whoever wrote that would be overruled unheard.
   */
  of({ uid, version }: Pick<SeenWorkload, 'uid' | 'version'>): string {
    return this.isNews(uid, version) ? version : (this.#written.get(uid) ?? version);
  }

  forget(uid: string): void {
    this.#written.delete(uid);
  }
}
