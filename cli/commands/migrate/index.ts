import { inputErrorText } from '@springtide/adapters/kubernetes';
import { yamlOf } from '@springtide/adapters/kubernetes/install';
import { type Loss, type Migration, readKueue, readLiveKueue } from '@springtide/adapters/kubernetes/kueue';
import { type Language, message } from '@springtide/wire/messages';
import type { Command } from 'commander';
import { addLiveOptions, type LiveOptions, withLive } from '../../cluster/index.ts';
import { answer, BadInput, EXIT, type ExitCode, languageOf } from '../../terminal/index.ts';

interface MigrateOptions extends LiveOptions {
  readonly lang?: string;
}

const FILE = 'kubectl get ... -o yaml of Kueue’s objects: a file, or - (default: a live cluster)';

export function define(command: Command): void {
  addLiveOptions(
    command
      .command('kueue')
      .description('write ours for Kueue’s queues, cohorts, flavors and priority classes')
      .argument('[file]', FILE),
  )
    .option('--lang <language>', 'en or zh (default: from the locale)')
    .action((file: string | undefined, options: MigrateOptions) => answer(() => run(file, options)));
}

/** The objects go to the standard output; the answer is no where something of Kueue's is not in them as it was. */
async function run(file: string | undefined, options: MigrateOptions): Promise<ExitCode> {
  const language = languageOf(options.lang);
  const migration = file === undefined ? await ofLive(options, language) : await ofFile(file, options, language);
  if (migration === null)
    throw new BadInput(message(language, 'migrate.none', { where: file ?? '/apis/kueue.x-k8s.io' }));
  process.stdout.write(yamlOf(migration.objects));
  for (const loss of migration.losses) process.stderr.write(`${lossText(loss, language)}\n`);
  const counts = { objects: migration.objects.length, losses: migration.losses.length };
  process.stderr.write(`${message(language, 'migrate.total', counts)}\n`);
  return migration.losses.length === 0 ? EXIT.done : EXIT.no;
}

async function ofFile(file: string, options: LiveOptions, language: Language): Promise<Migration | null> {
  if (options.kubeconfig !== undefined || options.context !== undefined) {
    throw new BadInput(message(language, 'cluster.bad.both'));
  }
  const read = await readKueue(file);
  if (read.ok) return read.value;
  throw new BadInput(inputErrorText(read.error));
}

function ofLive(options: LiveOptions, language: Language): Promise<Migration | null> {
  return withLive(options, language, async ({ client, config }) => {
    const read = await readLiveKueue(client);
    if (read.ok) return read.value;
    if (read.error.kind === 'input') throw new BadInput(inputErrorText(read.error.error));
    throw new BadInput(
      message(language, 'cluster.bad.live', { server: config.server, why: read.error.failure.message }),
    );
  });
}

/** `ClusterQueue research: spec.stopPolicy "HoldAndDrain": what runs goes on`. */
function lossText({ kind, name, path, found, why }: Loss, language: Language): string {
  const where = [path, found === '' ? '' : JSON.stringify(found)].filter((part) => part !== '').join(' ');
  const text = message(language, `migrate.lost.${why}`);
  return `${kind} ${name}: ${where === '' ? '' : `${where}: `}${text}`;
}
