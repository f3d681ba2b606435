import { systemClock } from '@springtide/adapters/clock';
import { examine, type Finding } from '@springtide/adapters/kubernetes/doctor';
import { type Language, message } from '@springtide/wire/messages';
import type { Command } from 'commander';
import manifest from '../../package.json' with { type: 'json' };
import { addLiveOptions, type LiveOptions, withLive } from '../../cluster/index.ts';
import { answer, BadInput, EXIT, type ExitCode, languageOf } from '../../terminal/index.ts';
import { findingLines, findingsJson } from './findings.ts';

interface DoctorOptions extends LiveOptions {
  readonly json?: boolean;
  readonly lang?: string;
}

export function define(command: Command): void {
  addLiveOptions(command)
    .option('--json', 'one JSON object')
    .option('--lang <language>', 'en or zh (default: from the locale)')
    .action((options: DoctorOptions) => answer(() => run(options)));
}

/** The answer is no when there is a problem. */
async function run(options: DoctorOptions): Promise<ExitCode> {
  const language = languageOf(options.lang);
  const findings = await findingsOf(options, language);
  const text =
    options.json === true
      ? JSON.stringify(findingsJson(findings), null, 1)
      : findingLines(findings, language).join('\n');
  process.stdout.write(`${text}\n`);
  return findings.some(({ level }) => level === 'problem') ? EXIT.no : EXIT.done;
}

function findingsOf(options: LiveOptions, language: Language): Promise<Finding[]> {
  return withLive(options, language, async ({ client, config }) => {
    const { namespace, server } = config;
    const examined = await examine(client, { clock: systemClock, namespace, version: manifest.version });
    if (examined.ok) return examined.value;
    throw new BadInput(message(language, 'cluster.bad.live', { server, why: examined.error.message }));
  });
}
