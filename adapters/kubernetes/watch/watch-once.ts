import type { Cancel, Clock } from '@springtide/ports/clock';
import { type ClusterFailure, clusterFailure } from '@springtide/ports/cluster';
import type { ApiStream } from '../client/api-client.ts';
import { LineSplitter } from './line-splitter.ts';
import { DONE, type Ending, failed, type ReflectorTimes } from './reflected.ts';
import { type WatchLine, watchLineOf } from './watch-line.ts';

export type SoundLine = Exclude<WatchLine, { type: 'failed' }>;

export interface WatchHandlers {
  readonly take: (line: SoundLine) => void;
  readonly heard: () => void;
  readonly room: () => Promise<void> | null;
}

/** Reads one watch to its end. */
export class Watch {
  readonly #stream: ApiStream;
  readonly #clock: Clock;
  readonly #times: ReflectorTimes;
  readonly #handlers: WatchHandlers;
  #heardAtMs: number;
  #isPaused = false;
  #isStopped = false;

  constructor(stream: ApiStream, clock: Clock, times: ReflectorTimes, handlers: WatchHandlers) {
    this.#stream = stream;
    this.#clock = clock;
    this.#times = times;
    this.#handlers = handlers;
    this.#heardAtMs = clock.nowMs();
  }

  stop(): void {
    this.#isStopped = true;
    this.#stream.close();
  }

  async run(): Promise<Ending> {
    const startedAtMs = this.#clock.nowMs();
    const cancelIdle = this.#closeWhenIdle();
    const ending = await this.#read();
    cancelIdle();
    this.#stream.close();
    if (this.#isStopped) return DONE;
    // A server that ends every watch at once must not be asked in a tight loop.
    const isShort = this.#clock.nowMs() - startedAtMs < this.#times.shortWatchMs;
    return ending.kind === 'done' && isShort
      ? failed(clusterFailure('interrupted', 'the watch ended at once'))
      : ending;
  }

  async #read(): Promise<Ending> {
    const splitter = new LineSplitter(this.#times.lineBytesMax);
    try {
      for await (const chunk of this.#stream.chunks) {
        this.#hear();
        const ending = await this.#takeAll(splitter.push(chunk));
        if (ending !== null) return ending;
        if (splitter.overflowed) return failed(clusterFailure('too-large', 'a line of the watch is too long'));
      }
      return DONE;
    } catch (error) {
      return failed(clusterFailure('interrupted', error instanceof Error ? error.message : 'the watch broke'));
    }
  }

  /** How the watch ended, if one of these lines ended it. */
  async #takeAll(lines: readonly Buffer[]): Promise<Ending | null> {
    for (const bytes of lines) {
      const failure = await this.#take(bytes);
      if (failure !== null) return failed(failure);
      if (this.#isStopped) return DONE;
    }
    return null;
  }

  async #take(bytes: Buffer): Promise<ClusterFailure | null> {
    const line = watchLineOf(bytes);
    if (line.type === 'failed') return line.failure;
    const room = this.#handlers.room();
    if (room !== null) await this.#pause(room);
    this.#handlers.take(line);
    return null;
  }

  /** Nothing is read while there is no room, and so nothing is heard: that is not the server's silence. */
  async #pause(room: Promise<void>): Promise<void> {
    this.#isPaused = true;
    await room;
    this.#isPaused = false;
    this.#hear();
  }

  #hear(): void {
    this.#heardAtMs = this.#clock.nowMs();
    this.#handlers.heard();
  }

  /** Bookmarks come every minute: a watch that is silent for longer has lost its server without a word. */
  #closeWhenIdle(): Cancel {
    const { idleMs } = this.#times;
    let cancel: Cancel = () => {};
    const arm = (ms: number): void => {
      cancel = this.#clock.after(ms, () => {
        const leftMs = this.#heardAtMs + idleMs - this.#clock.nowMs();
        if (leftMs <= 0 && !this.#isPaused) this.#stream.close();
        else arm(Math.max(leftMs, idleMs / 4));
      });
    };
    arm(idleMs);
    return () => cancel();
  }
}
