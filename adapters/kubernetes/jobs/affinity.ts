type Values = Readonly<Record<string, unknown>>;

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';

/**
 * An affinity as its author wrote it, that also keeps pods off machines: each of its terms does, since one of them is
 * enough. A field of a node is compared with one value at a time.
 */
export function affinityOff(written: Values | null, machines: readonly string[]): Values | null {
  if (machines.length === 0) return written;
  const off = machines.map((machine) => ({ key: 'metadata.name', operator: 'NotIn', values: [machine] }));
  const nodeAffinity = valuesOf(written?.['nodeAffinity']);
  const terms = listOf(valuesOf(nodeAffinity[REQUIRED])['nodeSelectorTerms']).map(valuesOf);
  const nodeSelectorTerms = (terms.length === 0 ? [{}] : terms).map((term: Values) => {
    // A term that asks for nothing matches nothing, and is to stay so.
    const isEmpty =
      terms.length > 0 && listOf(term['matchExpressions']).length + listOf(term['matchFields']).length === 0;
    return isEmpty ? term : Object.assign({}, term, { matchFields: [...listOf(term['matchFields']), ...off] });
  });
  return { ...written, nodeAffinity: { ...nodeAffinity, [REQUIRED]: { nodeSelectorTerms } } };
}

function valuesOf(value: unknown): Values {
  return value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as Values) : {};
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
