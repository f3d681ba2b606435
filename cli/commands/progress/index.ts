import { readConnection } from '@springtide/adapters/kubernetes/client';
import type { Command } from 'commander';
import { answer, BadInput, EXIT, type ExitCode, languageOf } from '../../terminal/index.ts';
import { type TlsOptions, tlsPairOf } from '../scheduler/tls-pair.ts';
import { helperText } from './python-helper.ts';
import { newsText } from './news-text.ts';
import { startProgress } from './progress.ts';

interface ProgressOptions extends TlsOptions {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly listen: string;
  readonly lang?: string;
  readonly helper?: true;
}

export function define(command: Command): void {
  command
    .option('--helper', 'print the helper for jobs in Python, one file, and end')
    .option('--kubeconfig <file>', 'kubeconfig (default: KUBECONFIG, the one in the home folder, or the pod itself)')
    .option('--context <name>', 'context of the kubeconfig (default: the current one)')
    .option('--listen <host:port>', 'where jobs post to, and /healthz and /metrics are served', '127.0.0.1:10272')
    .option('--tls-cert <file>', 'certificate to serve them with, PEM (default: plain HTTP)')
    .option('--tls-key <file>', 'its key, PEM')
    .option('--lang <language>', 'en or zh (default: from the locale)')
    .action((options: ProgressOptions) => answer(() => run(options)));
}

/** Runs until it is told to stop. */
async function run(options: ProgressOptions): Promise<ExitCode> {
  const language = languageOf(options.lang);
  if (options.helper === true) {
    process.stdout.write(`${helperText()}\n`);
    return EXIT.done;
  }
  const { kubeconfig, context, listen } = options;
  const config = readConnection({
    ...(kubeconfig === undefined ? {} : { path: kubeconfig }),
    ...(context === undefined ? {} : { context }),
  });
  if (!config.ok) throw new BadInput(config.error.message);
  const tls = tlsPairOf(options);
  const progress = await startProgress({
    config: config.value,
    listen,
    tls,
    tell: (news) => void process.stdout.write(`${newsText(language, news)}\n`),
  });
  const stopped = Promise.withResolvers<void>();
  process.once('SIGINT', stopped.resolve);
  process.once('SIGTERM', stopped.resolve);
  // The clock's timers keep no process alive: this one does.
  const alive = setInterval(() => undefined, 60_000);
  await stopped.promise;
  clearInterval(alive);
  await progress.stop();
  return EXIT.done;
}
