import type { CohortSpec } from '@springtide/core/model';
import type { AppliedObject } from '../client/apply.ts';
import { type Fields, fieldsAt, integerAt, requiredTextAt, textAt } from '../fields.ts';
import { quotasObject, quotasOf } from './quota-cells.ts';
import { QUEUEING_VERSION } from './version.ts';

const WEIGHT = { absent: 1000, min: 0, max: 2 ** 31 - 1 };

/** Throws an `InputFault` where it cannot be read. */
export function cohortOf(object: Fields): CohortSpec {
  const spec = fieldsAt(object, 'spec');
  return {
    id: requiredTextAt(fieldsAt(object, 'metadata'), 'name'),
    parent: textAt(spec, 'parent') || null,
    weightMilli: weightAt(spec),
    cells: quotasOf(spec).cells,
  };
}

export function cohortObject({ id, parent, weightMilli, cells }: CohortSpec): AppliedObject {
  const flavors = [...new Set(cells.map(({ flavor }) => flavor))];
  const spec = {
    ...(parent === null ? {} : { parent }),
    ...(weightMilli === 1000 ? {} : { weightMilli }),
    ...(flavors.length === 0 ? {} : { flavors: quotasObject({ flavors, cells }) }),
  };
  return { apiVersion: QUEUEING_VERSION, kind: 'Cohort', metadata: { name: id }, spec };
}

export function weightAt(spec: Fields): number {
  return integerAt(spec, 'weightMilli', WEIGHT);
}
