import { ok, type Result } from '@springtide/core/base';
import type { Clock } from '@springtide/ports/clock';
import type { ClusterFailure } from '@springtide/ports/cluster';
import { Discovery } from '../client/discovery.ts';
import { checkCards } from './cards.ts';
import { clockFinding, lookAtSelf } from './clock.ts';
import { SCHEDULER } from '../install/names.ts';
import { type Client, type Finding, unread } from './finding.ts';
import { checkInstallation, checkLeader } from './installation.ts';
import { checkOwnWebhook } from './own-webhook.ts';
import { checkPermissions } from './permissions.ts';
import { checkQueues } from './queues.ts';
import { checkSchedulers } from './schedulers.ts';
import { checkApis, checkServer } from './server.ts';
import { checkWebhooks } from './webhooks.ts';

export type { Check, Finding, Level } from './finding.ts';

export interface ExamineOptions {
  readonly clock: Clock;
  /** Where pods are tried, without being made. */
  readonly namespace: string;
  /** Of this program. */
  readonly version: string;
}

/**
 * Looks at a cluster, and whether Springtide can work in it. Nothing is changed: pods are tried by dry run. A failure
 * where the API server does not answer at all; what it does not show is a finding.
 */
export async function examine(client: Client, options: ExamineOptions): Promise<Result<Finding[], ClusterFailure>> {
  const { clock, namespace, version } = options;
  const served = await new Discovery(client, clock).served();
  if (!served.ok) return served;
  const self = await lookAtSelf(client, clock);
  const { findings: cards, resources } = await checkCards(client);
  const installation = await checkInstallation(client, version);
  const { installed, namespace: installedIn } = installation;
  const hasScheduler = installed.some(({ id }) => id.kind.kind === 'Deployment' && id.name === SCHEDULER);
  const aheadMs = self.ok ? self.value.aheadMs : 0;
  const leader = { clock, aheadMs, namespace: hasScheduler ? installedIn : '' };
  return ok([
    await checkServer(client),
    ...checkApis(served.value),
    self.ok ? clockFinding(self.value) : unread('clock', 'selfsubjectreviews', self.error),
    ...cards,
    ...(await checkSchedulers(client)),
    ...(await checkQueues(client, served.value)),
    ...(await checkWebhooks(client, { namespace, resources })),
    await checkPermissions(client, self.ok ? self.value.user : ''),
    ...installation.findings,
    ...(await checkOwnWebhook(client, { installed, clock, namespace, installedIn })),
    await checkLeader(client, leader),
  ]);
}
