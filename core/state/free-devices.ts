import type { Device, DeviceAsk, DeviceNeed } from '../model/index.ts';

/**
 * How many devices nobody holds, by machine and selection; under no name those that several machines may use. It tells
 * quickly that a machine has too few, which most have where devices are scarce; whether they serve is another matter.
 */
export class FreeDevices {
  readonly #counts = new Map<string, Map<string, number>>();

  add({ machine, selections }: Device, by: 1 | -1): void {
    const counts = this.#counts.get(machine) ?? new Map<string, number>();
    this.#counts.set(machine, counts);
    for (const selection of selections) {
      const count = (counts.get(selection) ?? 0) + by;
      if (count === 0) counts.delete(selection);
      else counts.set(selection, count);
    }
    if (counts.size === 0) this.#counts.delete(machine);
  }

  /** False: some request finds too few devices on the machine, whatever else is asked. O(requests). */
  mayServe({ requests }: DeviceNeed, machine: string): boolean {
    return requests.every(({ asks }) => asks.some((ask) => this.#maySatisfy(ask, machine)));
  }

  #maySatisfy({ selection, count, isAdmin }: DeviceAsk, machine: string): boolean {
    if (isAdmin) return true;
    const free = this.#count(machine, selection) + this.#count('', selection);
    return free >= (count ?? 1);
  }

  #count(machine: string, selection: string): number {
    return this.#counts.get(machine)?.get(selection) ?? 0;
  }
}
