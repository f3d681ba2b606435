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

/** Numbers keys by first appearance in rank order: places (machines that tell none share one) and groups. */
export function numbered(machines: readonly Machine[], keyOf: (machine: Machine) => readonly string[]): Int32Array {
  const numbers = new Map<string, number>();
  return Int32Array.from(machines, (machine) => {
    const key = keyOf(machine).join('\u0000');
    let number = numbers.get(key);
    if (number === undefined) {
      number = numbers.size;
      numbers.set(key, number);
    }
    return number;
  });
}

/** The label that repeats a machine's name; a request that reads it is judged machine by machine. */
export const NAME_LABEL = 'kubernetes.io/hostname';

/** All that the filters and scores read of an untouched machine, but its name. */
export function groupKey({ cpuMilli, memoryBytes, podsMax, ...machine }: Machine): string[] {
  const parts = [`${cpuMilli} ${memoryBytes} ${podsMax} ${machine.cordoned}`];
  for (const [name, amount] of machine.resources) parts.push(name, String(amount));
  for (const { key, value, effect } of machine.taints) parts.push(key, value, effect);
  if (machine.pool !== undefined) parts.push('pool', machine.pool.name);
  parts.push('labels');
  for (const [key, value] of machine.labels) if (key !== NAME_LABEL) parts.push(key, value);
  for (const card of machine.cards) {
    parts.push(card.resource, card.model, card.slicing, card.health);
    parts.push(`${card.memoryMiB} ${card.computeMilli} ${card.sharesMax} ${card.island}`);
    if (card.shared !== undefined) parts.push(`shared ${card.shared.memoryMiB} ${card.shared.computeMilli}`);
    if (card.migProfiles !== undefined) parts.push(JSON.stringify(card.migProfiles));
  }
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
