import type { Command } from 'commander';
import { message, type Language } from '@springtide/wire/messages';
import {
  addLiveOptions,
  type ClusterAndTask,
  clusterAndTask,
  clusterAt,
  clusterOf,
  DUMP_ARGUMENT,
  type LiveOptions,
  policyAsked,
  requestsAt,
} from '../../cluster/index.ts';
import { answer, BadInput, EXIT, languageOf, type ExitCode } from '../../terminal/index.ts';
import { answerJson } from './json.ts';
import { placeAll } from './placing.ts';
import { answerLines } from './text.ts';

interface PlaceOptions extends LiveOptions {
  readonly policy?: string;
  readonly json?: boolean;
  readonly lang?: string;
  readonly rackLabel?: string;
}

export function define(command: Command): void {
  addLiveOptions(command)
    .usage('[options] [dump] <request>')
    .argument('[dump]', DUMP_ARGUMENT)
    .argument('[request]', 'what to place: a Pod, Deployment, Job, JobSet, ... in YAML or JSON, or -')
    .option('--policy <name>', 'placement policy (default: tide)')
    .option('--rack-label <key>', 'node label that tells the rack')
    .option('--json', 'one JSON object')
    .option('--lang <language>', 'en or zh (default: from the locale)')
    .action((...[first, second, options]: [string | undefined, string | undefined, PlaceOptions]) =>
      answer(() => run(clusterAndTask(first, second, 'request'), options)),
    );
}

/** The answer is no when any of the workloads finds no place. */
async function run({ path: dumpPath, task: requestPath }: ClusterAndTask, options: PlaceOptions): Promise<ExitCode> {
  const language = languageOf(options.lang);
  const policy = policyAsked(options.policy, language);
  refuseTwoStdins(dumpPath, requestPath, language);
  const { rackLabel } = options;
  const workloads = await requestsAt(requestPath, { rackLabel });
  const podSets = workloads.flatMap((workload) => workload.podSets);
  const hasFractions = podSets.some(({ isFraction }) => isFraction);
  const isolates = podSets.some(({ pod }) => pod.request.isolation !== 'none');
  const { dump } = await clusterAt(dumpPath, { ...options, hasFractions }, language);
  const cluster = clusterOf(dump, policy, isolates);
  const answers = placeAll(cluster, workloads);
  const text =
    options.json === true
      ? JSON.stringify(answerJson(cluster, answers), null, 1)
      : answerLines(cluster, answers, language).join('\n');
  process.stdout.write(`${text}\n`);
  return answers.every(({ fits }) => fits) ? EXIT.done : EXIT.no;
}

function refuseTwoStdins(dump: string | undefined, request: string, language: Language): void {
  if (dump === '-' && request === '-') throw new BadInput(message(language, 'cluster.bad.bothStdin'));
}
