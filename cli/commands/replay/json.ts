import type { CurvePoint, ReplayOutcome } from '@springtide/lab/replay';

/** Loads at which JSON and table quote the curves, in percent of the cards. */
export const LOADS = [90, 95, 100, 130] as const;

/** The curve at a load: on a small cluster one pod may step over several percent, and then the step before holds. */
export function pointAt(curve: readonly CurvePoint[], load: number): CurvePoint | undefined {
  return curve.findLast((point) => point.loadPercent <= load);
}

/**
 * One replay as one line of JSON: a stable interface. `allocatedAt` and `fragmentationAt` are percentages of all
 * and of idle card capacity. `remainderCards` adds up to what is not
 * allocated at the end, in cards.
 */
export function jsonLine(outcome: ReplayOutcome): string {
  const { curve, remainder } = outcome;
  const at = (value: (point: CurvePoint) => number | null): Record<string, number | null> =>
    Object.fromEntries(LOADS.map((load) => [load, rounded(valueAt(curve, load, value))]));
  const cards = (part: 'scrapsMilli' | 'cpuShortMilli' | 'scatteredMilli' | 'idleMachinesMilli'): number | null =>
    rounded(remainder.reduce((sum, model) => sum + model[part], 0) / 1000);
  return JSON.stringify({
    trace: outcome.trace,
    placement: outcome.placement,
    seed: outcome.seed,
    allocatedAt: at((point) => point.allocatedPercent),
    microsecondsPerDecision: rounded(outcome.microsecondsPerDecision),
    order: outcome.order,
    ties: outcome.ties,
    machines: outcome.machines,
    cards: outcome.cards,
    decisions: outcome.decisions,
    placed: outcome.placed,
    fragmentationAt: at((point) => point.fragmentationOfIdlePercent),
    machinesScoredPerDecision: rounded(outcome.machinesScoredPerDecision),
    remainderCards: {
      scraps: cards('scrapsMilli'),
      cpuShort: cards('cpuShortMilli'),
      scattered: cards('scatteredMilli'),
      idleMachines: cards('idleMachinesMilli'),
    },
  });
}

function valueAt(
  curve: readonly CurvePoint[],
  load: number,
  value: (point: CurvePoint) => number | null,
): number | null {
  const point = pointAt(curve, load);
  return point === undefined ? null : value(point);
}

function rounded(value: number | null): number | null {
  return value === null ? null : Math.round(value * 10_000) / 10_000;
}
