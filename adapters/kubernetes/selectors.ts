import type { LabelSelector, NodeSelectorTerm, SelectorExpression, SelectorOperator } from '@springtide/core/model';
import { type Fields, below, fieldsAt, has, itemsAt, textAt, textMapAt, textsAt } from './fields.ts';
import { InputFault } from './fault.ts';

const OPERATORS: ReadonlySet<string> = new Set<SelectorOperator>(['In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt']);

function isOperator(text: string): text is SelectorOperator {
  return OPERATORS.has(text);
}

/** `matchExpressions` or `matchFields` under `key`. */
export function expressionsAt(from: Fields, key: string): SelectorExpression[] {
  return itemsAt(from, key).map((item) => {
    const operator = textAt(item, 'operator');
    if (!isOperator(operator)) {
      throw new InputFault('value', below(item, 'operator'), `one of ${[...OPERATORS].join(', ')}`, operator);
    }
    return { key: textAt(item, 'key'), operator, values: textsAt(item, 'values') };
  });
}

/** A node selector: its terms, which are or-ed; null where there is none. */
export function nodeTermsAt(from: Fields, key: string): NodeSelectorTerm[] | null {
  if (!has(from, key)) return null;
  return itemsAt(fieldsAt(from, key), 'nodeSelectorTerms').map((term) => ({
    expressions: expressionsAt(term, 'matchExpressions'),
    fields: expressionsAt(term, 'matchFields'),
  }));
}

/** A label selector: null where there is none (it matches no pod), an empty list where it is empty (it matches all). */
export function labelSelectorAt(from: Fields, key: string): LabelSelector | null {
  if (!has(from, key)) return null;
  const selector = fieldsAt(from, key);
  const equal = [...textMapAt(selector, 'matchLabels')].map(([label, value]) => isValue(label, value));
  return [...equal, ...expressionsAt(selector, 'matchExpressions')];
}

function isValue(key: string, value: string): SelectorExpression {
  return { key, operator: 'In', values: [value] };
}

/** Adds what `matchLabelKeys` and `mismatchLabelKeys` mean for a pod with these labels. */
export function withLabelKeys(
  selector: LabelSelector | null,
  term: Fields,
  labels: ReadonlyMap<string, string>,
): LabelSelector | null {
  if (selector === null) return null;
  const same = textsAt(term, 'matchLabelKeys').map((key) => [key, 'In'] as const);
  const other = textsAt(term, 'mismatchLabelKeys').map((key) => [key, 'NotIn'] as const);
  const more = [...same, ...other].flatMap(([key, operator]): SelectorExpression[] => {
    const value = labels.get(key);
    return value === undefined ? [] : [{ key, operator, values: [value] }];
  });
  return more.length === 0 ? selector : [...selector, ...more];
}
