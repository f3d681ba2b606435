import type { CardTemplate, Granularity } from '@springtide/core/model';
import { tolerationsOf } from '../constraints.ts';
import { InputFault } from '../fault.ts';
import { below, type Fields, fieldsAt, has, integerAt, requiredTextAt, textAt, textsAt } from '../fields.ts';

export const TEMPLATES_VERSION = 'springtide.io/v1alpha1';

/** As the schema of the kind has them. */
const CARDS = { absent: 1, min: 1, max: 64 };
const MEMORY = { absent: 0, min: 1, max: 1 << 20 };
const PERCENT = { absent: 0, min: 1, max: 100 };
const PRIORITY = { absent: 0, min: 0, max: 100 };

/** Throws an `InputFault` where the template cannot be read. */
export function cardTemplateOf(object: Fields): CardTemplate {
  const spec = fieldsAt(object, 'spec');
  return {
    name: requiredTextAt(fieldsAt(object, 'metadata'), 'name'),
    granularity: granularityAt(spec),
    cards: integerAt(spec, 'cards', CARDS),
    memoryMiB: integerAt(spec, 'memoryMiB', MEMORY),
    computePercent: integerAt(spec, 'computePercent', PERCENT),
    priority: has(spec, 'priority') ? integerAt(spec, 'priority', PRIORITY) : null,
    resources: textsAt(spec, 'resources'),
    tolerations: tolerationsOf(spec),
    pool: textAt(spec, 'pool'),
  };
}

function granularityAt(spec: Fields): Granularity {
  const text = textAt(spec, 'granularity');
  if (text === 'whole' || text === 'slice' || text === 'shared') return text;
  throw new InputFault('value', below(spec, 'granularity'), 'whole, slice or shared', text);
}
