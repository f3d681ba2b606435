import { type ApiAccess, ApiClient } from './api-client.ts';
import type { Controls } from './controls.ts';
import type { Usage } from './process/usage.ts';

/** A kube-scheduler that runs beside what is tested. */
export class KubeScheduler {
  readonly #part: string;
  readonly #controls: Controls;
  readonly #api: ApiClient;

  constructor(part: string, controls: Controls, access: ApiAccess) {
    this.#part = part;
    this.#controls = controls;
    this.#api = new ApiClient(access);
  }

  async usage(): Promise<Usage | null> {
    return (await this.#controls.usage())[this.#part] ?? null;
  }

  /** Its metrics in the text format of Prometheus. */
  async metrics(): Promise<string> {
    return String(await this.#api.get('/metrics'));
  }

  async stop(): Promise<void> {
    this.#api.close();
    await this.#controls.stopPart(this.#part);
  }
}
