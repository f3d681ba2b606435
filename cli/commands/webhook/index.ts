import { systemClock } from '@springtide/adapters/clock';
import { DEFAULT_NAMESPACE, SCHEDULER_NAME } from '@springtide/adapters/kubernetes/install';
import type { Command } from 'commander';
import { addLiveOptions, type LiveOptions, serviceConnection, untilStopped } from '../../service/index.ts';
import { answer, EXIT, type ExitCode } from '../../terminal/index.ts';
import { certificatesOf } from './certificates.ts';
import { startWebhook } from './webhook.ts';

interface WebhookOptions extends LiveOptions {
  readonly name: string;
  readonly namespace: string;
  readonly listen: string;
  readonly certificates: string;
}

export function define(command: Command): void {
  addLiveOptions(command)
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
  const { name, namespace, listen } = options;
  const certificates = certificatesOf(options.certificates);
  const config = serviceConnection(options);
  await untilStopped(async (stopped) => {
    const webhook = startWebhook({ config, schedulerName: name, namespace, listen, certificates });
    try {
      const listening = webhook.listening.then(() => true);
      const isListening = await Promise.race([listening, stopped.then(() => false)]);
      await stopped;
      if (isListening) await drained();
    } finally {
      await webhook.stop();
    }
  });
  return EXIT.done;
}
