import type { Constraints, PodAffinityTerm } from '@springtide/core/model';
import { matchesSelector } from '@springtide/core/state';
import type { ClusterEvent } from '@springtide/ports/cluster';

/** The labels of namespaces, by which affinity terms may choose them. */
export class Namespaces {
  readonly #labels = new Map<string, ReadonlyMap<string, string>>();

  /** Whether something changed. */
  take(event: ClusterEvent): boolean {
    if (event.kind === 'namespace-seen') {
      const { name, labels } = event.namespace;
      this.#labels.set(name, labels);
      return true;
    }
    return event.kind === 'namespace-gone' && this.#labels.delete(event.namespace);
  }

  /** The same constraints with the namespaces that their terms choose. */
  resolved(constraints: Constraints): Constraints {
    if (!choosesNamespaces(constraints)) return constraints;
    const { podAffinity, podAntiAffinity } = constraints;
    return {
      ...constraints,
      podAffinity: podAffinity.map((term) => this.#resolvedTerm(term)),
      podAntiAffinity: podAntiAffinity.map((term) => this.#resolvedTerm(term)),
    };
  }

  #resolvedTerm({ chosen, ...term }: PodAffinityTerm): PodAffinityTerm {
    if (chosen === undefined) return term;
    const matching = [...this.#labels].filter(([, labels]) => matchesSelector(chosen.selector, labels));
    return { ...term, namespaces: [...new Set([...chosen.named, ...matching.map(([name]) => name)])].toSorted() };
  }
}

/** Whether the labels of namespaces say something of the constraints. */
export function choosesNamespaces({ podAffinity, podAntiAffinity }: Constraints): boolean {
  return [...podAffinity, ...podAntiAffinity].some(({ chosen }) => chosen !== undefined);
}
