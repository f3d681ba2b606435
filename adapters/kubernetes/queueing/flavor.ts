import type { Flavor, Taint } from '@springtide/core/model';
import { type AppliedObject } from '../client/apply.ts';
import { tolerationsOf } from '../constraints.ts';
import { InputFault } from '../fault.ts';
import {
  below,
  type Fields,
  fieldsAt,
  has,
  integerAt,
  itemsAt,
  requiredTextAt,
  textAt,
  textMapAt,
  textsAt,
} from '../fields.ts';
import { writtenFields } from '../jobs/steps.ts';
import { QUEUEING_VERSION } from './version.ts';

const MEMORY = { absent: 0, min: 0, max: 1 << 30 };
const PRICE = { absent: 0, min: 0, max: Number.MAX_SAFE_INTEGER };

/** Throws an `InputFault` where it cannot be read. */
export function flavorOf(object: Fields): Flavor {
  const spec = fieldsAt(object, 'spec');
  return {
    id: requiredTextAt(fieldsAt(object, 'metadata'), 'name'),
    nodeSelector: textMapAt(spec, 'nodeSelector'),
    taints: itemsAt(spec, 'taints').map(taintOf),
    tolerations: tolerationsOf(spec),
    cardModels: has(spec, 'cardModels') ? textsAt(spec, 'cardModels') : null,
    region: textAt(spec, 'region'),
    capacity: wordAt(spec, 'capacity', ['on-demand', 'spot']),
    cardMemoryMiB: integerAt(spec, 'cardMemoryMiB', MEMORY),
    priceMicrosPerCardHour: integerAt(spec, 'priceMicrosPerCardHour', PRICE),
  };
}

export function flavorObject(flavor: Flavor): AppliedObject {
  const { id, nodeSelector, taints, tolerations, cardModels, region, capacity, cardMemoryMiB, priceMicrosPerCardHour } =
    flavor;
  const spec = {
    ...(nodeSelector.size === 0 ? {} : { nodeSelector: Object.fromEntries(nodeSelector) }),
    ...(taints.length === 0 ? {} : { taints: taints.map(writtenFields) }),
    ...(tolerations.length === 0 ? {} : { tolerations: tolerations.map(writtenFields) }),
    ...(cardModels === null ? {} : { cardModels }),
    ...(region === '' ? {} : { region }),
    ...(capacity === 'on-demand' ? {} : { capacity }),
    ...(cardMemoryMiB === 0 ? {} : { cardMemoryMiB }),
    ...(priceMicrosPerCardHour === 0 ? {} : { priceMicrosPerCardHour }),
  };
  return { apiVersion: QUEUEING_VERSION, kind: 'Flavor', metadata: { name: id }, spec };
}

export function taintOf(item: Fields): Taint {
  const effect = wordAt(item, 'effect', ['NoSchedule', 'PreferNoSchedule', 'NoExecute']);
  return { key: requiredTextAt(item, 'key'), value: textAt(item, 'value'), effect };
}

/** One of a few words; the first where nothing is said. */
export function wordAt<const Word extends string>(from: Fields, key: string, words: readonly [Word, ...Word[]]): Word {
  const text = textAt(from, key, words[0]);
  const found = words.find((word) => word === text);
  if (found !== undefined) return found;
  throw new InputFault('value', below(from, key), `one of ${words.join(', ')}`, text);
}
