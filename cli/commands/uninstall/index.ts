import {
  customObjects,
  type InstalledObject,
  leasesLeft,
  SCHEDULER_NAME,
  textOfId,
  uninstall,
} from '@springtide/adapters/kubernetes/install';
import { type Language, message } from '@springtide/wire/messages';
import type { Command } from 'commander';
import { addLiveOptions, type Live, type LiveOptions, withLive } from '../../cluster/index.ts';
import { answer, EXIT, type ExitCode, languageOf } from '../../terminal/index.ts';
import { installedIn, isLeftToHelm, tell, tellFailure, toolsFor, unreadable } from '../install/telling.ts';

interface UninstallOptions extends LiveOptions {
  readonly yes?: boolean;
  readonly lang?: string;
}

export function define(command: Command): void {
  addLiveOptions(command)
    .option('--yes', 'remove it; without it, what would be removed is told')
    .option('--lang <language>', 'en or zh (default: from the locale)')
    .action((options: UninstallOptions) =>
      answer(() => {
        const language = languageOf(options.lang);
        return withLive(options, language, (live) => uninstallOn(live, options.yes === true, language));
      }),
    );
}

/** The answer is no without `--yes`, and when something is not gone in the end. */
async function uninstallOn(live: Live, isSure: boolean, language: Language): Promise<ExitCode> {
  const { client, config } = live;
  if (await isLeftToHelm(live, language)) return EXIT.no;
  const installed = await installedIn(client, config.server, language);
  const leases = await leasesLeft(client);
  if (!leases.ok) throw unreadable(leases.error, config.server, language);
  if (installed.length === 0 && leases.value.length === 0) {
    tell(message(language, 'install.absent'));
    return EXIT.done;
  }
  if (!isSure) {
    await tellPlan(live, [...installed, ...leases.value], language);
    return EXIT.no;
  }
  const done = await uninstall(toolsFor(client, language), installed);
  if (!done.ok) return tellFailure(done.error, language);
  const { keptFor } = done.value;
  if (keptFor.length > 0) tell(message(language, 'install.keptFor', { objects: keptFor.join(', ') }));
  tell(message(language, 'install.gone'));
  return EXIT.done;
}

async function tellPlan(
  { client, config }: Live,
  there: readonly InstalledObject[],
  language: Language,
): Promise<void> {
  const custom = await customObjects(client, there);
  if (!custom.ok) throw unreadable(custom.error, config.server, language);
  for (const { id } of there) tell(message(language, 'install.wouldRemove', { object: textOfId(id) }));
  for (const [kind, count] of custom.value) {
    if (count > 0) tell(message(language, 'install.wouldRemoveCustom', { kind, count }));
  }
  tell(message(language, 'install.waiting', { scheduler: SCHEDULER_NAME }));
  tell(message(language, 'install.askYes'));
}
