import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** Our end of the pipe to the guard, who kills what is left when this process is gone. */
export class Watch {
  readonly #guard: ChildProcess;

  constructor() {
    // A group of its own: what ends ours with a signal, such as Ctrl-C, must not end the guard.
    this.#guard = spawn(process.execPath, [join(import.meta.dirname, 'guard.ts')], {
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    // When the guard is gone there is nobody to tell.
    this.#guard.stdin?.on('error', () => {});
    this.#guard.unref();
    (this.#guard.stdin as unknown as { unref?: () => void } | null)?.unref?.();
  }

  add(pid: number): void {
    this.#order(`watch ${pid}`);
  }

  forget(pid: number): void {
    this.#order(`forget ${pid}`);
  }

  /** The folder is removed in the end. */
  remove(folder: string): void {
    this.#order(`remove ${folder}`);
  }

  keep(folder: string): void {
    this.#order(`keep ${folder}`);
  }

  /** Lets the guard do its work now, and waits for it. */
  async end(): Promise<void> {
    if (this.#guard.exitCode !== null || this.#guard.signalCode !== null) return;
    this.#guard.ref();
    this.#guard.stdin?.end();
    await once(this.#guard, 'exit');
  }

  #order(line: string): void {
    this.#guard.stdin?.write(`${line}\n`);
  }
}
