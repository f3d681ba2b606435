import type { ClusterFailure } from '@springtide/ports/cluster';
import { systemClock } from '@springtide/adapters/clock';
import {
  type InstalledObject,
  installedObjects,
  type InstallTools,
  isOfHelm,
  PART_OF_SELECTOR,
  type Step,
  type StepFailure,
  textOfId,
  whereInstalled,
} from '@springtide/adapters/kubernetes/install';
import { type Language, message } from '@springtide/wire/messages';
import type { Live } from '../../cluster/index.ts';
import { BadInput, EXIT, type ExitCode } from '../../terminal/index.ts';

export function tell(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Tells each step as it is done. */
export function toolsFor(client: Live['client'], language: Language): InstallTools {
  return { client, clock: systemClock, onStep: (step) => tell(stepText(step, language)) };
}

function stepText({ id, outcome }: Step, language: Language): string {
  return message(language, `install.outcome.${outcome}`, { object: textOfId(id) });
}

/** The API server does not do what was asked: the answer is no. */
export function tellFailure({ id, failure }: StepFailure, language: Language): ExitCode {
  process.stderr.write(`${message(language, 'install.failed', { object: textOfId(id), why: failure.message })}\n`);
  return EXIT.no;
}

/** What is installed; BadInput where the cluster does not tell. */
export async function installedIn(
  client: Live['client'],
  server: string,
  language: Language,
): Promise<InstalledObject[]> {
  const installed = await installedObjects(client);
  if (!installed.ok) throw unreadable(installed.error, server, language);
  return installed.value;
}

/** Tells where Helm has installed it, which has to change and remove it too; false: it has not. */
export async function isLeftToHelm({ client, config }: Live, language: Language): Promise<boolean> {
  const found = await installedObjects(client, PART_OF_SELECTOR);
  if (!found.ok) throw unreadable(found.error, config.server, language);
  const there = whereInstalled(found.value.filter(isOfHelm));
  if (there !== null) tell(message(language, 'install.ofHelm', { namespace: there.namespace }));
  return there !== null;
}

export function unreadable(failure: ClusterFailure, server: string, language: Language): BadInput {
  return new BadInput(message(language, 'cluster.bad.live', { server, why: failure.message }));
}
