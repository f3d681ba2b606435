import { type ConnectionConfig, readConnection } from '@springtide/adapters/kubernetes/client';
import type { Result } from '@springtide/core/base';
import type { ClusterFailure } from '@springtide/ports/cluster';
import type { Command } from 'commander';
import { BadInput } from '../terminal/index.ts';

/** Which cluster, as kubectl would choose it where nothing is said. */
export interface LiveOptions {
  readonly kubeconfig?: string;
  readonly context?: string;
}

export function addLiveOptions(command: Command): Command {
  return command
    .option('--kubeconfig <file>', 'kubeconfig (default: KUBECONFIG, the one in the home folder, or the pod itself)')
    .option('--context <name>', 'context of the kubeconfig (default: the current one)');
}

/** The connection that the options name, or why they name none. */
export function connectionAsked({ kubeconfig, context }: LiveOptions): Result<ConnectionConfig, ClusterFailure> {
  return readConnection({
    ...(kubeconfig === undefined ? {} : { path: kubeconfig }),
    ...(context === undefined ? {} : { context }),
  });
}

/** The connection of a service; BadInput where the options name none. */
export function serviceConnection(options: LiveOptions): ConnectionConfig {
  const config = connectionAsked(options);
  if (!config.ok) throw new BadInput(config.error.message);
  return config.value;
}

/** Keeps the process alive while something runs that is to end when `stopped` resolves, by SIGINT or SIGTERM. */
export async function untilStopped<T>(use: (stopped: Promise<void>) => Promise<T>): Promise<T> {
  const stopped = Promise.withResolvers<void>();
  process.once('SIGINT', stopped.resolve);
  process.once('SIGTERM', stopped.resolve);
  // The clock's timers keep no process alive: this one does.
  const alive = setInterval(() => undefined, 60_000);
  try {
    return await use(stopped.promise);
  } finally {
    clearInterval(alive);
  }
}
