import { message, type Language } from '@springtide/wire/messages';
import type { Command } from 'commander';
import {
  addLiveOptions,
  clusterAt,
  clusterOf,
  DUMP_ARGUMENT,
  type LiveOptions,
  policyAsked,
} from '../../cluster/index.ts';
import { writeWholeFile } from '../../report/index.ts';
import { answer, BadInput, EXIT, languageOf, type ExitCode } from '../../terminal/index.ts';
import { inspect } from './inspection.ts';
import { inspectionJson } from './json.ts';
import { inspectionReport } from './report.ts';
import { inspectionText } from './text.ts';

interface InspectOptions extends LiveOptions {
  readonly policy?: string;
  readonly json?: boolean;
  readonly html?: string;
  readonly lang?: string;
  readonly rackLabel?: string;
}

export function define(command: Command): void {
  addLiveOptions(command)
    .argument('[dump]', DUMP_ARGUMENT)
    .option('--policy <name>', 'placement policy of the dry runs (default: tide)')
    .option('--rack-label <key>', 'node label that tells the rack')
    .option('--json', 'one JSON object')
    .option('--html <file>', 'write the report to this file')
    .option('--lang <language>', 'en or zh (default: from the locale)')
    .action((dump: string | undefined, options: InspectOptions) => answer(() => run(dump, options)));
}

async function run(path: string | undefined, options: InspectOptions): Promise<ExitCode> {
  const language = languageOf(options.lang);
  const policy = policyAsked(options.policy, language);
  const { dump } = await clusterAt(path, options, language);
  const cluster = clusterOf(dump, policy);
  const found = inspect(cluster);
  if (options.html !== undefined) writeReport(options.html, inspectionReport(found, language), language);
  process.stdout.write(
    options.json === true ? `${JSON.stringify(inspectionJson(found), null, 1)}\n` : inspectionText(found, language),
  );
  return EXIT.done;
}

/** Whole or not at all, before anything is printed. Where it went is no part of the answer, so it goes to stderr. */
function writeReport(file: string, text: string, language: Language): void {
  try {
    const path = writeWholeFile(file, text);
    process.stderr.write(`${message(language, 'inspect.report', { file: path })}\n`);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new BadInput(message(language, 'cluster.bad.write', { file, why }));
  }
}
