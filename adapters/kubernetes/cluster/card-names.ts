/**
 * Ids of cards are unique in the fleet. Some plug-ins number their cards on each node anew: whoever comes second is
 * called by its machine too.
 */
export class CardNames {
  readonly #machineOf = new Map<string, string>();
  readonly #ofMachine = new Map<string, ReadonlySet<string>>();

  unique(id: string, machine: string): string {
    const owner = this.#machineOf.get(id);
    const unique = owner === undefined || owner === machine ? id : `${machine}/${id}`;
    this.#machineOf.set(unique, machine);
    return unique;
  }

  /** These are all the cards that the machine has now. */
  keepOnly(machine: string, ids: ReadonlySet<string>): void {
    for (const id of this.#ofMachine.get(machine) ?? []) {
      if (!ids.has(id) && this.#machineOf.get(id) === machine) this.#machineOf.delete(id);
    }
    this.#ofMachine.set(machine, ids);
  }

  release(machine: string): void {
    this.keepOnly(machine, new Set());
    this.#ofMachine.delete(machine);
  }
}
