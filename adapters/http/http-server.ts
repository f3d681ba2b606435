import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
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

export interface HttpServerOptions {
  readonly routes: readonly Route[];
  readonly judge: (token: string, path: string) => Promise<Verdict>;
  /** PEM; null: plain HTTP. */
  readonly tls: { readonly cert: string; readonly key: string } | null;
}

const CONNECTIONS_MAX = 64;
/** For the head of a request; there are no bodies. */
const REQUEST_MS_MAX = 10_000;
const TEXT = 'text/plain; charset=utf-8';

/** A few pages to read, over HTTP: GET and HEAD, a bearer token where a page is not open to all. */
export class HttpServer {
  readonly #options: HttpServerOptions;
  readonly #server: Server;

  constructor(options: HttpServerOptions) {
    this.#options = options;
    const { tls } = options;
    const limits = { headersTimeout: REQUEST_MS_MAX, requestTimeout: REQUEST_MS_MAX };
    const serve = (request: IncomingMessage, response: ServerResponse): void => void this.#serve(request, response);
    this.#server = tls === null ? createServer(limits, serve) : createTlsServer({ ...limits, ...tls }, serve);
    this.#server.maxConnections = CONNECTIONS_MAX;
  }

  /** The port it listens on; 0 asks for any. The error is the system's words, such as `EADDRINUSE`. */
  listen(host: string, port: number): Promise<Result<number, string>> {
    return new Promise((resolve) => {
      this.#server.once('error', (error) => resolve(err(error.message)));
      this.#server.listen(port, host, () => resolve(ok((this.#server.address() as AddressInfo).port)));
    });
  }

  /** Ends open connections too. */
  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeAllConnections();
    });
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // A reader that goes away in the middle is no failure of ours.
    response.on('error', () => {});
    request.resume();
    // A page that cannot be made must not end the process that it tells of.
    const page = await this.#page(request).catch((error: unknown) => plain(500, String(error)));
    response.statusCode = page.status;
    response.setHeader('content-type', page.contentType);
    response.setHeader('x-content-type-options', 'nosniff');
    if (page.status === 401) response.setHeader('www-authenticate', 'Bearer');
    if (page.status === 405) response.setHeader('allow', 'GET, HEAD');
    if (request.method === 'HEAD') response.end();
    else if (typeof page.body === 'string') response.end(page.body);
    else await pipeline(Readable.from(page.body, { objectMode: false }), response).catch(() => response.destroy());
  }

  async #page(request: IncomingMessage): Promise<Page> {
    if (request.method !== 'GET' && request.method !== 'HEAD') return plain(405, 'only GET and HEAD');
    const path = (request.url ?? '/').replace(/\?.*$/, '');
    const route = this.#options.routes.find((each) => each.path === path);
    if (route === undefined) return plain(404, `there are ${this.#options.routes.map((each) => each.path).join(', ')}`);
    return route.isOpen ? route.page() : ((await this.#refusal(request, path)) ?? route.page());
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
