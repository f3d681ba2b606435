import type { PolicyName } from '@springtide/core/placement';
import type { CurvePoint, OrderKind, Remainder, ReplayOutcome } from '@springtide/lab/replay';
import { deviation, mean } from '../../report/index.ts';
import { pointAt } from './json.ts';

export interface Spread {
  readonly mean: number;
  /** Sample standard deviation; null for a single run. */
  readonly deviation: number | null;
}

/** One policy on one trace, over the seeds. */
export interface PolicySummary {
  readonly placement: PolicyName;
  readonly curve: readonly CurvePoint[];
  readonly allocatedAt: (load: number) => Spread | null;
  readonly fragmentationAt: (load: number) => Spread | null;
  readonly microsecondsPerDecision: Spread;
  readonly machinesScoredPerDecision: Spread;
  readonly refusedPercent: Spread;
  readonly remainder: readonly Remainder[];
}

export interface TraceSummary {
  readonly trace: string;
  readonly machines: number;
  readonly cards: number;
  readonly cpuOfCardMilli: number;
  readonly seeds: readonly number[];
  /** `mixed`: published for some seeds only. */
  readonly order: OrderKind | 'mixed';
  readonly ties: 'rank' | 'random';
  readonly policies: readonly PolicySummary[];
}

/** Outcomes as means over the seeds, traces and policies in the order in which they come. */
export function summariesOf(outcomes: readonly ReplayOutcome[]): TraceSummary[] {
  return [...Map.groupBy(outcomes, (outcome) => outcome.trace)].map(([trace, ofTrace]) => {
    const [first] = ofTrace as [ReplayOutcome];
    const byPolicy = Map.groupBy(ofTrace, (outcome) => outcome.placement);
    return {
      trace,
      machines: first.machines,
      cards: first.cards,
      cpuOfCardMilli: first.cpuOfCardMilli,
      seeds: [...new Set(ofTrace.map((outcome) => outcome.seed))],
      order: ofTrace.every((outcome) => outcome.order === first.order) ? first.order : 'mixed',
      ties: first.ties,
      policies: [...byPolicy].map(([placement, runs]) => policySummary(placement, runs)),
    };
  });
}

function policySummary(placement: PolicyName, runs: readonly ReplayOutcome[]): PolicySummary {
  const over = (value: (outcome: ReplayOutcome) => number): Spread => spreadOf(runs.map(value));
  const at = (load: number, value: (point: CurvePoint) => number | null): Spread | null => {
    const points = runs.flatMap((run) => pointAt(run.curve, load) ?? []);
    const values = points.flatMap((point) => value(point) ?? []);
    return values.length === 0 ? null : spreadOf(values);
  };
  return {
    placement,
    curve: meanCurve(runs),
    allocatedAt: (load) => at(load, (point) => point.allocatedPercent),
    fragmentationAt: (load) => at(load, (point) => point.fragmentationOfIdlePercent),
    microsecondsPerDecision: over((run) => run.microsecondsPerDecision),
    machinesScoredPerDecision: over((run) => run.machinesScoredPerDecision),
    refusedPercent: over((run) => (100 * (run.decisions - run.placed)) / run.decisions),
    remainder: meanRemainder(runs),
  };
}

function spreadOf(values: readonly number[]): Spread {
  return { mean: mean(values), deviation: values.length > 1 ? deviation(values) : null };
}

function meanCurve(runs: readonly ReplayOutcome[]): CurvePoint[] {
  const byLoad = Map.groupBy(
    runs.flatMap((run) => run.curve),
    (point) => point.loadPercent,
  );
  return [...byLoad]
    .toSorted(([left], [right]) => left - right)
    .map(([loadPercent, points]) => ({
      loadPercent,
      allocatedPercent: mean(points.map((point) => point.allocatedPercent)),
      fragmentationOfIdlePercent: meanOrNull(points.map((point) => point.fragmentationOfIdlePercent)),
      fragmentationPercent: meanOrNull(points.map((point) => point.fragmentationPercent)),
    }));
}

function meanOrNull(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : mean(known);
}

function meanRemainder(runs: readonly ReplayOutcome[]): Remainder[] {
  const byModel = Map.groupBy(
    runs.flatMap((run) => run.remainder),
    (part) => part.model,
  );
  return [...byModel].map(([model, parts]) => ({
    model,
    capacityMilli: mean(parts.map((part) => part.capacityMilli)),
    allocatedMilli: mean(parts.map((part) => part.allocatedMilli)),
    scrapsMilli: mean(parts.map((part) => part.scrapsMilli)),
    cpuShortMilli: mean(parts.map((part) => part.cpuShortMilli)),
    scatteredMilli: mean(parts.map((part) => part.scatteredMilli)),
    idleMachinesMilli: mean(parts.map((part) => part.idleMachinesMilli)),
  }));
}
