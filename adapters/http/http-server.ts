import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { err, ok, type Result } from '@springtide/core/base';

/** Whether the owner of a bearer token may read a path. `unavailable`: nobody could be asked. */
export type Verdict = 'allowed' | 'unauthenticated' | 'forbidden' | 'unavailable';

export interface Page {
  readonly status: number;
  readonly contentType: string;
  /** A body in pieces is sent as fast as it is read. */
  readonly body: string | AsyncIterable<Uint8Array>;
}

export interface Route {
  readonly path: string;
  /** Anybody may read it, without a token. */
  readonly isOpen: boolean;
  readonly page: () => Page | Promise<Page>;
}

/** A path that is posted to, by whoever can reach it. */
export interface Inlet {
  readonly path: string;
  /** A longer body is refused. */
  readonly bytesMax: number;
  /** `token`: the bearer token that came with it; empty: none. What it is worth is for the inlet to say. */
  readonly answer: (body: Buffer, token: string) => Promise<Page>;
}

/** PEM. */
export interface TlsPair {
  readonly cert: string;
  readonly key: string;
}

export interface HttpServerOptions {
  readonly routes: readonly Route[];
  readonly inlets?: readonly Inlet[];
  readonly judge: (token: string, path: string) => Promise<Verdict>;
  /** Null: plain HTTP. */
  readonly tls: TlsPair | null;
  readonly connectionsMax?: number;
}

const CONNECTIONS_MAX = 64;
/** For a request to come in, its body too. */
const REQUEST_MS_MAX = 10_000;
/** Of all bodies that are held at once, whoever sends them. */
const HELD_BYTES_MAX = 64 << 20;
const TEXT = 'text/plain; charset=utf-8';

/** A few pages to read, over HTTP: GET and HEAD, a bearer token where a page is not open to all; and inlets for POST. */
export class HttpServer {
  readonly #options: HttpServerOptions;
  readonly #server: Server;
  #heldBytes = 0;
  #isClosing = false;

  constructor(options: HttpServerOptions) {
    this.#options = options;
    const { tls } = options;
    const limits = { headersTimeout: REQUEST_MS_MAX, requestTimeout: REQUEST_MS_MAX };
    const serve = (request: IncomingMessage, response: ServerResponse): void => void this.#serve(request, response);
    this.#server = tls === null ? createServer(limits, serve) : createTlsServer({ ...limits, ...tls }, serve);
    this.#server.maxConnections = options.connectionsMax ?? CONNECTIONS_MAX;
  }

  /** New connections are served with this certificate; those that are open go on. Only for a server with TLS. */
  renew({ cert, key }: TlsPair): void {
    (this.#server as TlsServer).setSecureContext({ cert, key });
  }

  /** The port it listens on; 0 asks for any. The error is the system's words, such as `EADDRINUSE`. */
  listen(host: string, port: number): Promise<Result<number, string>> {
    return new Promise((resolve) => {
      this.#server.once('error', (error) => resolve(err(error.message)));
      this.#server.listen(port, host, () => resolve(ok((this.#server.address() as AddressInfo).port)));
    });
  }

  /** Ends open connections too: idle ones at once, those with a request under way when so much time is over. */
  close(graceMs = 0): Promise<void> {
    this.#isClosing = true;
    return new Promise((resolve) => {
      const end = (): void => this.#server.closeAllConnections();
      const timer = setTimeout(end, graceMs);
      this.#server.close(() => {
        clearTimeout(timer);
        resolve();
      });
      if (graceMs === 0) end();
    });
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // A reader that goes away in the middle is no failure of ours.
    response.on('error', () => {});
    // A page that cannot be made must not end the process that it tells of.
    const page = await this.#page(request).catch((error: unknown) => plain(500, String(error)));
    response.statusCode = page.status;
    response.setHeader('content-type', page.contentType);
    response.setHeader('x-content-type-options', 'nosniff');
    if (page.status === 401) response.setHeader('www-authenticate', 'Bearer');
    if (page.status === 405) response.setHeader('allow', 'GET, HEAD');
    // The rest of a body that is too long is not waited for, nor is another request when it closes.
    if (page.status === 413 || this.#isClosing) response.setHeader('connection', 'close');
    if (request.method === 'HEAD') response.end();
    else if (typeof page.body === 'string') response.end(page.body);
    else await pipeline(Readable.from(page.body, { objectMode: false }), response).catch(() => response.destroy());
  }

  async #page(request: IncomingMessage): Promise<Page> {
    const path = (request.url ?? '/').replace(/\?.*$/, '');
    const inlet = request.method === 'POST' ? this.#options.inlets?.find((each) => each.path === path) : undefined;
    if (inlet !== undefined) return this.#posted(request, inlet);
    request.resume();
    if (request.method !== 'GET' && request.method !== 'HEAD') return plain(405, 'only GET and HEAD');
    const route = this.#options.routes.find((each) => each.path === path);
    if (route === undefined) return plain(404, `there are ${this.#options.routes.map((each) => each.path).join(', ')}`);
    return route.isOpen ? route.page() : ((await this.#refusal(request, path)) ?? route.page());
  }

  async #posted(request: IncomingMessage, { bytesMax, answer }: Inlet): Promise<Page> {
    const held: Buffer[] = [];
    let bytes = 0;
    try {
      for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
        bytes += chunk.length;
        this.#heldBytes += chunk.length;
        if (bytes > bytesMax) return plain(413, `at most ${bytesMax} bytes`);
        if (this.#heldBytes > HELD_BYTES_MAX) return plain(503, 'too many bodies at once');
        held.push(chunk);
      }
      return await answer(Buffer.concat(held), bearerToken(request.headers.authorization));
    } finally {
      this.#heldBytes -= bytes;
      request.resume();
    }
  }

  async #refusal(request: IncomingMessage, path: string): Promise<Page | null> {
    const token = bearerToken(request.headers.authorization);
    switch (token === '' ? 'unauthenticated' : await this.#options.judge(token, path)) {
      case 'allowed':
        return null;
      case 'unauthenticated':
        return plain(401, 'a bearer token that the cluster knows is needed: kubectl create token ACCOUNT');
      case 'forbidden':
        return plain(403, `the owner of the token may not get ${path}: it takes a ClusterRole with nonResourceURLs`);
      case 'unavailable':
        return plain(503, 'the API server could not be asked who this is');
    }
  }
}

/** A page of plain text. */
export function plain(status: number, text: string): Page {
  return { status, contentType: TEXT, body: `${text}\n` };
}

function bearerToken(header: string | undefined): string {
  return /^Bearer +(\S+) *$/i.exec(header ?? '')?.[1] ?? '';
}
