import type { TracePod } from '@springtide/adapters/traces';
import { mulberry32, shuffle } from '@springtide/core/base';
import type { Machine, Pod } from '@springtide/core/model';
import { Placer, POLICIES, typicalRequests, type Policy, type PolicyName } from '@springtide/core/placement';
import { Book } from '@springtide/core/state';
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
  /** Measure fragmentation too: costs more than the decisions themselves. */
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
 * fits nowhere is dropped (protocol: shared/design/packing.md 1). CPU time counts decisions and caches alone.
 */
export function replay(input: ReplayInput): ReplayResult {
  const { machines, pods, order, seed } = input;
  const book = new Book(machines, { order: rankOrder(machines, seed) });
  const chance = mulberry32(seed ^ 0x5eed);
  const typical = typicalRequests(pods.map((pod) => book.classOf(pod.request)));
  const made = POLICIES[input.policy]({ book, chance, typical });
  const policy: Policy = input.randomTies ? { ...made, randomTies: true } : made;
  const placer = new Placer({ book, policy, random: chance });
  const curves = new Curves(book, input.withFragmentation ? typical : null);
  const before = input.cpuMicros();
  let measuring = 0;
  let placed = 0;
  for (let i = 0; i < order.length; i += 1) {
    const pod = pods[order[i] as number] as TracePod;
    const decision = placer.place(podOf(pod, i));
    if (decision.ok) placed += 1;
    const allocated = decision.ok ? pod.cardMilli * pod.cardCount : 0;
    if (input.withFragmentation) {
      const start = input.cpuMicros();
      curves.add(pod.cardMilli * pod.cardCount, allocated, decision.ok ? decision.holding.machine : -1);
      measuring += input.cpuMicros() - start;
    } else curves.add(pod.cardMilli * pod.cardCount, allocated, -1);
  }
  const micros = input.cpuMicros() - before - measuring;
  return {
    placement: input.policy,
    seed,
    decisions: order.length,
    placed,
    curve: curves.points(),
    microsecondsPerDecision: micros / order.length,
    machinesScoredPerDecision: placer.machinesScored / order.length,
    book,
  };
}
