import type { Dispatcher } from 'undici';

/** An answer that was read to its end. */
export interface WholeAnswer {
  readonly statusCode: number;
  readonly headers: Dispatcher.ResponseData['headers'];
  /** Null: it is larger than its bound, and was not read to the end. */
  readonly body: Buffer | null;
}

export interface AnswerLimits {
  readonly bytesMax: (statusCode: number) => number;
  /** The exchange is given up when it says so. */
  readonly signal: AbortSignal;
}

/**
 * Sends a request and collects its answer. Binding a pod takes two of them, so it is done without the streams and
 * iterators that the HTTP library wraps around an answer. Rejects with its errors, or with the reason to give up.
 */
export function wholeAnswer(
  dispatcher: Dispatcher,
  options: Dispatcher.DispatchOptions,
  limits: AnswerLimits,
): Promise<WholeAnswer> {
  return new Promise((resolve, reject) => {
    const collector = new Collector(limits, resolve, reject);
    limits.signal.addEventListener('abort', () => collector.giveUp(), { once: true });
    dispatcher.dispatch(options, collector);
  });
}

class Collector implements Dispatcher.DispatchHandler {
  readonly #limits: AnswerLimits;
  readonly #resolve: (answer: WholeAnswer) => void;
  readonly #reject: (error: unknown) => void;
  readonly #chunks: Buffer[] = [];
  #controller: Dispatcher.DispatchController | null = null;
  #statusCode = 0;
  #headers: WholeAnswer['headers'] = {};
  #bytes = 0;

  constructor(limits: AnswerLimits, resolve: (answer: WholeAnswer) => void, reject: (error: unknown) => void) {
    this.#limits = limits;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  giveUp(): void {
    const reason = new Error('given up');
    this.#reject(reason);
    this.#controller?.abort(reason);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#limits.signal.aborted) this.giveUp();
  }

  onResponseStart(
    _: Dispatcher.DispatchController,
    statusCode: number,
    headers: Dispatcher.ResponseData['headers'],
  ): void {
    this.#statusCode = statusCode;
    this.#headers = headers;
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes <= this.#limits.bytesMax(this.#statusCode)) return;
    this.#resolve({ statusCode: this.#statusCode, headers: this.#headers, body: null });
    controller.abort(new Error('the answer is too large'));
  }

  onResponseEnd(): void {
    const [first] = this.#chunks;
    const body = this.#chunks.length === 1 && first !== undefined ? first : Buffer.concat(this.#chunks);
    this.#resolve({ statusCode: this.#statusCode, headers: this.#headers, body });
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#reject(error);
  }
}
