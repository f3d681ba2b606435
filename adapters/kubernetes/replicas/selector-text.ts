import type { LabelSelector } from '@springtide/core/model';

/** A selector of a ReplicaSet or Deployment as a list takes it. */
export function selectorText(selector: LabelSelector): string {
  return selector
    .map(({ key, operator, values }) => {
      if (operator === 'Exists') return key;
      if (operator === 'DoesNotExist') return `!${key}`;
      return `${key} ${operator === 'NotIn' ? 'notin' : 'in'} (${values.join(',')})`;
    })
    .join(',');
}
