import type { Command } from 'commander';
import {
  type ClusterAndTask,
  clusterAndTask,
  clusterAt,
  clusterOf,
  DUMP_ARGUMENT,
  policyAsked,
} from '../../cluster/index.ts';
import { answer, EXIT, languageOf, type ExitCode } from '../../terminal/index.ts';
import { addQueueOptions, jobTargetOf, type QueueOptions } from '../../queues/index.ts';
import { accountJson, accountLines, accountOf } from './account.ts';
import { explainJob } from './job.ts';
import { podAsked, targetOf } from './target.ts';

interface ExplainOptions extends QueueOptions {
  readonly policy?: string;
  readonly json?: boolean;
  readonly lang?: string;
}

export function define(command: Command): void {
  addQueueOptions(command)
    .usage('[options] [dump] <pod or job>')
    .argument('[dump]', DUMP_ARGUMENT)
    .argument(
      '[pod]',
      'pod/NAMESPACE/NAME or job/NAMESPACE/NAME; of a live cluster also pod/NAME, in the namespace of the context',
    )
    .option('--policy <name>', 'placement policy (default: tide)')
    .option('--json', 'one JSON object')
    .option('--lang <language>', 'en or zh (default: from the locale)')
    .action((...[first, second, options]: [string | undefined, string | undefined, ExplainOptions]) =>
      answer(() => run(clusterAndTask(first, second, 'pod'), options)),
    );
}

/** The answer is no when the pod waits and no machine would take it now. */
async function run({ path, task: target }: ClusterAndTask, options: ExplainOptions): Promise<ExitCode> {
  const language = languageOf(options.lang);
  if (jobTargetOf(target) !== null) return explainJob({ path, target, language, options });
  const policy = policyAsked(options.policy, language);
  targetOf(target, language);
  const { dump, namespace } = await clusterAt(path, options, language);
  const observed = podAsked(dump, target, language, namespace);
  const cluster = clusterOf(dump, policy);
  const account = accountOf(cluster, observed);
  const text =
    options.json === true
      ? JSON.stringify(accountJson(cluster, account), null, 1)
      : accountLines(cluster, account, language).join('\n');
  process.stdout.write(`${text}\n`);
  return observed.machine === null && account.explanation.machine === null ? EXIT.no : EXIT.done;
}
