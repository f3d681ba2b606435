import type { NamespaceChoice, PodAffinityTerm, SelectorExpression } from '@springtide/core/model';
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
  return terms.map((term) => {
    const topologyKey = textAt(term, 'topologyKey');
    const selector = withLabelKeys(labelSelectorAt(term, 'labelSelector'), term, owner.labels);
    return Object.assign(namespacesOf(term, owner.namespace), { topologyKey, selector });
  });
}

/** Who sees no labels of namespaces resolves a selector on names; any other may match every namespace. */
function namespacesOf(term: Fields, own: string): Pick<PodAffinityTerm, 'namespaces' | 'chosen'> {
  const named = textsAt(term, 'namespaces');
  const selector = labelSelectorAt(term, 'namespaceSelector');
  if (selector === null) return { namespaces: named.length === 0 ? [own] : named };
  const [only] = selector;
  if (selector.length === 1 && only !== undefined && isByName(only)) {
    return { namespaces: [...new Set([...named, ...only.values])] };
  }
  if (selector.length === 0) return { namespaces: ['*'] };
  const chosen: NamespaceChoice = { named, selector };
  return { namespaces: ['*'], chosen };
}

function isByName(expression: SelectorExpression): boolean {
  return expression.key === NAME_LABEL && expression.operator === 'In';
}
