import type { Command } from 'commander';
import { message } from '@springtide/wire/messages';
import { clusterAndTask, type ClusterAndTask } from '../../cluster/index.ts';
import { addQueueOptions, QUEUES_ARGUMENT, type QueueOptions, queuesAt } from '../../queues/index.ts';
import { answer, BadInput, EXIT, type ExitCode, languageOf } from '../../terminal/index.ts';
import { isRefused, submissionsAt, trialJson, trialLines, trialsOf } from './trial.ts';

interface SubmitOptions extends QueueOptions {
  readonly dryRun?: boolean;
  readonly json?: boolean;
  readonly lang?: string;
}

export function define(command: Command): void {
  addQueueOptions(command)
    .usage('--dry-run [options] [dump] <file>')
    .argument('[dump]', `${QUEUES_ARGUMENT} (default: a live cluster)`)
    .argument('[file]', 'YAML or JSON of jobs that name a queue, or of Workloads')
    .option('--dry-run', 'tell when it would start and what it would cost; nothing is submitted')
    .option('--json', 'one JSON object')
    .option('--lang <language>', 'en or zh (default: from the locale)')
    .action((...[first, second, options]: [string | undefined, string | undefined, SubmitOptions]) =>
      answer(() => run(clusterAndTask(first, second, 'file'), options)),
    );
}

/** The answer is no where a job would be refused in every flavor. */
async function run({ path, task: file }: ClusterAndTask, options: SubmitOptions): Promise<ExitCode> {
  const language = languageOf(options.lang);
  if (options.dryRun !== true) throw new BadInput(message(language, 'queue.bad.dryRun'));
  const world = await queuesAt(path, options, language);
  const trials = trialsOf(world, await submissionsAt(file, world));
  const text =
    options.json === true
      ? JSON.stringify({ atMs: world.moment.nowMs, jobs: trials.map(trialJson), runsKnown: world.runs.runs }, null, 1)
      : trials.flatMap((trial) => trialLines(world, trial, language)).join('\n');
  process.stdout.write(`${text}\n`);
  return trials.some(isRefused) ? EXIT.no : EXIT.done;
}
