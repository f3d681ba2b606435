import type { PodAffinityTerm, SelectorExpression } from '@springtide/core/model';
import { type Fields, fieldsAt, itemsAt, textAt, textsAt } from './fields.ts';
import { labelSelectorAt, withLabelKeys } from './selectors.ts';

const NAME_LABEL = 'kubernetes.io/metadata.name';

/** The pod that the terms belong to. */
export interface Owner {
  readonly namespace: string;
  readonly labels: ReadonlyMap<string, string>;
}

/** The required terms of `podAffinity` or `podAntiAffinity`; preferred ones are not kept. */
export function requiredPodTerms(affinity: Fields, key: string, owner: Owner): PodAffinityTerm[] {
  const terms = itemsAt(fieldsAt(affinity, key), 'requiredDuringSchedulingIgnoredDuringExecution');
  return terms.map((term) => ({
    topologyKey: textAt(term, 'topologyKey'),
    selector: withLabelKeys(labelSelectorAt(term, 'labelSelector'), term, owner.labels),
    namespaces: namespacesOf(term, owner.namespace),
  }));
}

/** A dump lists no namespaces: a selector on names is resolved, any other may match every namespace. */
function namespacesOf(term: Fields, own: string): readonly string[] {
  const named = textsAt(term, 'namespaces');
  const selector = labelSelectorAt(term, 'namespaceSelector');
  if (selector === null) return named.length === 0 ? [own] : named;
  const [only] = selector;
  if (selector.length === 1 && only !== undefined && isByName(only)) return [...new Set([...named, ...only.values])];
  return ['*'];
}

function isByName(expression: SelectorExpression): boolean {
  return expression.key === NAME_LABEL && expression.operator === 'In';
}
