import { Worker } from 'node:worker_threads';
import type { AdmissionOptions } from '@springtide/core/admission';
import type { AdmissionNews, QueueForecast } from '@springtide/core/estimate';
import type { StartForecast } from '@springtide/ports/queueing';

/** A forecast is made so often at most, and rests so many times as long as it took: a fifth of a core is enough. */
const EVERY_MS = 10_000;
const RESTS = 4;

/** From the thread. */
export interface PlannerAnswer {
  readonly forecast: QueueForecast;
  readonly tookMs: number;
}

/** To the thread. */
export type PlannerMessage =
  | { readonly kind: 'news'; readonly news: AdmissionNews }
  | { readonly kind: 'forecast'; readonly nowMs: number };

/**
 * Foretells the starts of jobs on a thread of its own: what the loop hears and decides is sent on as it comes, and the
 * newest forecast is looked up. Nobody waits for it; one is asked for at a time. Should the thread die, nothing is
 * foretold any more, and everything else goes on.
 */
export class Planner {
  readonly #worker: Worker;
  #isBusy = false;
  #isDead = false;
  #againAtMs = -Infinity;
  #forecast: QueueForecast | null = null;

  constructor(options: AdmissionOptions) {
    this.#worker = new Worker(new URL('./planner-thread.ts', import.meta.url), { workerData: options });
    this.#worker.unref();
    this.#worker.on('message', ({ forecast, tookMs }: PlannerAnswer) => {
      this.#isBusy = false;
      this.#againAtMs = forecast.madeAtMs + Math.max(EVERY_MS, (1 + RESTS) * tookMs);
      if (!this.#isDead) this.#forecast = forecast;
    });
    this.#worker.on('error', () => this.#die());
    this.#worker.on('exit', () => this.#die());
  }

  /** What a step of the admission has heard and decided. O(news). */
  tell(news: AdmissionNews): void {
    if (this.#isDead || (news.events.length === 0 && news.commands.length === 0)) return;
    this.#send({ kind: 'news', news });
  }

  /** Asks for a newer forecast; false: one is under way, or new enough. */
  ask(nowMs: number): boolean {
    if (this.#isDead || this.#isBusy || nowMs < this.#againAtMs) return false;
    this.#isBusy = true;
    this.#send({ kind: 'forecast', nowMs });
    return true;
  }

  /** Null: nothing is foretold of it yet. O(1). */
  of(job: string): StartForecast | null {
    const wait = this.#forecast?.waits.get(job);
    if (this.#forecast === null || wait === undefined) return null;
    const { madeAtMs } = this.#forecast;
    const atMs = (waitMs: number): number | null => (waitMs === Infinity ? null : madeAtMs + Math.round(waitMs));
    return { madeAtMs, p50AtMs: atMs(wait.p50Ms), p90AtMs: atMs(wait.p90Ms) };
  }

  /** When the newest forecast was made; null: there is none. */
  get madeAtMs(): number | null {
    return this.#forecast?.madeAtMs ?? null;
  }

  async stop(): Promise<void> {
    this.#die();
    await this.#worker.terminate();
  }

  #die(): void {
    this.#isDead = true;
    this.#forecast = null;
  }

  #send(sent: PlannerMessage): void {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin, only windows have
    this.#worker.postMessage(sent);
  }
}
