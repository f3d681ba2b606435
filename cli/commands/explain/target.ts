import type { Dump, ObservedPod } from '@springtide/adapters/kubernetes';
import { message, type Language } from '@springtide/wire/messages';
import { BadInput } from '../../terminal/index.ts';

const FORM = /^(?:pods?\/)?([^/]+)\/([^/]+)$/;
const SHORT_FORM = /^pods?\/([^/]+)$/;

/** Pods of a similar name told when the one asked for is not there. */
const NEAR_TOLD = 5;

export interface Target {
  /** Null: the one that is meant where none is named. */
  readonly namespace: string | null;
  readonly name: string;
}

/** What `pod/NAMESPACE/NAME` or `pod/NAME` names. */
export function targetOf(text: string, language: Language): Target {
  const [, own] = SHORT_FORM.exec(text) ?? [];
  if (own !== undefined) return { namespace: null, name: own };
  const [, namespace, name] = FORM.exec(text) ?? [];
  if (namespace !== undefined && name !== undefined) return { namespace, name };
  throw new BadInput(message(language, 'explain.bad.target', { text }));
}

/** The pod of a dump that the text names. `usual`: the namespace of those that name none; empty: there is none. */
export function podAsked(dump: Dump, text: string, language: Language, usual = ''): ObservedPod {
  const { namespace: named, name } = targetOf(text, language);
  const namespace = named ?? usual;
  if (namespace === '') throw new BadInput(message(language, 'explain.bad.target', { text }));
  const id = `${namespace}/${name}`;
  const found = dump.pods.find(({ pod }) => pod.id === id);
  if (found !== undefined) return found;
  const near = dump.pods
    .map(({ pod }) => pod.id)
    .filter((other) => other.startsWith(`${namespace}/`) && isNear(other, id));
  if (near.length === 0) throw new BadInput(message(language, 'explain.bad.unknown', { pod: id }));
  const known = near.toSorted().slice(0, NEAR_TOLD).join(', ');
  throw new BadInput(message(language, 'explain.bad.near', { pod: id, known }));
}

/** One name begins like the other: a Deployment's name for one of its pods, or an older replica. */
function isNear(other: string, id: string): boolean {
  const stem = id.replace(/-[^-]*$/, '');
  return other.startsWith(id) || other.startsWith(stem);
}
