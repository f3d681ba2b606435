import { checkInstallOptions, type InstallOptions } from '@springtide/adapters/kubernetes/install';
import { type Language, message } from '@springtide/wire/messages';
import manifest from '../../package.json' with { type: 'json' };
import { BadInput } from '../../terminal/index.ts';

/** What of this program is to be installed, and where; BadInput for what no cluster would take. */
export function installAsked(
  asked: Pick<InstallOptions, 'namespace' | 'image' | 'certificates'>,
  language: Language,
): InstallOptions {
  const { namespace, image, certificates = 'own' } = asked;
  const checked = checkInstallOptions({ namespace, image, certificates, version: manifest.version });
  if (checked.ok) return checked.value;
  const { option, value } = checked.error;
  throw new BadInput(message(language, `install.bad.${option}`, { value }));
}
