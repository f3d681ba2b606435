import { Agent, request } from 'node:https';

export interface Answer {
  readonly status: number;
  readonly body: any;
}

export interface Call {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: unknown;
  /** Somebody else than the admin. */
  readonly token?: string;
  readonly contentType?: string;
  /** How long it may take; two minutes where nothing is said. */
  readonly timeoutMs?: number;
}

export interface ApiAccess {
  readonly port: number;
  readonly authority: string;
  readonly token: string;
}

const ordinaryTimeoutMs = 120_000;

/** An answer of the API server that is no success. */
export class ApiError extends Error {
  readonly status: number;
  readonly reason: string;

  constructor(call: Call, answer: Answer) {
    const { reason = '', message = JSON.stringify(answer.body) } = (answer.body ?? {}) as Record<string, string>;
    super(`${call.method} ${call.path}: ${answer.status} ${reason}: ${message}`);
    this.name = 'ApiError';
    this.status = answer.status;
    this.reason = reason;
  }
}

/**
 * The plainest client there can be, so that tests read what the API server says and not what our own client makes of
 * it: no cache, no retries, no watch.
 */
export class ApiClient {
  readonly #access: ApiAccess;
  readonly #agent: Agent;

  constructor(access: ApiAccess) {
    this.#access = access;
    this.#agent = new Agent({ ca: access.authority, keepAlive: true, maxSockets: 32 });
  }

  async get(path: string, token?: string): Promise<any> {
    return this.#succeed({ method: 'GET', path, ...(token === undefined ? {} : { token }) });
  }

  async create(path: string, body: unknown): Promise<any> {
    return this.#succeed({ method: 'POST', path, body });
  }

  /** A merge patch, unless another kind is named. */
  async patch(path: string, body: unknown, contentType = 'application/merge-patch+json'): Promise<any> {
    return this.#succeed({ method: 'PATCH', path, body, contentType });
  }

  /** What is gone already is as good as deleted. A whole collection takes its time on a busy machine. */
  async delete(path: string, body?: unknown): Promise<void> {
    const call: Call = { method: 'DELETE', path, body, timeoutMs: 300_000 };
    const answer = await this.send(call);
    if (answer.status >= 400 && answer.status !== 404) throw new ApiError(call, answer);
  }

  async #succeed(call: Call): Promise<unknown> {
    const answer = await this.send(call);
    if (answer.status >= 400) throw new ApiError(call, answer);
    return answer.body;
  }

  /** One request, whatever the answer. Rejects only where there is none. */
  send(call: Call): Promise<Answer> {
    const text = call.body === undefined ? undefined : JSON.stringify(call.body);
    const headers: Record<string, string> = {
      authorization: `Bearer ${call.token ?? this.#access.token}`,
      accept: 'application/json',
      'user-agent': 'springtide-testbed',
    };
    if (text !== undefined) {
      headers['content-type'] = call.contentType ?? 'application/json';
      // Node itself sends the body of a DELETE without saying how long it is.
      headers['content-length'] = String(Buffer.byteLength(text));
    }
    return new Promise((resolve, reject) => {
      const { method, path, timeoutMs = ordinaryTimeoutMs } = call;
      const asked = request({ host: '127.0.0.1', port: this.#access.port, agent: this.#agent, method, path, headers });
      asked.setTimeout(timeoutMs, () => asked.destroy(new Error(`${method} ${path}: no answer in ${timeoutMs} ms`)));
      // More than one may come, as when an answer that took too long is followed by the end of its connection.
      asked.on('error', reject);
      asked.once('response', (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.once('end', () => {
          resolve({ status: response.statusCode ?? 0, body: parsed(Buffer.concat(chunks).toString('utf8')) });
        });
      });
      asked.end(text);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

/** JSON where it is JSON; health checks answer with a word. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
