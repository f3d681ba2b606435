import { err, ok, type Result } from '@springtide/core/base';
import type { Clock } from '@springtide/ports/clock';
import { type ClusterFailure, clusterFailure } from '@springtide/ports/cluster';
import type { Dispatcher } from 'undici';
import { failureOfAnswer, failureOfError } from './status.ts';
import type { Route, Transport } from './transport.ts';
import { wholeAnswer } from './whole-answer.ts';

export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Such as `/api/v1/nodes`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** JSON where nothing else is said. */
  readonly contentType?: string;
  readonly timeoutMs?: number;
  /** The longest answer that is read. */
  readonly bytesMax?: number;
}

export interface ApiStream {
  readonly chunks: AsyncIterable<Buffer>;
  readonly close: () => void;
}

const TIMEOUT_MS = 10_000;
const BYTES_MAX = 4 << 20;
const ERROR_BYTES_MAX = 1 << 20;

/** Requests to one API server. Every answer, and every lack of one, is a value. */
export class ApiClient {
  readonly #transport: Transport;
  readonly #clock: Clock;

  constructor(transport: Transport, clock: Clock) {
    this.#transport = transport;
    this.#clock = clock;
  }

  /** The JSON of a 2xx answer. Who we are is renewed and tried once more when the API server does not accept it. */
  async request(request: ApiRequest): Promise<Result<unknown, ClusterFailure>> {
    const answer = await this.#once(request);
    if (answer.ok || answer.error.code !== 'unauthorized') return answer;
    this.#transport.forget();
    return this.#once(request);
  }

  /** A 2xx answer that goes on, such as a watch. `timeoutMs` is for its beginning. */
  async stream(request: ApiRequest): Promise<Result<ApiStream, ClusterFailure>> {
    const abort = new AbortController();
    const stream = await this.#timed(request, abort, async (route) => {
      const options = { ...sendable(route, request), signal: abort.signal };
      const { statusCode, headers, body } = await route.dispatcher.request(options);
      if (isSuccess(statusCode)) return ok({ chunks: body as AsyncIterable<Buffer>, close: () => abort.abort() });
      return err(failureOfAnswer(statusCode, await jsonOf(body, ERROR_BYTES_MAX), headerOf(headers)));
    });
    if (!stream.ok && stream.error.code === 'unauthorized') this.#transport.forget();
    return stream;
  }

  #once(request: ApiRequest): Promise<Result<unknown, ClusterFailure>> {
    const abort = new AbortController();
    const bytesMax = (statusCode: number): number =>
      isSuccess(statusCode) ? (request.bytesMax ?? BYTES_MAX) : ERROR_BYTES_MAX;
    return this.#timed(request, abort, async (route) => {
      const limits = { bytesMax, signal: abort.signal };
      const { statusCode, headers, body } = await wholeAnswer(route.dispatcher, sendable(route, request), limits);
      const value = body === null ? TOO_LARGE : parsed(body);
      if (!isSuccess(statusCode)) return err(failureOfAnswer(statusCode, value, headerOf(headers)));
      if (value === TOO_LARGE) return err(clusterFailure('too-large', `${request.path}: the answer is too large`));
      return value === NO_JSON ? err(clusterFailure('malformed', `${request.path}: no JSON`)) : ok(value);
    });
  }

  /** Runs one exchange with a time limit; what the HTTP library throws becomes a value. */
  async #timed<T>(
    request: ApiRequest,
    abort: AbortController,
    exchange: (route: Route) => Promise<Result<T, ClusterFailure>>,
  ): Promise<Result<T, ClusterFailure>> {
    const timeoutMs = request.timeoutMs ?? TIMEOUT_MS;
    const route = await this.#transport.route();
    if (!route.ok) return route;
    const cancel = this.#clock.after(timeoutMs, () => abort.abort());
    try {
      return await exchange(route.value);
    } catch (error) {
      if (abort.signal.aborted) return err(clusterFailure('interrupted', `no answer within ${timeoutMs} ms`));
      return err(failureOfError(error));
    } finally {
      cancel();
    }
  }
}

/** A request as the HTTP library takes it. */
function sendable(route: Route, request: ApiRequest): Dispatcher.RequestOptions {
  const { method, body } = request;
  const { origin, prefix } = route;
  const query = request.query === undefined ? '' : new URLSearchParams(request.query).toString();
  const path = `${prefix}${request.path}${query === '' ? '' : `?${query}`}`;
  if (body === undefined) return { origin, method, path, headers: route.headers };
  const headers = { ...route.headers, 'content-type': request.contentType ?? 'application/json' };
  return { origin, method, path, headers, body: JSON.stringify(body) };
}

function isSuccess(statusCode: number): boolean {
  return statusCode >= 200 && statusCode < 300;
}

const TOO_LARGE: unique symbol = Symbol('too large');
const NO_JSON: unique symbol = Symbol('no JSON');

/** Reads no further than the bound. */
async function jsonOf(body: AsyncIterable<Buffer>, bytesMax: number): Promise<unknown> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > bytesMax) return TOO_LARGE;
    chunks.push(chunk);
  }
  return parsed(Buffer.concat(chunks));
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8')) as unknown;
  } catch {
    return NO_JSON;
  }
}

function headerOf(headers: Dispatcher.ResponseData['headers']): string | null {
  const value = headers['retry-after'];
  return typeof value === 'string' ? value : null;
}
