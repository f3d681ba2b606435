import type { Dump, ObservedPod } from '@springtide/adapters/kubernetes';
import { message, type Language } from '@springtide/wire/messages';
import { BadInput } from '../../terminal/index.ts';

export type ScaledKind = 'Deployment' | 'ReplicaSet' | 'StatefulSet';

/** What is to shrink. */
export interface Target {
  readonly kind: ScaledKind;
  readonly namespace: string;
  readonly name: string;
}

/** As kubectl names them. */
const KINDS: ReadonlyMap<string, ScaledKind> = new Map(
  (
    [
      ['Deployment', ['deploy', 'deployment', 'deployments']],
      ['ReplicaSet', ['rs', 'replicaset', 'replicasets']],
      ['StatefulSet', ['sts', 'statefulset', 'statefulsets']],
    ] as const
  ).flatMap(([kind, words]) => words.map((word) => [word, kind] as const)),
);

/** `usual`: the namespace of what names none; empty: there is none. */
export function targetOf(text: string, usual: string, language: Language): Target {
  const [, word = '', named, name = ''] = /^([^/]+)(?:\/([^/]+))?\/([^/]+)$/.exec(text) ?? [];
  const kind = KINDS.get(word.toLowerCase());
  const namespace = named ?? usual;
  if (kind === undefined || namespace === '') throw new BadInput(message(language, 'scaleIn.bad.target', { text }));
  return { kind, namespace, name };
}

const NEAR_TOLD = 5;

/** Active pods of the workload, by the ReplicaSet or StatefulSet that keeps them. BadInput where there is none. */
export function replicasAsked(dump: Dump, target: Target, language: Language): Map<string, ObservedPod[]> {
  const active = dump.pods.filter(({ isDeleting }) => !isDeleting);
  const found = Map.groupBy(
    active.filter((pod) => isOf(pod, target)),
    ({ replica }) => replica?.owner.name ?? '',
  );
  if (found.size > 0) return found;
  const { kind, namespace, name } = target;
  const near = new Set(active.flatMap((pod) => nearName(pod, target)));
  const values = { kind, workload: `${namespace}/${name}` };
  if (near.size === 0) throw new BadInput(message(language, 'scaleIn.bad.unknown', values));
  const known = [...near].toSorted().slice(0, NEAR_TOLD).join(', ');
  throw new BadInput(message(language, 'scaleIn.bad.near', { ...values, known }));
}

/** A ReplicaSet of a Deployment has the Deployment's name and more. */
function isOf({ pod, replica }: ObservedPod, { kind, namespace, name }: Target): boolean {
  if (replica === null || pod.namespace !== namespace) return false;
  const { owner } = replica;
  if (kind !== 'Deployment') return owner.kind === kind && owner.name === name;
  return owner.kind === 'ReplicaSet' && pod.service === `${namespace}/${name}` && owner.name !== name;
}

/** Workloads whose name begins like the one asked for, as they are asked for. */
function nearName({ pod, replica }: ObservedPod, { namespace, name }: Target): string[] {
  if (replica === null || pod.namespace !== namespace) return [];
  const { kind, name: owner } = replica.owner;
  const service = pod.service.slice(namespace.length + 1);
  const isOfDeployment = kind === 'ReplicaSet' && service !== owner;
  const known = isOfDeployment ? `deploy/${service}` : `${kind === 'ReplicaSet' ? 'rs' : 'sts'}/${owner}`;
  const stem = name.replace(/-[^-]*$/, '');
  return service.startsWith(stem) || owner.startsWith(stem) ? [known] : [];
}
