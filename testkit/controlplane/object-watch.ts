import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ControlPlane } from './control-plane.ts';

const RETRY_MS = 500;

export interface ObjectChange {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: any;
}

/** Every change of the objects below a path as the API server sends it, in order, until it is ended. */
export class ObjectWatch {
  readonly #plane: ControlPlane;
  readonly #path: string;
  readonly #tell: (change: ObjectChange) => void;
  readonly #ended = new AbortController();
  #version = '';

  /** `path` is that of a list, such as `/api/v1/pods`. What is there already is told as added. */
  constructor(plane: ControlPlane, path: string, tell: (change: ObjectChange) => void) {
    this.#plane = plane;
    this.#path = path;
    this.#tell = tell;
  }

  end(): void {
    this.#ended.abort();
  }

  /** Resolves when it is ended; rejects when changes have been missed. */
  async run(): Promise<void> {
    // The API server ends a watch whose reader is slow; it goes on where it was.
    while (!this.#ended.signal.aborted) {
      try {
        const response = await this.#open();
        if (response === null) await sleep(RETRY_MS);
        else await this.#read(response);
      } catch (error) {
        if (!this.#ended.signal.aborted) throw error;
      }
    }
  }

  /** Null: to be asked again, as for a kind that is so new that the API server has not read it yet. */
  async #open(): Promise<IncomingMessage | null> {
    const { url, ca, adminToken } = this.#plane;
    const query = `watch=true&timeoutSeconds=86400&resourceVersion=${this.#version}`;
    const headers = { authorization: `Bearer ${adminToken}` };
    const asked = request(`${url}${this.#path}?${query}`, { ca, headers, signal: this.#ended.signal });
    asked.on('error', () => {});
    asked.end();
    const [response] = (await once(asked, 'response')) as [IncomingMessage];
    if (response.statusCode === 429) {
      response.resume();
      return null;
    }
    if (response.statusCode !== 200) throw new Error(`the watch of ${this.#path} was refused: ${response.statusCode}`);
    return response;
  }

  async #read(response: IncomingMessage): Promise<void> {
    for await (const line of createInterface({ input: response })) {
      const { type, object } = JSON.parse(line);
      if (type === 'ERROR') throw new Error(`the watch of ${this.#path} broke: ${object.message}`);
      this.#version = object.metadata.resourceVersion;
      this.#tell({ type, object });
    }
  }
}
