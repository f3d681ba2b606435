import { upgrade, whereInstalled } from '@springtide/adapters/kubernetes/install';
import { type Language, message } from '@springtide/wire/messages';
import type { Command } from 'commander';
import { addLiveOptions, type Live, type LiveOptions, withLive } from '../../cluster/index.ts';
import { answer, EXIT, type ExitCode, languageOf } from '../../terminal/index.ts';
import { installAsked } from '../install/asked.ts';
import { tellDone } from '../install/index.ts';
import { installedIn, isLeftToHelm, tell, tellFailure, toolsFor } from '../install/telling.ts';

interface UpgradeOptions extends LiveOptions {
  readonly image: string;
  readonly lang?: string;
}

export function define(command: Command): void {
  addLiveOptions(command)
    .requiredOption('--image <image>', 'image of the scheduler, with a tag or a digest')
    .option('--lang <language>', 'en or zh (default: from the locale)')
    .action((options: UpgradeOptions) =>
      answer(() => {
        const language = languageOf(options.lang);
        return withLive(options, language, (live) => upgradeOn(live, options.image, language));
      }),
    );
}

/** The answer is no when nothing is installed, or the API server refuses an object. */
async function upgradeOn(live: Live, image: string, language: Language): Promise<ExitCode> {
  const { client, config } = live;
  if (await isLeftToHelm(live, language)) return EXIT.no;
  const before = await installedIn(client, config.server, language);
  const there = whereInstalled(before);
  if (there === null) {
    tell(message(language, 'install.absent'));
    return EXIT.no;
  }
  const asked = installAsked({ ...there, image }, language);
  const done = await upgrade(toolsFor(client, language), asked, before);
  return done.ok ? tellDone(asked, language) : tellFailure(done.error, language);
}
