import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ControlPlane, usageOf } from '@springtide/testkit/controlplane';
import type { Running } from './contender.ts';

/** Starts a program whose log is with the control plane's. */
export async function startProgram(
  plane: ControlPlane,
  name: string,
  command: string,
  words: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<Running> {
  const logFile = join(plane.folder, `${name}.log`);
  const log = openSync(logFile, 'a');
  const child = spawn(command, [...words], { stdio: ['ignore', log, log], env: { ...process.env, ...env } });
  closeSync(log);
  const end = (): boolean => child.kill('SIGKILL');
  process.once('exit', end);
  await once(child, 'spawn');
  return {
    usage: () => {
      const usage = usageOf(child.pid ?? 0);
      if (usage === null || child.exitCode !== null)
        throw new Error(`${name} has ended: ${readFileSync(logFile, 'utf8').trim().slice(-2000)}`);
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
