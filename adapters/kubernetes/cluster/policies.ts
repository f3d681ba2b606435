import type { DisruptionBudget, PriorityClass } from '@springtide/ports/cluster';
import { booleanAt, type Fields, fieldsAt, integerAt, requiredTextAt, textAt } from '../fields.ts';
import { labelSelectorAt } from '../selectors.ts';

const INT32 = 2 ** 31 - 1;

export function budgetOf(object: Fields): DisruptionBudget {
  const metadata = fieldsAt(object, 'metadata');
  const namespace = textAt(metadata, 'namespace');
  return {
    uid: requiredTextAt(metadata, 'uid'),
    id: `${namespace}/${requiredTextAt(metadata, 'name')}`,
    namespace,
    selector: labelSelectorAt(fieldsAt(object, 'spec'), 'selector'),
    disruptionsAllowed: integerAt(fieldsAt(object, 'status'), 'disruptionsAllowed', { absent: 0, min: 0, max: INT32 }),
  };
}

export function priorityClassOf(object: Fields): PriorityClass {
  return {
    name: requiredTextAt(fieldsAt(object, 'metadata'), 'name'),
    value: integerAt(object, 'value', { absent: 0, min: -INT32 - 1, max: INT32 }),
    isDefault: booleanAt(object, 'globalDefault'),
    preemptionPolicy: textAt(object, 'preemptionPolicy') === 'Never' ? 'Never' : 'PreemptLowerPriority',
  };
}
