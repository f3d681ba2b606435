import type { Command } from 'commander';
import { addQueueOptions, QUEUES_ARGUMENT, type QueueOptions, queuesAt } from '../../queues/index.ts';
import { answer, EXIT, type ExitCode, languageOf } from '../../terminal/index.ts';
import { reportJson } from './json.ts';
import { queueReportOf } from './queue-report.ts';
import { reportText } from './text.ts';

interface QueueCommandOptions extends QueueOptions {
  readonly dump?: string;
  readonly json?: boolean;
  readonly lang?: string;
}

export function define(command: Command): void {
  addQueueOptions(command)
    .argument('[name]', 'a queue (default: all)')
    .option('--dump <file>', `${QUEUES_ARGUMENT} (default: a live cluster)`)
    .option('--json', 'one JSON object')
    .option('--lang <language>', 'en or zh (default: from the locale)')
    .action((name: string | undefined, options: QueueCommandOptions) => answer(() => run(name, options)));
}

async function run(name: string | undefined, options: QueueCommandOptions): Promise<ExitCode> {
  const language = languageOf(options.lang);
  const world = await queuesAt(options.dump, options, language);
  const report = queueReportOf(world, name, language);
  const text =
    options.json === true
      ? JSON.stringify(reportJson(world, report), null, 1)
      : reportText(world, report, language).join('\n');
  process.stdout.write(`${text}\n`);
  return EXIT.done;
}
