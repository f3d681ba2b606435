import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { createInterface } from 'node:readline';
import type { ControlPlane } from '@springtide/testkit/controlplane';

export interface PodChange {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly pod: PodObject;
}

/** What is read of a pod. */
export interface PodObject {
  readonly metadata: {
    readonly name: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly deletionTimestamp?: string;
  };
  readonly spec: { readonly nodeName?: string };
  readonly status: { readonly phase?: string };
}

/** Every change of the pods of a namespace as the API server sends it, in order, until it is ended. */
export class PodWatch {
  readonly #plane: ControlPlane;
  readonly #namespace: string;
  readonly #tell: (change: PodChange) => void;
  readonly #ended = new AbortController();
  #version = '';

  constructor(plane: ControlPlane, namespace: string, tell: (change: PodChange) => void) {
    this.#plane = plane;
    this.#namespace = namespace;
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
        await this.#read(await this.#open());
      } catch (error) {
        if (!this.#ended.signal.aborted) throw error;
      }
    }
  }

  async #open(): Promise<IncomingMessage> {
    const { url, ca, adminToken } = this.#plane;
    const query = `watch=true&timeoutSeconds=86400&resourceVersion=${this.#version}`;
    const path = `${url}/api/v1/namespaces/${this.#namespace}/pods?${query}`;
    const headers = { authorization: `Bearer ${adminToken}` };
    const asked = request(path, { ca, headers, signal: this.#ended.signal });
    asked.on('error', () => {});
    asked.end();
    const [response] = (await once(asked, 'response')) as [IncomingMessage];
    if (response.statusCode !== 200) throw new Error(`the watch of pods was refused: ${response.statusCode}`);
    return response;
  }

  async #read(response: IncomingMessage): Promise<void> {
    for await (const line of createInterface({ input: response })) {
      const { type, object } = JSON.parse(line);
      if (type === 'ERROR') throw new Error(`the watch of pods broke: ${object.message}`);
      this.#version = object.metadata.resourceVersion;
      this.#tell({ type, pod: object });
    }
  }
}
