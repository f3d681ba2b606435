import {
  DEFAULT_NAMESPACE,
  install,
  type InstallOptions,
  manifestsOf,
  SCHEDULER_NAME,
  whereInstalled,
  yamlOf,
} from '@springtide/adapters/kubernetes/install';
import { type Language, message } from '@springtide/wire/messages';
import type { Command } from 'commander';
import { addLiveOptions, type Live, type LiveOptions, withLive } from '../../cluster/index.ts';
import { answer, EXIT, type ExitCode, languageOf } from '../../terminal/index.ts';
import { certificatesOf } from '../webhook/certificates.ts';
import { installAsked } from './asked.ts';
import { installedIn, isLeftToHelm, tell, tellFailure, toolsFor } from './telling.ts';

interface InstallCommandOptions extends LiveOptions {
  readonly image: string;
  readonly namespace: string;
  readonly certificates: string;
  readonly print?: boolean;
  readonly lang?: string;
}

export function define(command: Command): void {
  addLiveOptions(command)
    .requiredOption('--image <image>', 'image of the scheduler, with a tag or a digest')
    .option('--namespace <namespace>', 'where the scheduler runs; made if it is not there', DEFAULT_NAMESPACE)
    .option('--certificates <whose>', 'of the webhook: own, or cert-manager where that is installed', 'own')
    .option('--print', 'print the manifests as YAML for kubectl apply -f - and ask no cluster')
    .option('--lang <language>', 'en or zh (default: from the locale)')
    .action((options: InstallCommandOptions) => answer(() => run(options)));
}

/** The answer is no when another release is there, or the API server refuses an object. */
async function run(options: InstallCommandOptions): Promise<ExitCode> {
  const language = languageOf(options.lang);
  const { namespace, image } = options;
  const certificates = certificatesOf(options.certificates);
  const asked = installAsked({ namespace, image, certificates }, language);
  if (options.print !== true) return withLive(options, language, (live) => installOn(live, asked, language));
  process.stdout.write(yamlOf(manifestsOf(asked)));
  return EXIT.done;
}

async function installOn(live: Live, asked: InstallOptions, language: Language): Promise<ExitCode> {
  const { client, config } = live;
  if (await isLeftToHelm(live, language)) return EXIT.no;
  const there = whereInstalled(await installedIn(client, config.server, language));
  if (there !== null && (there.namespace !== asked.namespace || there.version !== asked.version)) {
    const isMove = there.namespace !== asked.namespace;
    tell(message(language, 'install.other', { namespace: there.namespace, version: there.version }));
    tell(
      isMove
        ? message(language, 'install.otherNamespace')
        : message(language, 'install.otherVersion', { version: asked.version }),
    );
    return EXIT.no;
  }
  const done = await install(toolsFor(client, language), asked);
  if (!done.ok) return tellFailure(done.error, language);
  return tellDone(asked, language);
}

export function tellDone({ version, namespace }: InstallOptions, language: Language): ExitCode {
  tell(message(language, 'install.done', { version, namespace, scheduler: SCHEDULER_NAME }));
  tell(message(language, 'install.next'));
  return EXIT.done;
}
