import type { QueueAsk } from '@springtide/ports/queueing';
import { type Fields, fieldsAt, itemsAt, booleanAt, textAt, textMapAt } from '../fields.ts';

/** What names the queue of an object: ours, and Kueue's as it is. */
export const QUEUE_LABEL = 'springtide.io/queue-name';
export const KUEUE_QUEUE_LABEL = 'kueue.x-k8s.io/queue-name';

/** What keeps a pod from being placed until it is admitted. */
export const ADMISSION_GATE = 'springtide.io/admission';

/** On an admitted object: what of its templates has to be restored when it is suspended. */
export const BEFORE_ADMISSION = 'springtide.io/before-admission';

const PRIORITY_CLASS = ['springtide.io/priority-class', 'kueue.x-k8s.io/priority-class'];
const MIN_PARALLELISM = ['springtide.io/min-parallelism', 'kueue.x-k8s.io/job-min-parallelism'];

/** Null: it asks for none, and is nobody's business here. */
export function queueAskOf(metadata: Fields): QueueAsk | null {
  const labels = textMapAt(metadata, 'labels');
  const own = labels.get(QUEUE_LABEL) ?? '';
  const queue = own || (labels.get(KUEUE_QUEUE_LABEL) ?? '');
  if (queue === '') return null;
  return { queue, isByKueueLabel: own === '', priorityClass: firstOf(labels, PRIORITY_CLASS) };
}

/** What an elastic job says of the fewest pods that it starts with, and where; empty: nothing. */
export function minParallelismOf(metadata: Fields): { readonly key: string; readonly text: string } {
  const annotations = textMapAt(metadata, 'annotations');
  const key = MIN_PARALLELISM.find((each) => annotations.has(each)) ?? '';
  return { key, text: annotations.get(key) ?? '' };
}

export function firstOf(texts: ReadonlyMap<string, string>, keys: readonly string[]): string {
  for (const key of keys) {
    const text = texts.get(key) ?? '';
    if (text !== '') return text;
  }
  return '';
}

/** The kind of the controller that made an object; empty: nobody did. */
export function controllerKindOf(metadata: Fields): string {
  const owner = itemsAt(metadata, 'ownerReferences').find((each) => booleanAt(each, 'controller'));
  return owner === undefined ? '' : textAt(owner, 'kind');
}

export function metadataOf(object: Fields): Fields {
  return fieldsAt(object, 'metadata');
}
