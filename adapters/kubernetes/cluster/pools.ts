import type { IsolatedPool, PoolStatus, PoolStatusOrder } from '@springtide/ports/cluster';
import type { ApiRequest } from '../client/api-client.ts';
import { applyRequest } from '../client/apply.ts';
import { InputFault } from '../fault.ts';
import { below, type Fields, fieldsAt, has, integerAt, itemsAt, requiredTextAt, textAt, textsAt } from '../fields.ts';
import { labelSelectorAt } from '../selectors.ts';

export const POOL_VERSION = 'springtide.io/v1alpha1';
const FIELD_MANAGER = 'springtide-pools';
const CONFLICT = 'Conflict';

/** Throws an `InputFault` where the pool cannot be read. */
export function poolOf(object: Fields): IsolatedPool {
  const metadata = fieldsAt(object, 'metadata');
  const spec = fieldsAt(object, 'spec');
  const selector = labelSelectorAt(spec, 'nodeSelector');
  if (selector === null) throw new InputFault('wrong-type', below(spec, 'nodeSelector'), 'a label selector', null);
  return {
    uid: requiredTextAt(metadata, 'uid'),
    name: requiredTextAt(metadata, 'name'),
    createdAtMs: timeOf(textAt(metadata, 'creationTimestamp')),
    reason: requiredTextAt(spec, 'reason'),
    owner: requiredTextAt(spec, 'owner'),
    selector,
    namespaces: textsAt(spec, 'namespaces'),
    status: has(object, 'status') ? statusOf(fieldsAt(object, 'status')) : null,
  };
}

const COUNT = { absent: 0, min: 0, max: 2 ** 31 - 1 };

function statusOf(status: Fields): PoolStatus {
  const condition = itemsAt(status, 'conditions').find((item) => textAt(item, 'type') === CONFLICT);
  const isTrue = condition !== undefined && textAt(condition, 'status') === 'True';
  return {
    machines: integerAt(status, 'machines', COUNT),
    cards: integerAt(status, 'cards', COUNT),
    conflict: isTrue ? textAt(condition, 'message') : '',
    conflictSinceMs: condition === undefined ? 0 : timeOf(textAt(condition, 'lastTransitionTime')),
  };
}

function timeOf(text: string): number {
  const time = Date.parse(text);
  return Number.isNaN(time) ? 0 : time;
}

/** Server-side apply, so that conditions of others stay. */
export function poolStatusRequest({ pool, status }: PoolStatusOrder): ApiRequest {
  const { machines, cards, conflict, conflictSinceMs } = status;
  const condition = {
    type: CONFLICT,
    status: conflict === '' ? 'False' : 'True',
    reason: conflict === '' ? 'AllMachinesItsOwn' : 'MachinesOfOlderPools',
    message: conflict,
    lastTransitionTime: `${new Date(conflictSinceMs).toISOString().slice(0, 19)}Z`,
  };
  const object = {
    apiVersion: POOL_VERSION,
    kind: 'Pool',
    metadata: { name: pool.name, uid: pool.uid },
    status: { machines, cards, conditions: [condition] },
  };
  const path = `/apis/${POOL_VERSION}/pools`;
  return applyRequest(object, { path, fieldManager: FIELD_MANAGER, subresource: 'status', force: true });
}
