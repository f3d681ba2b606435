import type { Card, CardHealth, Machine, TaintEffect } from '@springtide/core/model';
import type { Product } from './products.ts';

const GIB = 2 ** 30;

/** A machine in the making. Every method gives a new builder, so that a half-built machine can be shared. */
export class MachineBuilder {
  readonly #machine: Machine;

  constructor(machine: Machine) {
    this.#machine = machine;
  }

  #with(part: Partial<Machine>): MachineBuilder {
    return new MachineBuilder({ ...this.#machine, ...part });
  }

  cpuMilli(cpuMilli: number): MachineBuilder {
    return this.#with({ cpuMilli });
  }

  memoryGiB(memoryGiB: number): MachineBuilder {
    return this.#with({ memoryBytes: memoryGiB * GIB });
  }

  podsMax(podsMax: number): MachineBuilder {
    return this.#with({ podsMax });
  }

  offering(resource: string, amount: number): MachineBuilder {
    return this.#with({ resources: new Map([...this.#machine.resources, [resource, amount]]) });
  }

  /** Sets it apart in a pool of that name. */
  inPool(name: string): MachineBuilder {
    return this.#with({ pool: { name, owner: `owner of ${name}`, reason: `reason of ${name}` } });
  }

  labelled(key: string, value: string): MachineBuilder {
    return this.#with({ labels: new Map([...this.#machine.labels, [key, value]]) });
  }

  tainted(key: string, value = '', effect: TaintEffect = 'NoSchedule'): MachineBuilder {
    return this.#with({ taints: [...this.#machine.taints, { key, value, effect }] });
  }

  cordoned(): MachineBuilder {
    return this.#with({ cordoned: true });
  }

  inRack(rack: string, zone = ''): MachineBuilder {
    return this.#with({ location: { region: '', cluster: '', zone, rack } });
  }

  /** Adds cards, numbered on from those it has; `islandSize` of them share fast links. */
  cards(product: Product, count: number, more: { islandSize?: number; sharesMax?: number } = {}): MachineBuilder {
    const { id, cards } = this.#machine;
    const { islandSize = count, sharesMax = null } = more;
    const added = Array.from({ length: count }, (_, index): Card => {
      const island = Math.floor((cards.length + index) / islandSize);
      return { ...product, id: `${id}/${cards.length + index}`, island, sharesMax, health: 'ok' };
    });
    return this.#with({ cards: [...cards, ...added] });
  }

  /** Puts each card on the island given for it, in order. */
  islands(...islands: readonly number[]): MachineBuilder {
    const cards = this.#machine.cards.map((card, index) => ({ ...card, island: islands[index] ?? card.island }));
    return this.#with({ cards });
  }

  health(card: number, health: CardHealth): MachineBuilder {
    const cards = this.#machine.cards.map((each, index) => (index === card ? { ...each, health } : each));
    return this.#with({ cards });
  }

  build(): Machine {
    return this.#machine;
  }
}

/** 64 cores, 256 GiB, 110 pods, no cards, no labels, in no place. */
export function aMachine(id: string): MachineBuilder {
  return new MachineBuilder({
    id,
    location: { region: '', zone: '', rack: '', cluster: '' },
    cpuMilli: 64_000,
    memoryBytes: 256 * GIB,
    podsMax: 110,
    resources: new Map(),
    labels: new Map(),
    taints: [],
    cordoned: false,
    cards: [],
  });
}
