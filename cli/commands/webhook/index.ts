import { systemClock } from '@springtide/adapters/clock';
import { readConnection } from '@springtide/adapters/kubernetes/client';
import { DEFAULT_NAMESPACE, SCHEDULER_NAME } from '@springtide/adapters/kubernetes/install';
import type { Command } from 'commander';
import { answer, BadInput, EXIT, type ExitCode } from '../../terminal/index.ts';
import { certificatesOf } from './certificates.ts';
import { startWebhook } from './webhook.ts';

interface WebhookOptions {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly name: string;
  readonly namespace: string;
  readonly listen: string;
  readonly certificates: string;
}

export function define(command: Command): void {
  command
    .option('--kubeconfig <file>', 'kubeconfig (default: KUBECONFIG, the one in the home folder, or the pod itself)')
    .option('--context <name>', 'context of the kubeconfig (default: the current one)')
    .option('--name <name>', 'the scheduler that pods get', SCHEDULER_NAME)
    .option('--namespace <namespace>', 'where Springtide is installed', DEFAULT_NAMESPACE)
    .option('--listen <host:port>', 'where API servers reach it, and its health checks and metrics', '127.0.0.1:10271')
    .option('--certificates <whose>', 'own, or cert-manager where that fills the Secret', 'own')
    .action((options: WebhookOptions) => answer(() => run(options)));
}

/** API servers ask a replica until they have heard that it goes. */
const DRAIN_MS = 5000;

function drained(): Promise<void> {
  return new Promise((resolve) => void systemClock.after(DRAIN_MS, resolve));
}

/** Runs until it is told to stop. */
async function run(options: WebhookOptions): Promise<ExitCode> {
  const { kubeconfig, context, name, namespace, listen } = options;
  const certificates = certificatesOf(options.certificates);
  const config = readConnection({
    ...(kubeconfig === undefined ? {} : { path: kubeconfig }),
    ...(context === undefined ? {} : { context }),
  });
  if (!config.ok) throw new BadInput(config.error.message);
  const stopped = Promise.withResolvers<void>();
  process.once('SIGINT', stopped.resolve);
  process.once('SIGTERM', stopped.resolve);
  // The clock's timers keep no process alive: this one does.
  const alive = setInterval(() => undefined, 60_000);
  try {
    const webhook = startWebhook({ config: config.value, schedulerName: name, namespace, listen, certificates });
    try {
      const listening = webhook.listening.then(() => true);
      const isListening = await Promise.race([listening, stopped.promise.then(() => false)]);
      await stopped.promise;
      if (isListening) await drained();
    } finally {
      await webhook.stop();
    }
  } finally {
    clearInterval(alive);
  }
  return EXIT.done;
}
