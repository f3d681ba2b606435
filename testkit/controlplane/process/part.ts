import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Watch } from './watch.ts';

export interface PartOptions {
  readonly name: string;
  readonly command: string;
  readonly flags: readonly string[];
  readonly logFile: string;
  readonly watch: Watch;
  /** How often it is started again when it ends unasked, as whatever runs it in production does; never, if not told. */
  readonly restartsMax?: number;
}

const pollMs = 25;
const restartAfterMs = 1_000;
/** Far more than it takes: the machine may be busy with a build on every core. */
const readyMsMax = 180_000;
const logLinesTold = 20;

/** One program of the control plane. It can be stopped and started again, with the same flags. */
export class Part {
  readonly name: string;
  readonly #options: PartOptions;
  #child: ChildProcess | null = null;
  #restartsLeft = 0;
  #restart: NodeJS.Timeout | null = null;

  constructor(options: PartOptions) {
    this.name = options.name;
    this.#options = options;
  }

  get pid(): number | null {
    return this.#child?.pid ?? null;
  }

  get isRunning(): boolean {
    return this.#child !== null && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  start(): void {
    this.#restartsLeft = this.#options.restartsMax ?? 0;
    this.#spawn();
  }

  #spawn(): void {
    this.#restart = null;
    const { command, flags, logFile, watch } = this.#options;
    const log = openSync(logFile, 'a', 0o600);
    // A group of its own, so that Ctrl-C does not end etcd before the API server.
    const child = spawn(command, flags, { detached: true, stdio: ['ignore', log, log] });
    closeSync(log);
    child.once('error', () => {});
    child.unref();
    const { pid } = child;
    if (pid !== undefined) {
      watch.add(pid);
      child.once('exit', () => {
        watch.forget(pid);
        this.#startAgain();
      });
    }
    this.#child = child;
  }

  #startAgain(): void {
    if (this.#restartsLeft === 0) return;
    this.#restartsLeft -= 1;
    this.#restart = setTimeout(() => this.#spawn(), restartAfterMs);
    this.#restart.unref();
  }

  /** Waits until `isReady`, and says what the log ends with if that does not come. */
  async untilReady(isReady: () => Promise<boolean>, timeoutMs = readyMsMax): Promise<void> {
    const endMs = Date.now() + timeoutMs;
    while (!(await isReady())) {
      if (!this.isRunning && this.#restart === null) throw new Error(`${this.name} has ended:\n${this.#logEnd()}`);
      if (Date.now() > endMs) throw new Error(`${this.name} is not ready after ${timeoutMs} ms:\n${this.#logEnd()}`);
      await sleep(pollMs);
    }
  }

  /** Asks it to end, and kills it when it has not after a while. */
  async stop(signal: NodeJS.Signals = 'SIGTERM', patienceMs = 10_000): Promise<void> {
    this.#restartsLeft = 0;
    if (this.#restart !== null) clearTimeout(this.#restart);
    this.#restart = null;
    const child = this.#child;
    if (child === null || !this.isRunning) return;
    // An unreferenced child would not keep this process waiting for it.
    child.ref();
    const exit = once(child, 'exit');
    child.kill(signal);
    const impatience = setTimeout(() => child.kill('SIGKILL'), patienceMs);
    await exit;
    clearTimeout(impatience);
  }

  #logEnd(): string {
    return readFileSync(this.#options.logFile, 'utf8').trimEnd().split('\n').slice(-logLinesTold).join('\n');
  }
}
