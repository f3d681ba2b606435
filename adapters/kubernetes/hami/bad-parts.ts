import { cardModel, cardResource, sliceOwner } from '@springtide/core/vendors';
import { InputFault } from '../fault.ts';
import { type Fields, below, fieldsAt, itemsAt } from '../fields.ts';
import { type Amounts, amountsAt } from '../resources.ts';
import { isSoftSplit } from './choice.ts';
import { MEMORY_MIB_MAX, memoryMiBOf } from './container-ask.ts';

/**
 * Refuses what a pod that waits cannot mean: more than all of a card, and bytes where a plug-in counts MiB, which HAMi
 * takes for no request at all; and what HAMi's own admission refuses of Ascend. Throws an `InputFault` with the field.
 */
export function refuseBadParts(spec: Fields, annotations: ReadonlyMap<string, string>): void {
  for (const key of ['initContainers', 'containers']) {
    for (const container of itemsAt(spec, key)) {
      const resources = fieldsAt(container, 'resources');
      for (const list of ['requests', 'limits']) {
        refuseIn(fieldsAt(resources, list), amountsAt(resources, list), annotations);
      }
    }
  }
}

function refuseIn(list: Fields, amounts: Amounts, annotations: ReadonlyMap<string, string>): void {
  for (const [name, amount] of amounts) {
    refuseSize(list, name, amount);
    refuseAscend(list, name, amounts, annotations);
  }
}

function refuseSize(list: Fields, name: string, amount: number): void {
  const slices = sliceOwner(name)?.resource.slices ?? null;
  if (slices === null) return;
  if (name === slices.percentage && amount > 100) {
    throw new InputFault('absurd', below(list, name), 'a percentage of at most 100', amount);
  }
  if (name === slices.memory && memoryMiBOf(amount, slices) > MEMORY_MIB_MAX) {
    const unit = slices.memoryUnitMiB === 1 ? 'MiB' : `units of ${slices.memoryUnitMiB} MiB`;
    const expected = `a number of ${unit} without a byte suffix, at most ${MEMORY_MIB_MAX} MiB in all`;
    throw new InputFault('absurd', below(list, name), expected, list.values[name]);
  }
}

/** Templates are of one card, cores are for cards cut by software, and modules of two chips are not parted. */
function refuseAscend(list: Fields, name: string, amounts: Amounts, annotations: ReadonlyMap<string, string>): void {
  const card = cardResource(name) ?? sliceOwner(name);
  if (card?.vendor.name !== 'ascend' || card.resource.slices === null) return;
  const { resource } = card;
  const count = amounts.get(resource.name) ?? 0;
  if (name === resource.name && count > 1 && count % resource.step !== 0) {
    throw new InputFault('value', below(list, name), `1, or a multiple of ${resource.step}`, count);
  }
  if (isSoftSplit(resource.name, annotations)) return;
  if (name === resource.slices?.compute) {
    throw new InputFault(
      'value',
      below(list, name),
      'no cores unless huawei.com/vnpu-mode is hami-core',
      amounts.get(name),
    );
  }
  const whole = cardModel(card.vendor, resource.impliedModel)?.templates?.memoryMiB ?? 0;
  const memoryMiB = amounts.get(name) ?? 0;
  if (name === resource.slices?.memory && count > 1 && memoryMiB < whole) {
    throw new InputFault(
      'value',
      below(list, name),
      `${whole} or nothing where several cards are asked for`,
      memoryMiB,
    );
  }
}
