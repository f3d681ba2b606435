import type { Result } from '@springtide/core/base';
import type { ClusterFailure } from '@springtide/ports/cluster';
import { said } from '@springtide/wire/messages';
import { readAnswer } from '../client/read-answer.ts';
import { type Fields, fieldsAt, itemsAt, textAt, textsAt } from '../fields.ts';
import { SCHEDULER_NAME, WEBHOOK } from '../install/names.ts';
import { type Client, type Finding, finding, someOf, unread } from './finding.ts';

/** Words in the names of webhooks that are known to set `schedulerName`, of all pods or of some. */
const KNOWN = ['hami', 'volcano', 'yunikorn', 'koord', 'runai', 'run.ai', 'kai-', 'tensor-fusion', 'gpushare'];

const ADMISSION = '/apis/admissionregistration.k8s.io/v1';
/** More configurations of webhooks than this no cluster has. */
const CONFIGURATIONS_MAX = '1000';

export interface WebhookOptions {
  /** Where pods are tried, without being made. */
  readonly namespace: string;
  /** Card resources of the cluster: one pod is tried with each, up to a few. */
  readonly resources: readonly string[];
}

/** Looks at what changes new pods, and tries what comes back of a pod that names Springtide. */
export async function checkWebhooks(client: Client, options: WebhookOptions): Promise<Finding[]> {
  const hooks = await namesOf(client, 'mutatingwebhookconfigurations');
  // Not served by older versions, which have none.
  const policies = await namesOf(client, 'mutatingadmissionpolicies');
  const names = [...(hooks.ok ? hooks.value : []), ...(policies.ok ? policies.value : [])];
  const listed = hooks.ok ? webhookFinding(names) : unread('webhooks', 'mutatingwebhookconfigurations', hooks.error);
  return [listed, await tryPods(client, options, names)];
}

function namesOf(client: Client, plural: string): Promise<Result<string[], ClusterFailure>> {
  const query = { limit: CONFIGURATIONS_MAX };
  return readAnswer(client, { method: 'GET', path: `${ADMISSION}/${plural}`, query }, (list) =>
    itemsAt(list, 'items')
      .filter(seesPods)
      .map((item) => textAt(fieldsAt(item, 'metadata'), 'name'))
      // Our own is looked at by itself.
      .filter((name) => name !== WEBHOOK),
  );
}

/** Whether a configuration of webhooks, or an admission policy, is asked when a pod is made. */
export function seesPods(configuration: Fields): boolean {
  const constraints = fieldsAt(fieldsAt(configuration, 'spec'), 'matchConstraints');
  const rules = itemsAt(configuration, 'webhooks').flatMap((webhook) => itemsAt(webhook, 'rules'));
  return [...rules, ...itemsAt(constraints, 'resourceRules')].some((rule) => {
    const matches = (key: string, wanted: string): boolean => {
      const values = textsAt(rule, key);
      return values.includes(wanted) || values.some((value) => value === '*' || value === '*/*');
    };
    return matches('apiGroups', '') && matches('resources', 'pods') && matches('operations', 'CREATE');
  });
}

export function webhookFinding(names: readonly string[]): Finding {
  const known = names.filter((name) => KNOWN.some((word) => name.toLowerCase().includes(word)));
  if (known.length > 0) {
    const found = said('doctor.webhooks.known', { names: someOf(known) });
    return finding('webhooks', 'warning', found, said('doctor.webhooks.knownTodo'));
  }
  if (names.length === 0) return finding('webhooks', 'ok', said('doctor.webhooks.none'));
  return finding('webhooks', 'ok', said('doctor.webhooks.others', { names: someOf(names) }));
}

const RESOURCES_TRIED_MAX = 4;

async function tryPods(client: Client, options: WebhookOptions, names: readonly string[]): Promise<Finding> {
  for (const resource of ['', ...options.resources.slice(0, RESOURCES_TRIED_MAX)]) {
    const answer = await tryPod(client, options.namespace, resource);
    if (!answer.ok) return untried(answer.error, options.namespace);
    const name = answer.value;
    if (name === SCHEDULER_NAME) continue;
    const pod =
      resource === ''
        ? said('doctor.webhooks.rewritten', { name })
        : said('doctor.webhooks.rewrittenCards', { name, resource });
    const todo = said('doctor.webhooks.rewrittenTodo', { names: names.length === 0 ? '?' : someOf(names) });
    return finding('webhooks', 'problem', pod, todo);
  }
  return finding('webhooks', 'ok', said('doctor.webhooks.kept', { name: SCHEDULER_NAME }));
}

/** The `schedulerName` that a pod would have; nothing is made. */
function tryPod(client: Client, namespace: string, resource: string): Promise<Result<string, ClusterFailure>> {
  const path = `/api/v1/namespaces/${namespace}/pods`;
  return readAnswer(client, { method: 'POST', path, query: { dryRun: 'All' }, body: triedPod(resource) }, (pod) =>
    textAt(fieldsAt(pod, 'spec'), 'schedulerName'),
  );
}

/** Such that no pod security standard objects to it. */
function triedPod(resource: string): object {
  const securityContext = { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } };
  const resources = { limits: { cpu: '100m', memory: '64Mi', ...(resource === '' ? {} : { [resource]: '1' }) } };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { generateName: 'springtide-doctor-' },
    spec: {
      schedulerName: SCHEDULER_NAME,
      securityContext: { runAsNonRoot: true, runAsUser: 65_532, seccompProfile: { type: 'RuntimeDefault' } },
      containers: [{ name: 'none', image: 'registry.k8s.io/pause:3.10', resources, securityContext }],
    },
  };
}

function untried({ message: why }: ClusterFailure, namespace: string): Finding {
  const found = said('doctor.webhooks.untried', { namespace, why });
  return finding('webhooks', 'warning', found, said('doctor.webhooks.untriedTodo'));
}
