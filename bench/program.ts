import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { type Usage, usageOf } from '@springtide/testkit/controlplane';

/** A program that is measured, as a process of its own. */
export interface Running {
  /** What it has used so far; rejects when it has ended. */
  readonly usage: () => Promise<Usage>;
  readonly stop: () => Promise<void>;
}

export interface ProgramOptions {
  /** As it is called where it has ended before it should. */
  readonly name: string;
  readonly command: string;
  readonly words: readonly string[];
  /** Takes what it prints; is added to. */
  readonly logFile: string;
}

/** What is told of a log: its end. */
const TOLD_CHARS = 2000;

/** Starts a program that ends with this process at the latest. */
export function startProgram({ name, command, words, logFile }: ProgramOptions): Running {
  const log = openSync(logFile, 'a');
  const child = spawn(command, [...words], { stdio: ['ignore', log, log] });
  closeSync(log);
  const end = (): boolean => child.kill('SIGKILL');
  process.once('exit', end);
  return {
    usage: async () => {
      const usage = usageOf(child.pid ?? 0);
      // Nobody has to wait for what it will never do.
      if (usage === null || child.exitCode !== null)
        throw new Error(`${name} has ended: ${readFileSync(logFile, 'utf8').trim().slice(-TOLD_CHARS)}`);
      return usage;
    },
    stop: async () => {
      process.off('exit', end);
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exit = once(child, 'exit');
      child.kill();
      await exit;
    },
  };
}
