import type { CardLimit } from '@springtide/core/model';
import { sliceOwner } from '@springtide/core/vendors';
import type { CardQuota } from '@springtide/ports/cluster';
import { type Fields, fieldsAt, requiredTextAt, textAt } from '../fields.ts';
import { amountsAt } from '../resources.ts';
import { memoryMiBOf } from './container-ask.ts';

/** HAMi counts these alone: Kubernetes itself takes `requests.*` for extended resources. */
const PREFIX = 'limits.';

/**
 * What a ResourceQuota says of the memory and compute of cards, as `limits.nvidia.com/gpumem`, in the vendor's units. A
 * zero lets nothing be held. Throws an `InputFault` where the quota cannot be read.
 */
export function cardQuotaOf(object: Fields): CardQuota {
  const metadata = fieldsAt(object, 'metadata');
  const namespace = textAt(metadata, 'namespace');
  const hard = amountsAt(fieldsAt(object, 'spec'), 'hard');
  return {
    id: `${namespace}/${requiredTextAt(metadata, 'name')}`,
    namespace,
    limits: Array.from(hard).flatMap(([key, amount]) => limitOf(key, amount) ?? []),
  };
}

function limitOf(key: string, amount: number): CardLimit | null {
  const name = key.startsWith(PREFIX) ? key.slice(PREFIX.length) : '';
  const card = sliceOwner(name)?.resource;
  const slices = card?.slices ?? null;
  if (card === undefined || slices === null) return null;
  if (name === slices.memory) return { resource: card.name, of: 'memoryMiB', max: memoryMiBOf(amount, slices) };
  if (name !== slices.compute) return null;
  return { resource: card.name, of: 'computeMilli', max: Math.floor((amount * 1000) / slices.computeUnits) };
}
