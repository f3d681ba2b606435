import { HttpServer, type HttpServerOptions, type TlsPair } from '@springtide/adapters/http';
import { SCALE_IN_MS_MAX } from '@springtide/adapters/kubernetes/admission';
import { BadInput } from '../../terminal/index.ts';
import type { ListenAddress } from '../scheduler/listen-address.ts';

/** Beyond it a connection is not accepted: more than several API servers open at once. */
const CONNECTIONS_MAX = 1024;

/** A server with TLS that listens when it has its first certificate, and goes on with each new one. */
export class TlsEntry {
  readonly #address: ListenAddress;
  readonly #options: Omit<HttpServerOptions, 'tls' | 'connectionsMax'>;
  readonly #listening = Promise.withResolvers<number>();
  #server: HttpServer | null = null;

  constructor(address: ListenAddress, options: Omit<HttpServerOptions, 'tls' | 'connectionsMax'>) {
    this.#address = address;
    this.#options = options;
    // Whoever waits for it hears of it.
    this.#listening.promise.catch(() => {});
  }

  /** The port. Rejects with `BadInput` where it cannot listen. */
  get listening(): Promise<number> {
    return this.#listening.promise;
  }

  serve(tls: TlsPair): void {
    if (this.#server !== null) return this.#server.renew(tls);
    this.#server = new HttpServer({ ...this.#options, tls, connectionsMax: CONNECTIONS_MAX });
    void this.#listen(this.#server);
  }

  /** What is being answered is answered. */
  async close(): Promise<void> {
    await this.#server?.close(SCALE_IN_MS_MAX);
  }

  async #listen(server: HttpServer): Promise<void> {
    const { host, port } = this.#address;
    const listening = await server.listen(host, port);
    if (listening.ok) this.#listening.resolve(listening.value);
    else this.#listening.reject(new BadInput(`--listen ${host}:${port}: ${listening.error}`));
  }
}
