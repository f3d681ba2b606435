import { assert, compareText } from '../base/index.ts';
import type { Machine } from '../model/index.ts';

/** Machines by id, or in the order given, which names every one once. */
export function inRankOrder(machines: readonly Machine[], order: readonly string[] | undefined): Machine[] {
  if (order === undefined) return machines.toSorted((left, right) => compareText(left.id, right.id));
  const byId = new Map(machines.map((machine) => [machine.id, machine]));
  assert(order.length === machines.length, 'the order names every machine once');
  return order.map((id) => {
    const machine = byId.get(id);
    assert(machine !== undefined, `the order names ${id}, which is no machine`);
    return machine;
  });
}

/** All that tells an untouched machine from another, but its name, labels and taints. */
export function shapeKey(machine: Machine): string[] {
  const { cpuMilli, memoryBytes, podsMax, resources, cards } = machine;
  const parts = [`${cpuMilli} ${memoryBytes} ${podsMax}`];
  for (const [name, amount] of resources) parts.push(name, String(amount));
  for (const card of cards) {
    parts.push(card.resource, card.model, card.slicing, card.health);
    parts.push(`${card.memoryMiB} ${card.computeMilli} ${card.sharesMax} ${card.island}`);
  }
  return parts;
}

/** Numbers keys by first appearance in rank order: places (machines that tell none share one) and shapes. */
export function numbered(
  machines: readonly Machine[],
  keyOf: (machine: Machine, index: number) => readonly string[],
): Int32Array {
  const numbers = new Map<string, number>();
  return Int32Array.from(machines, (machine, index) => {
    const key = keyOf(machine, index).join('\u0000');
    let number = numbers.get(key);
    if (number === undefined) {
      number = numbers.size;
      numbers.set(key, number);
    }
    return number;
  });
}

/** Shape, labels, taints and cordon: all that the filters read but the name. */
export function groupKey({ labels, taints, cordoned }: Machine, shape: number): string[] {
  const parts = [String(shape), String(cordoned)];
  for (const { key, value, effect } of taints) parts.push(key, value, effect);
  parts.push('labels');
  for (const [key, value] of labels) parts.push(key, value);
  return parts;
}

/** The first index of each number. */
export function firsts(numbers: Int32Array): number[] {
  const found: number[] = [];
  numbers.forEach((number, index) => {
    if (number === found.length) found.push(index);
  });
  return found;
}
