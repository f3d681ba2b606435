import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type FakeEvent, FakeStore, type Json } from './fake-store.ts';

export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

type Handler = (request: SeenRequest, response: ServerResponse) => void;

/**
 * A very small API server for one resource, for what a real one cannot be made to do on time: streams cut anywhere,
 * silence, expired versions, broken connections. Everything else is tested on the real one.
 */
export class FakeApi {
  readonly store = new FakeStore();
  readonly requests: SeenRequest[] = [];
  readonly #server: Server;
  readonly #watches = new Set<ServerResponse>();
  /** Answers the next requests instead of the store, in order. */
  readonly #answers: Handler[] = [];
  /** How the bytes of a watch come apart. */
  cut: (bytes: Buffer) => Buffer[] = (bytes) => [bytes];
  /** No watch is told anything. */
  isMute = false;

  constructor() {
    this.store.onEvent((event) => {
      for (const watch of this.#watches) this.#tell(watch, event);
    });
    this.#server = createServer((request, response) => void this.#serve(request, response));
  }

  async start(): Promise<string> {
    await new Promise<void>((resolve) => {
      this.#server.listen(0, '127.0.0.1', resolve);
    });
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    const closed = new Promise((resolve) => {
      this.#server.close(resolve);
    });
    this.#server.closeAllConnections();
    await closed;
  }

  get watchCount(): number {
    return this.#watches.size;
  }

  answerNext(handler: Handler): void {
    this.#answers.push(handler);
  }

  refuseNext(status: number, body: Json = {}, times = 1): void {
    for (let i = 0; i < times; i += 1) this.answerNext((_, response) => sendJson(response, status, body));
  }

  /** Ends every watch in good order. */
  endWatches(): void {
    for (const watch of this.#watches) watch.end();
    this.#watches.clear();
  }

  /** Breaks every watch. */
  resetWatches(): void {
    for (const watch of this.#watches) watch.socket?.resetAndDestroy();
    this.#watches.clear();
  }

  /** Tells every watch something, as it is. */
  say(bytes: Buffer): void {
    for (const watch of this.#watches) for (const part of this.cut(bytes)) watch.write(part);
  }

  bookmark(): void {
    this.say(lineOf({ type: 'BOOKMARK', object: { metadata: { resourceVersion: String(this.store.version) } } }));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://x');
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const seen: SeenRequest = {
      method: request.method ?? '',
      path: pathname,
      query: searchParams,
      headers: request.headers,
      body: Buffer.concat(chunks).toString('utf8'),
    };
    this.requests.push(seen);
    const handler = this.#answers.shift();
    if (handler !== undefined) handler(seen, response);
    else if (searchParams.get('watch') === '1') this.#watch(seen, response);
    else sendJson(response, 200, this.store.page(seen.query));
  }

  #watch({ query }: SeenRequest, response: ServerResponse): void {
    const events = this.store.since(Number(query.get('resourceVersion')));
    response.writeHead(200, { 'content-type': 'application/json' });
    response.flushHeaders();
    this.#watches.add(response);
    response.on('close', () => this.#watches.delete(response));
    if (events === null) {
      const object = { kind: 'Status', code: 410, reason: 'Expired', message: 'too old resource version' };
      response.end(lineOf({ type: 'ERROR', object }));
      return;
    }
    for (const event of events) this.#tell(response, event);
  }

  #tell(watch: ServerResponse, event: FakeEvent): void {
    if (this.isMute) return;
    for (const part of this.cut(lineOf(event))) watch.write(part);
  }
}

function lineOf(value: unknown): Buffer {
  return Buffer.from(`${JSON.stringify(value)}\n`);
}

export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}
