import { said } from '@springtide/wire/messages';
import { CLUSTER_PERMISSIONS } from '../client/permissions.ts';
import { readAnswer } from '../client/read-answer.ts';
import { textAt } from '../fields.ts';
import { type Client, type Finding, finding, someOf, unread } from './finding.ts';

/** Minor versions of Kubernetes 1: every API that is used is there from the oldest on; tests run on the tested one. */
const OLDEST_MINOR = 28;
const TESTED_MINOR = 37;

export async function checkServer(client: Client): Promise<Finding> {
  const read = await readAnswer(client, { method: 'GET', path: '/version' }, (answer) => textAt(answer, 'gitVersion'));
  return read.ok ? versionFinding(read.value) : unread('server', '/version', read.error);
}

/** `version` as the API server says it, such as `v1.33.1-eks-1`. */
export function versionFinding(version: string): Finding {
  const [, major, minor] = /^v?(\d+)\.(\d+)/.exec(version) ?? [];
  const [oldest, tested] = [`1.${OLDEST_MINOR}`, `1.${TESTED_MINOR}`];
  const at = Number(minor);
  if (major !== '1' || at < OLDEST_MINOR) {
    return finding(
      'server',
      'problem',
      said('doctor.server.old', { version, oldest }),
      said('doctor.server.oldTodo', { oldest }),
    );
  }
  if (at > TESTED_MINOR) return finding('server', 'warning', said('doctor.server.new', { version, tested }));
  return finding(
    'server',
    'ok',
    at === TESTED_MINOR ? said('doctor.server.tested', { version }) : said('doctor.server.known', { version, tested }),
  );
}

const REQUIRED = [
  'apps/v1',
  'batch/v1',
  'policy/v1',
  'storage.k8s.io/v1',
  'scheduling.k8s.io/v1',
  'events.k8s.io/v1',
  'coordination.k8s.io/v1',
  'rbac.authorization.k8s.io/v1',
  'apiextensions.k8s.io/v1',
];

/** `served`: such as `batch/v1`. */
export function checkApis(served: ReadonlySet<string>): Finding[] {
  const missing = REQUIRED.filter((each) => !served.has(each));
  const groups = new Set([...served].map((each) => each.split('/')[0]));
  const gangs = CLUSTER_PERMISSIONS.filter(({ apiGroup, isOptional }) => isOptional && groups.has(apiGroup));
  // The native group is there for PriorityClasses too; PodGroups came with further versions of it.
  const isThere = (group: string): boolean => group !== 'scheduling.k8s.io' || hasNativeGangs(served);
  const names = [...new Set(['batch', ...gangs.map(({ apiGroup }) => apiGroup).filter(isThere)])];
  const first =
    missing.length === 0
      ? finding('apis', 'ok', said('doctor.apis.all'))
      : finding('apis', 'problem', said('doctor.apis.missing', { apis: missing.join(', ') }), said('doctor.apis.todo'));
  return [first, finding('apis', 'ok', said('doctor.apis.gangs', { groups: someOf(names) }))];
}

function hasNativeGangs(served: ReadonlySet<string>): boolean {
  return ['v1beta1', 'v1alpha3', 'v1alpha2'].some((version) => served.has(`scheduling.k8s.io/${version}`));
}
