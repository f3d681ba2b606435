import type { AskedPods, PodChanges } from '@springtide/ports/admission';
import type { Toleration } from '@springtide/core/model';
import { type Fields, fieldsAt, has, itemsAt } from '../fields.ts';
import { type PatchStep, pointer } from './answer.ts';
import { podPathOf } from './asked-pods.ts';

/** The steps that give the pods of an object what they get. `main` is as in `AskedPods`. */
export function podPatch(
  object: Fields,
  kind: string,
  { containers, mainContainer }: AskedPods,
  changes: PodChanges,
): PatchStep[] {
  const path = podPathOf(kind);
  const pods = path.reduce<Fields>(fieldsAt, object);
  const spec = fieldsAt(pods, 'spec');
  const at = (...keys: readonly (string | number)[]): string => pointer(...path, ...keys);
  const main = mainContainer - (containers.length - itemsAt(spec, 'containers').length);
  return [
    ...labelSteps(pods, path, changes.labels),
    ...(changes.schedulerName === null
      ? []
      : [{ op: 'add', path: at('spec', 'schedulerName'), value: changes.schedulerName } as const]),
    ...limitSteps(spec, [...path, 'spec', 'containers', main], changes.limits),
    ...tolerationSteps(spec, at('spec', 'tolerations'), changes.tolerations),
  ];
}

function labelSteps(pods: Fields, path: readonly string[], labels: PodChanges['labels']): PatchStep[] {
  if (labels.size === 0) return [];
  const metadata = fieldsAt(pods, 'metadata');
  return [
    ...missing(pods, 'metadata', pointer(...path, 'metadata'), {}),
    ...missing(metadata, 'labels', pointer(...path, 'metadata', 'labels'), {}),
    ...Array.from(labels, ([name, value]): PatchStep => {
      const label = pointer(...path, 'metadata', 'labels', name);
      return value === null ? { op: 'remove', path: label } : { op: 'add', path: label, value };
    }),
  ];
}

function limitSteps(spec: Fields, container: readonly (string | number)[], limits: PodChanges['limits']): PatchStep[] {
  if (limits.size === 0) return [];
  const asIs = itemsAt(spec, 'containers')[container.at(-1) as number];
  if (asIs === undefined) return [];
  return [
    ...missing(asIs, 'resources', pointer(...container, 'resources'), {}),
    ...missing(fieldsAt(asIs, 'resources'), 'limits', pointer(...container, 'resources', 'limits'), {}),
    ...Array.from(limits, ([name, amount]): PatchStep => {
      return { op: 'add', path: pointer(...container, 'resources', 'limits', name), value: String(amount) };
    }),
  ];
}

function tolerationSteps(spec: Fields, path: string, tolerations: readonly Toleration[]): PatchStep[] {
  if (tolerations.length === 0) return [];
  return [
    ...missing(spec, 'tolerations', path, []),
    ...tolerations.map((toleration): PatchStep => ({ op: 'add', path: `${path}/-`, value: written(toleration) })),
  ];
}

/** Without what is empty: the API server takes `Exists` with a value for a mistake. */
function written(toleration: Toleration): object {
  return Object.fromEntries(Object.entries(toleration).filter(([, value]) => value !== ''));
}

/** Makes the object or list into which the next steps put something. */
function missing(from: Fields, key: string, path: string, empty: object): PatchStep[] {
  return has(from, key) ? [] : [{ op: 'add', path, value: empty }];
}
