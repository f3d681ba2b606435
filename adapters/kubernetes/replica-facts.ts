import type { Replica } from '@springtide/core/scale-in';
import type { ScaleInMark } from '@springtide/ports/cluster';
import { booleanAt, type Fields, fieldsAt, integerAt, itemsAt, textAt, textMapAt } from './fields.ts';
import { DELETION_COST, markOf } from './scale-in-mark.ts';

/** What the order of deletion looks at in a pod that a ReplicaSet or StatefulSet keeps. */
export interface ReplicaFacts extends Omit<Replica, 'pod' | 'machine'> {
  readonly owner: { readonly kind: string; readonly name: string; readonly uid: string };
  /** Ours, from an earlier choice; null: none. */
  readonly mark: ScaleInMark | null;
}

const OWNERS: ReadonlySet<string> = new Set(['ReplicaSet', 'StatefulSet']);

/** Null: no ReplicaSet or StatefulSet keeps the pod. */
export function replicaFactsOf(item: Fields): ReplicaFacts | null {
  const metadata = fieldsAt(item, 'metadata');
  const owner = itemsAt(metadata, 'ownerReferences').find((each) => booleanAt(each, 'controller'));
  if (owner === undefined || !OWNERS.has(textAt(owner, 'kind'))) return null;
  const annotations = textMapAt(metadata, 'annotations');
  const status = fieldsAt(item, 'status');
  const ready = itemsAt(status, 'conditions').find((each) => textAt(each, 'type') === 'Ready');
  const isReady = ready !== undefined && textAt(ready, 'status') === 'True';
  const mark = markOf(annotations);
  return {
    owner: { kind: textAt(owner, 'kind'), name: textAt(owner, 'name'), uid: textAt(owner, 'uid') },
    uid: textAt(metadata, 'uid'),
    phase: phaseOf(textAt(status, 'phase', 'Pending')),
    isReady,
    cost: mark === null ? costOf(annotations.get(DELETION_COST)) : null,
    createdAtMs: timeOf(textAt(metadata, 'creationTimestamp')) ?? 0,
    readySinceMs: isReady ? timeOf(textAt(ready, 'lastTransitionTime')) : null,
    restarts: itemsAt(status, 'containerStatuses').reduce(
      (most, each) => Math.max(most, integerAt(each, 'restartCount', COUNT)),
      0,
    ),
    mark,
  };
}

const COUNT = { absent: 0, min: 0, max: 2 ** 31 };

function phaseOf(text: string): Replica['phase'] {
  return text === 'Pending' || text === 'Running' ? text : 'Unknown';
}

/** What is no number counts as 0, as the controller has it. */
function costOf(text: string | undefined): number | null {
  if (text === undefined) return null;
  return /^(?:0|-?[1-9]\d{0,9})$/.test(text) ? Number(text) : 0;
}

function timeOf(text: string): number | null {
  const time = Date.parse(text);
  return Number.isNaN(time) ? null : time;
}
