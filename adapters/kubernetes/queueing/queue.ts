import type { LabelSelector, PreemptionRules } from '@springtide/core/model';
import type { SeenQueue } from '@springtide/ports/queueing';
import type { AppliedObject } from '../client/apply.ts';
import { InputFault } from '../fault.ts';
import { below, booleanAt, type Fields, fieldsAt, has, integerAt, requiredTextAt, textAt, textsAt } from '../fields.ts';
import { labelSelectorAt } from '../selectors.ts';
import { weightAt } from './cohort.ts';
import { wordAt } from './flavor.ts';
import { quotasObject, quotasOf } from './quota-cells.ts';
import { QUEUEING_VERSION } from './version.ts';

const PRIORITY = { absent: 0, min: -(2 ** 31), max: 2 ** 31 - 1 };

/** What a queue may stop where nothing is said: lower work of its own, and whoever has borrowed what it owns. */
const USUAL_PREEMPTION: PreemptionRules = {
  withinQueue: 'lower-priority',
  reclaimWithinCohort: 'any',
  borrowWithinCohort: 'none',
  borrowMaxPriority: null,
};

/** Throws an `InputFault` where it cannot be read. */
export function queueOf(object: Fields): SeenQueue {
  const spec = fieldsAt(object, 'spec');
  const id = requiredTextAt(fieldsAt(object, 'metadata'), 'name');
  return {
    spec: {
      id,
      tenant: textAt(spec, 'tenant', id),
      cohort: textAt(spec, 'cohort') || null,
      weightMilli: weightAt(spec),
      workClass: wordAt(spec, 'workClass', ['training', 'online', 'offline']),
      strategy: wordAt(spec, 'strategy', ['best-effort', 'strict']),
      order: wordAt(spec, 'order', ['submission', 'least-attained']),
      isStopped: booleanAt(spec, 'isStopped'),
      ...quotasOf(spec),
      preemption: preemptionOf(fieldsAt(spec, 'preemption')),
    },
    namespaces: labelSelectorAt(spec, 'namespaceSelector'),
    aliases: textsAt(spec, 'aliases').map((alias, index) => {
      if (/^[^/]+\/[^/]+$/.test(alias)) return alias;
      throw new InputFault('value', { parent: below(spec, 'aliases'), key: index }, 'namespace/name', alias);
    }),
  };
}

function preemptionOf(from: Fields): PreemptionRules {
  const usual = USUAL_PREEMPTION;
  return {
    withinQueue: wordAt(from, 'withinQueue', [usual.withinQueue, 'none', 'lower-or-newer-equal-priority']),
    reclaimWithinCohort: wordAt(from, 'reclaimWithinCohort', [usual.reclaimWithinCohort, 'none', 'lower-priority']),
    borrowWithinCohort: wordAt(from, 'borrowWithinCohort', [usual.borrowWithinCohort, 'lower-priority']),
    borrowMaxPriority: has(from, 'borrowMaxPriority') ? integerAt(from, 'borrowMaxPriority', PRIORITY) : null,
  };
}

export function queueObject({ spec, namespaces, aliases }: SeenQueue): AppliedObject {
  const { id, tenant, cohort, weightMilli, workClass, strategy, order, isStopped, flavors, cells } = spec;
  const preemption = differing(spec.preemption, USUAL_PREEMPTION);
  const written = {
    ...(tenant === id ? {} : { tenant }),
    ...(cohort === null ? {} : { cohort }),
    ...differing({ weightMilli, workClass, strategy, order, isStopped }, USUAL),
    ...(namespaces === null ? {} : { namespaceSelector: selectorObject(namespaces) }),
    ...(aliases.length === 0 ? {} : { aliases }),
    flavors: quotasObject({ flavors, cells }),
    ...(Object.keys(preemption).length === 0 ? {} : { preemption }),
  };
  return { apiVersion: QUEUEING_VERSION, kind: 'Queue', metadata: { name: id }, spec: written };
}

const USUAL = {
  weightMilli: 1000,
  workClass: 'training',
  strategy: 'best-effort',
  order: 'submission',
  isStopped: false,
};

/** What is not as it is where nothing is said. */
function differing(values: object, usual: object): object {
  const others = new Map<string, unknown>(Object.entries(usual));
  return Object.fromEntries(Object.entries(values).filter(([key, value]) => value !== others.get(key)));
}

function selectorObject(selector: LabelSelector): object {
  if (selector.length === 0) return {};
  return {
    matchExpressions: selector.map(({ key, operator, values }) => ({
      key,
      operator,
      ...(values.length === 0 ? {} : { values }),
    })),
  };
}
