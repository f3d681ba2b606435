import { isVendorResource } from '@springtide/core/vendors';
import { said } from '@springtide/wire/messages';
import { InputFault } from '../fault.ts';
import { type Fields, fieldsAt, itemsAt, textAt } from '../fields.ts';
import { SCHEDULER_NAME } from '../install/names.ts';
import { listAll } from '../list-all.ts';
import { isFinished } from '../observed-pod.ts';
import { type Client, type Finding, finding, someOf, unread } from './finding.ts';

/** Pods of one scheduler. */
export interface SchedulerCount {
  pods: number;
  withCards: number;
}

const DEFAULT_SCHEDULER = 'default-scheduler';

export async function checkSchedulers(client: Client): Promise<Finding[]> {
  const counts = new Map<string, SchedulerCount>();
  const listed = await listAll(client, '/api/v1/pods', (pod) => {
    countPod(pod, counts);
    return true;
  });
  const used = listed.ok ? schedulerFindings(counts) : [unread('schedulers', 'pods', listed.error)];
  return [...used, ...(await checkPresent(client))];
}

/** Deployments of schedulers and queues, whether or not any pod names them now. */
const KNOWN =
  /^(?:(?:.*-)?(?:volcano|hami|koord|yunikorn|runai|kube)-scheduler|kai-scheduler.*|kueue-controller-manager)$/;

async function checkPresent(client: Client): Promise<Finding[]> {
  const names: string[] = [];
  const listed = await listAll(client, '/apis/apps/v1/deployments', (deployment) => {
    const { namespace, name } = fieldsAt(deployment, 'metadata').values;
    if (typeof name === 'string' && KNOWN.test(name)) names.push(`${String(namespace)}/${name}`);
    return true;
  });
  if (!listed.ok) return [unread('schedulers', 'deployments', listed.error)];
  if (names.length === 0) return [];
  const todo = said('doctor.schedulers.presentTodo');
  return [finding('schedulers', 'ok', said('doctor.schedulers.present', { names: someOf(names) }), todo)];
}

/** A pod that cannot be read is of no scheduler. */
export function countPod(pod: Fields, counts: Map<string, SchedulerCount>): void {
  try {
    if (isFinished(pod)) return;
    const spec = fieldsAt(pod, 'spec');
    const name = textAt(spec, 'schedulerName', DEFAULT_SCHEDULER);
    const count = counts.get(name) ?? { pods: 0, withCards: 0 };
    count.pods += 1;
    if (itemsAt(spec, 'containers').some(asksForCards)) count.withCards += 1;
    counts.set(name, count);
  } catch (error) {
    if (!(error instanceof InputFault)) throw error;
  }
}

function asksForCards(container: Fields): boolean {
  const resources = fieldsAt(container, 'resources');
  const names = ['requests', 'limits'].flatMap((key) => Object.keys(fieldsAt(resources, key).values));
  return names.some(isVendorResource);
}

/** Schedulers that take the same cards are told; those whose pods ask for none do no harm. */
export function schedulerFindings(counts: ReadonlyMap<string, SchedulerCount>): Finding[] {
  const others = [...counts].filter(([name, { withCards }]) => name !== SCHEDULER_NAME && withCards > 0);
  const ours = counts.get(SCHEDULER_NAME) ?? { pods: 0, withCards: 0 };
  const own = finding('schedulers', 'ok', said('doctor.schedulers.own', { name: SCHEDULER_NAME, count: ours.pods }));
  if (others.length === 0) return [own, finding('schedulers', 'ok', said('doctor.schedulers.alone'))];
  return [
    own,
    ...others
      .toSorted(([left], [right]) => (left < right ? -1 : 1))
      .map(([name, { withCards }]) => {
        const todo = said('doctor.schedulers.otherTodo', { ours: SCHEDULER_NAME });
        return finding('schedulers', 'warning', said('doctor.schedulers.other', { name, count: withCards }), todo);
      }),
  ];
}
