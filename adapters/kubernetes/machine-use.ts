import type { CardRequest, Machine } from '@springtide/core/model';
import { yieldsCompute } from '@springtide/core/state';
import type { CardGroup } from './card-group.ts';
import type { ObservedPod } from './dump.ts';
import type { Overbooked } from './problem.ts';

/** What pods hold of one card; compute that yields to others is counted apart. */
interface SliceUse {
  memoryMiB: number;
  computeMilli: number;
  sharedMilli: number;
  hasShared: boolean;
  pods: number;
}

const NO_USE: SliceUse = { memoryMiB: 0, computeMilli: 0, sharedMilli: 0, hasShared: false, pods: 0 };

/** What the pods of one machine hold together, as far as the dump tells. */
export class MachineUse {
  readonly #machine: Machine;
  readonly #groups: readonly CardGroup[];
  #pods = 0;
  #cpuMilli = 0;
  #memoryBytes = 0;
  readonly #resources = new Map<string, number>();
  /** Whole cards by resource. */
  readonly #cards = new Map<string, number>();
  /** Thousandths of a card by fraction group. */
  readonly fractions = new Map<string, number>();
  readonly #slices = new Map<string, SliceUse>();

  constructor(machine: Machine, groups: readonly CardGroup[]) {
    this.#machine = machine;
    this.#groups = groups;
  }

  add(observed: ObservedPod): void {
    const { request } = observed.pod;
    this.#pods += 1;
    this.#cpuMilli += request.cpuMilli;
    this.#memoryBytes += request.memoryBytes;
    for (const [name, amount] of request.resources) raise(this.#resources, name, amount);
    if (request.cards.kind === 'whole') raise(this.#cards, request.cards.resource, request.cards.count);
    for (const group of observed.fractionGroups) raise(this.fractions, group, this.#fraction(request.cards));
    const named = new Set<string>();
    for (const slice of observed.held ?? []) {
      const sum = this.#slices.get(slice.cardId) ?? { ...NO_USE };
      sum.memoryMiB += slice.memoryMiB;
      sum.hasShared ||= request.cards.kind === 'shared';
      const card = this.#machine.cards.find(({ id }) => id === slice.cardId);
      if (card !== undefined && yieldsCompute(request.cards, card)) sum.sharedMilli += slice.computeMilli;
      else sum.computeMilli += slice.computeMilli;
      sum.pods += named.has(slice.cardId) ? 0 : 1;
      named.add(slice.cardId);
      this.#slices.set(slice.cardId, sum);
    }
  }

  /** Units of a resource that are held: of cards, whole ones and those shared by fractions. */
  held(resource: string): number {
    const shared = resource === 'nvidia.com/gpu' ? this.fractions.size : 0;
    return (this.#cards.get(resource) ?? 0) + (this.#resources.get(resource) ?? 0) + shared;
  }

  /** Thousandths of one card. Memory is put in proportion to the machine's own cards. */
  #fraction(cards: CardRequest): number {
    if (cards.kind !== 'slice' || cards.memory.unit === 'none') return 0;
    if (cards.memory.unit === 'milli') return cards.memory.amount;
    const size = this.#machine.cards.find((card) => card.resource === cards.resource)?.memoryMiB ?? 0;
    return size === 0 ? 0 : Math.round((cards.memory.amount * 1000) / size);
  }

  /** Cards of which more is held than there is. */
  overbooked(): Overbooked[] {
    return [...this.#overbookedCards(), ...this.#overbookedSlices()];
  }

  #overbookedCards(): Overbooked[] {
    const node = this.#machine.id;
    const over: Overbooked[] = [];
    for (const { kind, resource, healthy } of this.#groups) {
      const held = this.held(resource);
      if (kind === 'hami' || kind === 'malformed' || held <= healthy) continue;
      const problem = { problem: 'overbooked', node, held, healthy } as const;
      over.push(this.#groups.length === 1 ? problem : { ...problem, resource });
    }
    // Cards that are gone while pods still hold them.
    for (const [resource, held] of this.#cards) {
      if (this.#groups.some((group) => group.resource === resource)) continue;
      over.push({ problem: 'overbooked', node, held, healthy: 0, resource });
    }
    return over;
  }

  #overbookedSlices(): Overbooked[] {
    const node = this.#machine.id;
    const over: Overbooked[] = [];
    for (const [group, held] of this.fractions) {
      if (held > 1000) over.push({ problem: 'overbooked', node, group, held, healthy: 1000, unit: 'computeMilli' });
    }
    for (const card of this.#machine.cards) {
      const sum = this.#slices.get(card.id);
      if (sum === undefined) continue;
      const limits = [
        ['MiB', sum.memoryMiB, sum.hasShared ? (card.shared?.memoryMiB ?? card.memoryMiB) : card.memoryMiB],
        ['computeMilli', sum.computeMilli, card.computeMilli],
        ['computeMilli', sum.sharedMilli, card.shared?.computeMilli ?? 0],
        ['pods', sum.pods, card.sharesMax ?? sum.pods],
      ] as const;
      for (const [unit, held, healthy] of limits) {
        if (held > healthy) over.push({ problem: 'overbooked', node, card: card.id, held, healthy, unit });
      }
    }
    return over;
  }

  /**
   * CPU, memory and other resources of which more is held than allocatable. Pods that bypass the scheduler do that
   * every day, so it is no problem of the cluster; new pods are refused there, as Kubernetes does.
   */
  overcommitted(): Overbooked[] {
    const machine = this.#machine;
    const held: (readonly [string, number, number])[] = [
      ['cpu', this.#cpuMilli, machine.cpuMilli],
      ['memory', this.#memoryBytes, machine.memoryBytes],
      ['pods', this.#pods, machine.podsMax],
      ...[...this.#resources].map(([name, sum]) => [name, sum, machine.resources.get(name) ?? 0] as const),
    ];
    return held
      .filter(([, sum, size]) => sum > size)
      .map(([resource, sum, size]) => ({
        problem: 'overbooked' as const,
        node: machine.id,
        resource,
        held: sum,
        healthy: size,
      }));
  }
}

function raise(sums: Map<string, number>, name: string, amount: number): void {
  sums.set(name, (sums.get(name) ?? 0) + amount);
}
