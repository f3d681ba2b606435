import type { ClusterEvent } from '@springtide/ports/cluster';
import { type InputFault, inputError } from '../fault.ts';
import { type Fields, fieldsAt, textAt } from '../fields.ts';

/** The event for an object that a reader refused. */
export function unreadableEvent(kind: string, object: Fields, fault: InputFault): ClusterEvent {
  const { path, expected, found } = inputError(fault, { file: '', line: null, column: null, subject: '' });
  const metadata = fieldsAt(object, 'metadata');
  const spec = kind === 'Pod' ? object.values['spec'] : null;
  const texts = (typeof spec === 'object' ? spec : null) as Readonly<Record<string, unknown>> | null;
  const text = (value: unknown): string => (typeof value === 'string' ? value : '');
  return {
    kind: 'unreadable',
    object: {
      kind,
      uid: textAt(metadata, 'uid'),
      namespace: textAt(metadata, 'namespace'),
      name: textAt(metadata, 'name'),
      schedulerName: text(texts?.['schedulerName']),
      machine: text(texts?.['nodeName']),
      path,
      expected,
      found,
    },
  };
}
