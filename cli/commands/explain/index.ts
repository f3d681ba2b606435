import type { Command } from 'commander';
import { clusterOf, dumpAt, policyAsked } from '../../cluster/index.ts';
import { answer, EXIT, languageOf, type ExitCode } from '../../terminal/index.ts';
import { accountJson, accountLines, accountOf } from './account.ts';
import { podAsked } from './target.ts';

interface ExplainOptions {
  readonly policy?: string;
  readonly json?: boolean;
  readonly lang?: string;
}

export function define(command: Command): void {
  command
    .argument('<dump>', 'kubectl get nodes,pods -A -o json: a file, a folder with nodes.json and pods.json, or -')
    .argument('<pod>', 'pod/NAMESPACE/NAME')
    .option('--policy <name>', 'placement policy (default: tide)')
    .option('--json', 'one JSON object')
    .option('--lang <language>', 'en or zh (default: from the locale)')
    .action((dump: string, pod: string, options: ExplainOptions) => answer(() => run(dump, pod, options)));
}

/** The answer is no when the pod waits and no machine would take it now. */
async function run(path: string, target: string, options: ExplainOptions): Promise<ExitCode> {
  const language = languageOf(options.lang);
  const policy = policyAsked(options.policy, language);
  const dump = await dumpAt(path);
  const observed = podAsked(dump, target, language);
  const cluster = clusterOf(dump, policy);
  const account = accountOf(cluster, observed);
  const text =
    options.json === true
      ? JSON.stringify(accountJson(cluster, account), null, 1)
      : accountLines(cluster, account, language).join('\n');
  process.stdout.write(`${text}\n`);
  return observed.machine === null && account.explanation.machine === null ? EXIT.no : EXIT.done;
}
