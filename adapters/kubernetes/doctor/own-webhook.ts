import { TEMPLATE_LABEL } from '@springtide/ports/admission';
import type { Clock } from '@springtide/ports/clock';
import { said } from '@springtide/wire/messages';
import { EXPIRY_ANNOTATION } from '../certificates/configuration.ts';
import { type Fields, fieldsAt, itemsAt, textAt } from '../fields.ts';
import type { InstalledObject } from '../install/installed.ts';
import { WEBHOOK } from '../install/names.ts';
import { type Client, type Finding, finding } from './finding.ts';

export interface OwnWebhookOptions {
  readonly installed: readonly InstalledObject[];
  readonly clock: Clock;
  /** Where a pod is tried, without being made. */
  readonly namespace: string;
  /** Where it is installed. */
  readonly installedIn: string;
}

/** Whether the installed webhook is asked and answers, and how long its certificate is valid. */
export async function checkOwnWebhook(client: Client, options: OwnWebhookOptions): Promise<Finding[]> {
  const { installed, clock } = options;
  const configuration = installed.find(({ id }) => id.kind.kind === 'MutatingWebhookConfiguration');
  // That it is gone is told with the other objects that are.
  if (configuration === undefined) return [];
  const annotations = fieldsAt(fieldsAt(configuration.fields, 'metadata'), 'annotations');
  const expires = textAt(annotations, EXPIRY_ANNOTATION);
  const certificate = certificateFinding(expires, clock.wallMs(), options.installedIn);
  const isAskedOfTemplates = itemsAt(configuration.fields, 'webhooks').some(isOfTemplates);
  return isAskedOfTemplates ? [await tryTemplate(client, options), certificate] : [certificate];
}

function isOfTemplates(webhook: Fields): boolean {
  return textAt(webhook, 'name').endsWith('.templates.springtide.io');
}

const DAY_MS = 86_400_000;
/** Renewed by itself when a month is left: what is closer to its end is not being renewed. */
const SOON_DAYS = 14;

/** `expires`: as the webhook last told it; empty: never. */
export function certificateFinding(expires: string, nowMs: number, namespace: string): Finding {
  const todo = said('doctor.webhook.certificateTodo', { namespace });
  const untilMs = Date.parse(expires);
  if (Number.isNaN(untilMs)) return finding('webhook', 'problem', said('doctor.webhook.noCertificate'), todo);
  const days = Math.floor((untilMs - nowMs) / DAY_MS);
  if (untilMs <= nowMs) return finding('webhook', 'problem', said('doctor.webhook.expired', { expires }), todo);
  const found = said('doctor.webhook.certificate', { days });
  return days < SOON_DAYS ? finding('webhook', 'warning', found, todo) : finding('webhook', 'ok', found);
}

/** A name that no template has. */
const NO_TEMPLATE = 'springtide-doctor-tries-a-template-that-there-is-not';

/** A pod that names a template which does not exist has to be refused, by our webhook and nobody else. */
async function tryTemplate(client: Client, { namespace, installedIn }: OwnWebhookOptions): Promise<Finding> {
  const body = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { generateName: 'springtide-doctor-', labels: { [TEMPLATE_LABEL]: NO_TEMPLATE } },
    spec: { containers: [{ name: 'none', image: 'registry.k8s.io/pause:3.10' }] },
  };
  const path = `/api/v1/namespaces/${namespace}/pods`;
  const answer = await client.request({ method: 'POST', path, query: { dryRun: 'All' }, body });
  const todo = said('doctor.webhook.downTodo', { namespace: installedIn, name: WEBHOOK });
  if (answer.ok) return finding('webhook', 'problem', said('doctor.webhook.unasked'), todo);
  const { message: why } = answer.error;
  if (!why.includes('.templates.springtide.io"')) {
    return finding('webhook', 'warning', said('doctor.webhook.untried', { namespace, why }));
  }
  if (why.includes('denied the request')) return finding('webhook', 'ok', said('doctor.webhook.answers'));
  return finding('webhook', 'problem', said('doctor.webhook.down', { why }), todo);
}
