import type { PodAffinityTerm, SelectorExpression, TopologySpread } from '@springtide/core/model';

export const isIn = (key: string, ...values: readonly string[]): SelectorExpression => ({
  key,
  operator: 'In',
  values,
});
export const notIn = (key: string, ...values: readonly string[]): SelectorExpression => ({
  key,
  operator: 'NotIn',
  values,
});
export const exists = (key: string): SelectorExpression => ({ key, operator: 'Exists', values: [] });
export const lacks = (key: string): SelectorExpression => ({ key, operator: 'DoesNotExist', values: [] });
export const above = (key: string, bound: string): SelectorExpression => ({ key, operator: 'Gt', values: [bound] });
export const below = (key: string, bound: string): SelectorExpression => ({ key, operator: 'Lt', values: [bound] });

/** A term about pods with a label, in one namespace. */
export function podsWith(topologyKey: string, ...selector: readonly SelectorExpression[]): PodAffinityTerm {
  return { topologyKey, selector, namespaces: ['default'] };
}

/** A hard spread constraint with Kubernetes' defaults. */
export function evenly(topologyKey: string, more: Partial<TopologySpread> = {}): TopologySpread {
  return {
    topologyKey,
    maxSkew: 1,
    minDomains: 1,
    selector: [exists('app')],
    nodeAffinityPolicy: 'Honor',
    nodeTaintsPolicy: 'Ignore',
    ...more,
  };
}
