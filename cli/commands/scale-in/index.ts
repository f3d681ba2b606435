import { systemClock } from '@springtide/adapters/clock';
import { DEFAULT_POLICY } from '@springtide/core/placement';
import { message, type Language } from '@springtide/wire/messages';
import type { Command } from 'commander';
import {
  addLiveOptions,
  type ClusterAndTask,
  clusterAndTask,
  clusterAt,
  clusterOf,
  DUMP_ARGUMENT,
  type LiveOptions,
} from '../../cluster/index.ts';
import { answer, BadInput, EXIT, languageOf, type ExitCode } from '../../terminal/index.ts';
import { planJson } from './json.ts';
import { planOf } from './plan.ts';
import { replicasAsked, targetOf } from './target.ts';
import { planText } from './text.ts';

interface ScaleInOptions extends LiveOptions {
  readonly dryRun?: boolean;
  readonly to?: string;
  readonly namespace?: string;
  readonly json?: boolean;
  readonly lang?: string;
}

export function define(command: Command): void {
  addLiveOptions(command)
    .usage('--dry-run [options] [dump] <workload>')
    .argument('[dump]', DUMP_ARGUMENT)
    .argument('[workload]', 'deploy/NAME, rs/NAME or sts/NAME, or with its namespace deploy/NAMESPACE/NAME')
    .option('--dry-run', 'show the choice; nothing is changed')
    .option('--to <count>', 'replicas that stay')
    .option('-n, --namespace <name>', 'namespace of the workload (default: that of the context)')
    .option('--json', 'one JSON object')
    .option('--lang <language>', 'en or zh (default: from the locale)')
    .action((...[first, second, options]: [string | undefined, string | undefined, ScaleInOptions]) =>
      answer(() => run(clusterAndTask(first, second, 'workload'), options)),
    );
}

/** More replicas than any workload has are taken for a mistake. */
const REPLICAS_MAX = 1_000_000;

/** The answer is no where nothing can be chosen. */
async function run({ path, task }: ClusterAndTask, options: ScaleInOptions): Promise<ExitCode> {
  const language = languageOf(options.lang);
  if (options.dryRun !== true) throw new BadInput(message(language, 'scaleIn.bad.dryRun'));
  const to = countAsked(options.to, language);
  targetOf(task, options.namespace ?? 'any', language);
  const { dump, namespace } = await clusterAt(path, options, language);
  const target = targetOf(task, options.namespace ?? namespace, language);
  const cluster = clusterOf(dump, DEFAULT_POLICY);
  const replicas = replicasAsked(cluster.dump, target, language);
  const asked = { target, replicas, to, nowMs: systemClock.wallMs() };
  const plan = planOf(cluster, asked);
  const text =
    options.json === true
      ? JSON.stringify(planJson(cluster, asked, plan), null, 1)
      : planText(cluster, asked, plan, language);
  process.stdout.write(`${text}\n`);
  return plan.kind === 'ordinal' || plan.kind === 'rollout' ? EXIT.no : EXIT.done;
}

function countAsked(text: string | undefined, language: Language): number {
  if (text === undefined) throw new BadInput(message(language, 'scaleIn.bad.noTo'));
  const count = /^\d{1,7}$/.test(text) ? Number(text) : Number.NaN;
  if (!(count <= REPLICAS_MAX)) throw new BadInput(message(language, 'scaleIn.bad.to', { text, max: REPLICAS_MAX }));
  return count;
}
