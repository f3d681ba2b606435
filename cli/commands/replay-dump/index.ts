import type { Command } from 'commander';
import type { ReplayedStep } from '@springtide/services/scheduler';
import { answer, EXIT, type ExitCode, languageOf } from '../../terminal/index.ts';
import { dumpJson, stepJson } from './json.ts';
import { replay } from './outcome.ts';
import { readDump } from './read.ts';
import { headLine, outcomeLines, stepLines } from './text.ts';

interface ReplayDumpOptions {
  readonly json?: boolean;
  readonly lang?: string;
}

export function define(command: Command): void {
  command
    .argument('<dump>', 'what /debug/state of a scheduler gave, packed or not: a file, or -')
    .option('--json', 'a line of JSON for each step in which something was decided, and one for the outcome')
    .option('--lang <language>', 'en or zh (default: from the locale)')
    .action((dump: string, options: ReplayDumpOptions) => answer(() => run(dump, options)));
}

/** The answer is no when a step is decided otherwise than it was. */
async function run(path: string, options: ReplayDumpOptions): Promise<ExitCode> {
  const language = languageOf(options.lang);
  const dump = await readDump(path);
  const print = (text: string): void => void process.stdout.write(`${text}\n`);
  let sinceMs: number | null = null;
  if (options.json !== true) print(headLine(dump, language));
  const outcome = replay(dump, (step: ReplayedStep) => {
    sinceMs ??= step.nowMs;
    print(options.json === true ? stepJson(step) : stepLines(step, sinceMs, language).join('\n'));
  });
  print(options.json === true ? dumpJson(dump, outcome) : outcomeLines(outcome, language).join('\n'));
  return outcome.different === 0 ? EXIT.done : EXIT.no;
}
