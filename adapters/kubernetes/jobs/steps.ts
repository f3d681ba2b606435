import type { JobSource, PodSetPlacement } from '@springtide/ports/queueing';
import type { Taint, Toleration } from '@springtide/core/model';
import type { ApiRequest } from '../client/api-client.ts';
import { affinityOff } from './affinity.ts';
import { BEFORE_ADMISSION } from './labels.ts';
import { escaped } from './pointer.ts';
import type { JobShape, PlacementFields, TemplateShape } from './shape.ts';

/** One operation of a JSON patch (RFC 6902). */
interface Operation {
  readonly op: 'add' | 'remove' | 'replace';
  readonly path: string;
  readonly value?: unknown;
}

const ANNOTATION = `/metadata/annotations/${escaped(BEFORE_ADMISSION)}`;

/**
 * The one request that starts a suspended object: it goes on, its pods carry what their flavor puts on them, and what
 * its author wrote is kept in an annotation. Null: it has started. Only as it was seen: an object that has changed
 * since answers with a conflict.
 */
export function startRequest(
  source: JobSource,
  shape: JobShape,
  placements: readonly PodSetPlacement[],
): ApiRequest | null {
  if (!shape.isSuspended) return null;
  const kept = shape.before ?? shape.templates.map(placementOf);
  const operations = shape.templates.flatMap((template) => {
    const placement = placements.find(({ podSet }) => podSet === template.podSet);
    const written = kept.find(({ podSet }) => podSet === template.podSet) ?? template;
    return placement === undefined ? [] : setOperations(shape, template, placed(written, placement));
  });
  const text = JSON.stringify(kept);
  const keep: Operation = shape.hasAnnotations
    ? { op: 'add', path: ANNOTATION, value: text }
    : { op: 'add', path: '/metadata/annotations', value: { [BEFORE_ADMISSION]: text } };
  return patch(source, shape, [...operations, keep, { op: 'replace', path: shape.kind.suspend, value: false }]);
}

/**
 * The next request on the way to a suspended object that stands as its author wrote it. Null: nothing is left to do,
 * or its controller has to do something first; ask again when it has changed.
 *
 *     running --> suspended --controller stops it--> without its start time (Jobs) --> restored
 */
export function stopRequest(source: JobSource, shape: JobShape): ApiRequest | null {
  if (!shape.isSuspended) {
    const spec = shape.kind.suspend === '/spec/suspend' ? { suspend: true } : { runPolicy: { suspend: true } };
    return merge(source, shape, '', { spec });
  }
  if (shape.before === null) return null;
  // The API server keeps the templates of a Job as they are while it has a start time.
  if (shape.hasStartTime)
    return shape.isStopped ? merge(source, shape, '/status', { status: { startTime: null } }) : null;
  const operations = shape.templates.flatMap((template) => {
    const written = shape.before?.find(({ podSet }) => podSet === template.podSet);
    return written === undefined ? [] : setOperations(shape, template, written);
  });
  return patch(source, shape, [...operations, { op: 'remove', path: ANNOTATION }]);
}

function placementOf(template: TemplateShape): PlacementFields {
  const { podSet, nodeSelector, tolerations, annotations, affinity, parallelism } = template;
  return { podSet, nodeSelector, tolerations, annotations, affinity, parallelism };
}

function placed(
  written: PlacementFields,
  { count, nodeSelector, tolerations, annotations, avoids }: PodSetPlacement,
): PlacementFields {
  return {
    podSet: written.podSet,
    nodeSelector:
      nodeSelector.size === 0 ? written.nodeSelector : { ...written.nodeSelector, ...Object.fromEntries(nodeSelector) },
    tolerations:
      tolerations.length === 0
        ? written.tolerations
        : [...(written.tolerations ?? []), ...tolerations.map(writtenFields)],
    annotations:
      annotations.size === 0 ? written.annotations : { ...written.annotations, ...Object.fromEntries(annotations) },
    affinity: affinityOff(written.affinity, avoids),
    parallelism: written.parallelism === null ? null : Math.min(count, written.parallelism),
  };
}

/** As Kubernetes writes it: empty fields are absent. */
export function writtenFields(part: Toleration | Taint): object {
  return Object.fromEntries(Object.entries(part).filter(([, value]) => value !== ''));
}

/** Makes a template's fields as wanted; nothing where they are so. */
function setOperations({ kind }: JobShape, now: TemplateShape, wanted: PlacementFields): Operation[] {
  const set = (path: string, from: unknown, to: unknown): Operation[] => {
    if (JSON.stringify(from) === JSON.stringify(to)) return [];
    return [to === null ? { op: 'remove', path } : { op: 'add', path, value: to }];
  };
  return [
    ...set(`${now.pointer}/nodeSelector`, now.nodeSelector, wanted.nodeSelector),
    ...set(`${now.pointer}/tolerations`, now.tolerations, wanted.tolerations),
    ...set(`${now.pointer}/affinity`, now.affinity, wanted.affinity),
    ...(now.hasMetadata || wanted.annotations === null
      ? set(`${now.metadata}/annotations`, now.annotations, wanted.annotations)
      : [{ op: 'add' as const, path: now.metadata, value: { annotations: wanted.annotations } }]),
    ...(wanted.parallelism === null ? [] : set(kind.parallelism, now.parallelism, wanted.parallelism)),
  ];
}

function patch(source: JobSource, shape: JobShape, operations: readonly Operation[]): ApiRequest {
  const version: Operation = { op: 'replace', path: '/metadata/resourceVersion', value: shape.resourceVersion };
  const body = [version, ...operations];
  return { method: 'PATCH', path: pathOf(source, shape), contentType: 'application/json-patch+json', body };
}

function merge(source: JobSource, shape: JobShape, subresource: string, change: object): ApiRequest {
  const body = { metadata: { uid: source.uid }, ...change };
  const path = `${pathOf(source, shape)}${subresource}`;
  return { method: 'PATCH', path, contentType: 'application/merge-patch+json', body };
}

function pathOf({ apiVersion, namespace, name }: JobSource, { kind }: JobShape): string {
  return `/apis/${apiVersion}/namespaces/${encodeURIComponent(namespace)}/${kind.plural}/${encodeURIComponent(name)}`;
}
