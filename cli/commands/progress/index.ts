import type { Command } from 'commander';
import { addLiveOptions, type LiveOptions, serviceConnection, untilStopped } from '../../service/index.ts';
import { answer, EXIT, type ExitCode, languageOf } from '../../terminal/index.ts';
import { type TlsOptions, tlsPairOf } from '../scheduler/tls-pair.ts';
import { helperText } from './python-helper.ts';
import { newsText } from './news-text.ts';
import { startProgress } from './progress.ts';

interface ProgressOptions extends LiveOptions, TlsOptions {
  readonly listen: string;
  readonly lang?: string;
  readonly helper?: true;
}

export function define(command: Command): void {
  addLiveOptions(command.option('--helper', 'print the helper for jobs in Python, one file, and end'))
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
  const config = serviceConnection(options);
  const tls = tlsPairOf(options);
  const progress = await startProgress({
    config,
    listen: options.listen,
    tls,
    tell: (news) => void process.stdout.write(`${newsText(language, news)}\n`),
  });
  await untilStopped((stopped) => stopped);
  await progress.stop();
  return EXIT.done;
}
