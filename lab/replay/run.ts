import type { TracePod } from '@springtide/adapters/traces';
import { mulberry32, shuffle } from '@springtide/core/base';
import type { Machine, Pod } from '@springtide/core/model';
import { Placer, policyOf, typicalRequests, type PolicyName, type TypicalRequest } from '@springtide/core/placement';
import { Book, type Holding } from '@springtide/core/state';
import { Curves, type CurvePoint } from './curves.ts';

export interface ReplayInput {
  readonly machines: readonly Machine[];
  /** Sorted by name. */
  readonly pods: readonly TracePod[];
  /** Indexes into `pods`. */
  readonly order: readonly number[];
  readonly policy: PolicyName;
  readonly seed: number;
  /** Break ties at random instead of by rank. */
  readonly randomTies: boolean;
  /** Measure fragmentation too, which takes about as long as the decisions. */
  readonly withFragmentation: boolean;
  /** CPU time of this thread in microseconds. */
  readonly cpuMicros: () => number;
}

export interface ReplayResult {
  readonly placement: PolicyName;
  readonly seed: number;
  readonly decisions: number;
  readonly placed: number;
  /** By load in percent, 0 up. */
  readonly curve: readonly CurvePoint[];
  readonly microsecondsPerDecision: number;
  readonly machinesScoredPerDecision: number;
  readonly book: Book;
}

function podOf(pod: TracePod, position: number): Pod {
  return {
    id: `${position}`,
    namespace: '',
    labels: NO_LABELS,
    service: '',
    serviceReplicas: 0,
    tenant: '',
    priority: 0,
    request: pod.request,
  };
}

const NO_LABELS: ReadonlyMap<string, string> = new Map();

/** Machine ranks of a seed: arbitrary, but the same for every policy. */
export function rankOrder(machines: readonly Machine[], seed: number): string[] {
  return shuffle(machines.map((machine) => machine.id).toSorted(), mulberry32(seed));
}

/**
 * Replays one trace under one policy and seed: pods come one by one, are placed at once and never leave; one that
 * fits nowhere is dropped (protocol: shared/design/packing.md 1). CPU time counts decisions and caches alone: the
 * curve is measured afterwards, by booking the same holdings once more.
 */
export function replay(input: ReplayInput): ReplayResult {
  const { machines, pods, order, seed } = input;
  const book = new Book(machines, { order: rankOrder(machines, seed) });
  // Another stream than the one that ranked the machines; the golden ratio spreads neighbouring seeds apart.
  const chance = mulberry32(Math.imul(seed, 0x9e3779b1));
  const typical = typicalRequests(pods.map((pod) => book.classOf(pod.request)));
  const policy = policyOf(input.policy, { book, chance, typical, randomTies: input.randomTies });
  const placer = new Placer({ book, policy, random: chance });
  const arriving = order.map((index, position) => podOf(pods[index] as TracePod, position));
  const holdings: (Holding | null)[] = [];
  const before = input.cpuMicros();
  for (const pod of arriving) {
    const decision = placer.place(pod);
    holdings.push(decision.ok ? decision.holding : null);
  }
  const micros = input.cpuMicros() - before;
  return {
    placement: input.policy,
    seed,
    decisions: order.length,
    placed: holdings.filter((holding) => holding !== null).length,
    curve: curveOf(input, holdings, input.withFragmentation ? typical : null),
    microsecondsPerDecision: micros / order.length,
    machinesScoredPerDecision: placer.machinesScored / order.length,
    book,
  };
}

function curveOf(
  { machines, pods, order, seed }: ReplayInput,
  holdings: readonly (Holding | null)[],
  typical: readonly TypicalRequest[] | null,
): CurvePoint[] {
  // Kinds of card are numbered by rank, so that the typical requests of the first book serve the second.
  const book = new Book(machines, { order: rankOrder(machines, seed) });
  const curves = new Curves(book, typical);
  holdings.forEach((holding, i) => {
    const { cardMilli, cardCount } = pods[order[i] as number] as TracePod;
    if (holding !== null && typical !== null) book.hold(holding);
    curves.add(cardMilli * cardCount, holding === null ? 0 : cardMilli * cardCount, holding?.machine ?? -1);
  });
  return curves.points();
}
