import type { Constraints, Isolation, Pod, PodAffinityTerm } from '@springtide/core/model';
import { matchesSelector } from '@springtide/core/state';
import type { ClusterEvent } from '@springtide/ports/cluster';

/** Whose the pods of a namespace are, where it is not a tenant by itself. */
const TENANT_LABEL = 'springtide.io/tenant';
/** What its pods never share with those of other tenants: `card` or `machine`. What is neither is the most there is. */
const ISOLATION_LABEL = 'springtide.io/isolation';

const ISOLATIONS: readonly Isolation[] = ['none', 'card', 'machine'];

/** Whoever cannot be understood wants to be apart: what is shared by mistake cannot be taken back. */
function isolationIn(labels: ReadonlyMap<string, string>): Isolation {
  const text = labels.get(ISOLATION_LABEL) ?? '';
  if (text === '') return 'none';
  return ISOLATIONS.find((each) => each === text) ?? 'machine';
}

const NO_LABELS: ReadonlyMap<string, string> = new Map();

/** What a change of a namespace concerns. */
export interface NamespaceChange {
  readonly name: string;
  /** Its own pods: whose they are, or what they share. Affinities of others may choose by any label. */
  readonly isOfTenancy: boolean;
}

/** The labels of namespaces: affinity terms choose by them, and they tell tenants and what those never share. */
export class Namespaces {
  readonly #labels = new Map<string, ReadonlyMap<string, string>>();

  /** What changed; null: nothing. */
  take(event: ClusterEvent): NamespaceChange | null {
    if (event.kind !== 'namespace-seen' && event.kind !== 'namespace-gone') return null;
    const name = event.kind === 'namespace-seen' ? event.namespace.name : event.namespace;
    const before = this.#labels.get(name);
    if (event.kind === 'namespace-seen') this.#labels.set(name, event.namespace.labels);
    else if (!this.#labels.delete(name)) return null;
    const after = this.#labels.get(name);
    const isOfTenancy = [TENANT_LABEL, ISOLATION_LABEL].some((label) => before?.get(label) !== after?.get(label));
    return { name, isOfTenancy };
  }

  /** The pod as one of its tenant (P2, O1). It may ask to share less than its namespace says, not more. */
  tenanted(pod: Pod): Pod {
    const labels = this.#labels.get(pod.namespace) ?? NO_LABELS;
    const named = labels.get(TENANT_LABEL) ?? '';
    // A pod that tells its tenant itself keeps it.
    const tenant = named === '' || pod.tenant !== pod.namespace ? pod.tenant : named;
    const [own, asked] = [isolationIn(labels), pod.request.isolation];
    const isolation = ISOLATIONS.indexOf(own) > ISOLATIONS.indexOf(asked) ? own : asked;
    if (tenant === pod.tenant && isolation === asked) return pod;
    return { ...pod, tenant, request: { ...pod.request, isolation } };
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
