import { ok, type Result } from '@springtide/core/base';
import type { ClusterFailure } from '@springtide/ports/cluster';
import type { ApiClient } from '../client/api-client.ts';
import { applyObject } from '../client/apply.ts';
import { readAnswer } from '../client/read-answer.ts';
import { fieldsAt, itemsAt, requiredTextAt, textAt } from '../fields.ts';

/** On a webhook configuration: until when the certificate is valid that its webhooks serve with. */
export const EXPIRY_ANNOTATION = 'springtide.io/certificate-expires';

const API = 'admissionregistration.k8s.io/v1';
/** There is one of each kind, of one name, or of one kind only. */
const KINDS = [
  { kind: 'MutatingWebhookConfiguration', path: `/apis/${API}/mutatingwebhookconfigurations` },
  { kind: 'ValidatingWebhookConfiguration', path: `/apis/${API}/validatingwebhookconfigurations` },
] as const;
const FIELD_MANAGER = 'springtide-webhook';

export interface Announced {
  readonly configuration: string;
  /** PEM, believed by the API server; null: somebody else writes that. */
  readonly authorities: string | null;
  readonly expiresAtMs: number;
}

/**
 * Tells the API server whom to believe, and people until when, where it is not told so already. A kind of which there
 * is none asks nothing of us; `not-found` where there is none of either.
 */
export async function announce(
  client: Pick<ApiClient, 'request'>,
  announced: Announced,
): Promise<Result<null, ClusterFailure>> {
  let isThere = false;
  let told: Result<null, ClusterFailure> = ok(null);
  for (const kind of KINDS) {
    told = await announceIn(client, kind, announced);
    if (!told.ok && told.error.code !== 'not-found') return told;
    isThere ||= told.ok;
  }
  return isThere ? ok(null) : told;
}

async function announceIn(
  client: Pick<ApiClient, 'request'>,
  { kind, path }: (typeof KINDS)[number],
  { configuration, authorities, expiresAtMs }: Announced,
): Promise<Result<null, ClusterFailure>> {
  const expires = new Date(expiresAtMs).toISOString();
  const caBundle = authorities === null ? null : Buffer.from(authorities).toString('base64');
  const read = await readAnswer(client, { method: 'GET', path: `${path}/${configuration}` }, (object) => ({
    expires: textAt(fieldsAt(fieldsAt(object, 'metadata'), 'annotations'), EXPIRY_ANNOTATION),
    webhooks: itemsAt(object, 'webhooks').map((webhook) => ({
      name: requiredTextAt(webhook, 'name'),
      caBundle: textAt(fieldsAt(webhook, 'clientConfig'), 'caBundle'),
    })),
  }));
  if (!read.ok) return read;
  const { webhooks } = read.value;
  const isBelieved = caBundle === null || webhooks.every((webhook) => webhook.caBundle === caBundle);
  if (read.value.expires === expires && isBelieved) return ok(null);
  const object = {
    apiVersion: API,
    kind,
    metadata: { name: configuration, annotations: { [EXPIRY_ANNOTATION]: expires } },
    ...(caBundle === null ? {} : { webhooks: webhooks.map(({ name }) => ({ name, clientConfig: { caBundle } })) }),
  };
  const applied = await applyObject(client, object, { path, fieldManager: FIELD_MANAGER, force: true });
  return applied.ok ? ok(null) : applied;
}
