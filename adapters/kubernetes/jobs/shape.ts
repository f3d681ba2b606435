import { InputFault, NOT_SHOWN } from '../fault.ts';
import {
  below,
  type Fields,
  fieldsAt,
  fieldsOf,
  has,
  integerAt,
  itemsAt,
  listAt,
  requiredTextAt,
  textAt,
} from '../fields.ts';
import { BEFORE_ADMISSION, metadataOf, minParallelismOf } from './labels.ts';
import { isTrue, type JobKind } from './kinds.ts';
import { valueAt, withValueAt } from './pointer.ts';

/** The fields of a pod set that admission sets, as its author wrote them. Null: there was no such field. */
export interface PlacementFields {
  readonly podSet: string;
  readonly nodeSelector: Readonly<Record<string, unknown>> | null;
  readonly tolerations: readonly unknown[] | null;
  /** Of the pods. */
  readonly annotations: Readonly<Record<string, unknown>> | null;
  readonly affinity: Readonly<Record<string, unknown>> | null;
  /** Of an elastic Job; null: it is none, and the number is left alone. */
  readonly parallelism: number | null;
}

export interface TemplateShape extends PlacementFields {
  /** JSON pointers to the pods' spec, and to their metadata. */
  readonly pointer: string;
  readonly metadata: string;
  readonly hasMetadata: boolean;
}

/** What has to be known of an object to start and stop it. */
export interface JobShape {
  readonly kind: JobKind;
  readonly resourceVersion: string;
  readonly hasAnnotations: boolean;
  readonly isSuspended: boolean;
  /** A Job keeps the time of its start, and with it its templates, until somebody takes that away. */
  readonly hasStartTime: boolean;
  /** Its controller has heard that it is suspended. */
  readonly isStopped: boolean;
  /** As they stand now. */
  readonly templates: readonly TemplateShape[];
  /** As they were written; null: that is how they stand. */
  readonly before: readonly PlacementFields[] | null;
}

/** Throws an `InputFault` where the object cannot be read. */
export function shapeOf(object: Fields, kind: JobKind): JobShape {
  const metadata = metadataOf(object);
  const status = fieldsAt(object, 'status');
  const isElastic = kind.parallelism !== '' && minParallelismOf(metadata).text !== '';
  return {
    kind,
    resourceVersion: textAt(metadata, 'resourceVersion'),
    hasAnnotations: has(metadata, 'annotations'),
    isSuspended: valueAt(object.values, kind.suspend) === true,
    hasStartTime: kind.kind === 'Job' && has(status, 'startTime'),
    isStopped: isTrue(status, 'Suspended'),
    templates: kind.templates(object).map(({ podSet, pointer }) => ({
      podSet,
      pointer,
      metadata: metadataPointer(pointer),
      hasMetadata: objectAt(object, metadataPointer(pointer)) !== null,
      annotations: objectAt(object, `${metadataPointer(pointer)}/annotations`),
      nodeSelector: objectAt(object, `${pointer}/nodeSelector`),
      tolerations: listAtPointer(object, `${pointer}/tolerations`),
      affinity: objectAt(object, `${pointer}/affinity`),
      parallelism: isElastic ? numberAt(object, kind.parallelism) : null,
    })),
    before: beforeOf(metadata),
  };
}

function metadataPointer(spec: string): string {
  return spec.replace(/spec$/, 'metadata');
}

/** The object as its author wrote it: without what admission has set. */
export function asWritten(object: Fields, { kind, templates, before }: JobShape): Fields {
  if (before === null) return object;
  let values: unknown = object.values;
  for (const { podSet, pointer } of templates) {
    const kept = before.find((each) => each.podSet === podSet);
    if (kept === undefined) continue;
    values = withValueAt(values, `${pointer}/nodeSelector`, kept.nodeSelector);
    values = withValueAt(values, `${pointer}/tolerations`, kept.tolerations);
    values = withValueAt(values, `${pointer}/affinity`, kept.affinity);
    if (kept.parallelism !== null) values = withValueAt(values, kind.parallelism, kept.parallelism);
  }
  return fieldsOf(values, object.path);
}

/** What the annotation keeps; one that cannot be read is a fault: whoever changed it has to mend it. */
function beforeOf(metadata: Fields): PlacementFields[] | null {
  const annotations = fieldsAt(metadata, 'annotations');
  if (!has(annotations, BEFORE_ADMISSION)) return null;
  const path = below(annotations, BEFORE_ADMISSION);
  const list: Fields = { values: { kept: parsed(textAt(annotations, BEFORE_ADMISSION), path) }, path };
  return itemsAt(list, 'kept').map((item) => ({
    podSet: requiredTextAt(item, 'podSet'),
    nodeSelector: has(item, 'nodeSelector') ? fieldsAt(item, 'nodeSelector').values : null,
    annotations: has(item, 'annotations') ? fieldsAt(item, 'annotations').values : null,
    tolerations: has(item, 'tolerations') ? listAt(item, 'tolerations') : null,
    affinity: has(item, 'affinity') ? fieldsAt(item, 'affinity').values : null,
    parallelism: has(item, 'parallelism') ? integerAt(item, 'parallelism', { absent: 0, min: 0, max: 2 ** 31 }) : null,
  }));
}

function parsed(text: string, path: InputFault['path']): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new InputFault('syntax', path, 'JSON, as it was written on admission', NOT_SHOWN);
  }
}

function objectAt(object: Fields, pointer: string): Readonly<Record<string, unknown>> | null {
  const value = valueAt(object.values, pointer);
  return value !== null && typeof value === 'object' && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : null;
}

function listAtPointer(object: Fields, pointer: string): readonly unknown[] | null {
  const value = valueAt(object.values, pointer);
  return Array.isArray(value) ? value : null;
}

function numberAt(object: Fields, pointer: string): number | null {
  const value = valueAt(object.values, pointer);
  return typeof value === 'number' ? value : null;
}
