import { POLICY_NAMES, type PolicyName } from '@springtide/core/placement';
import { findTrace, type ReplayJob, type ReplayOutcome, replayMany, traceNames } from '@springtide/lab/replay';
import { type Bound, holds, mean, writeResult } from '../report.ts';
import { PEERS, publishedMeans } from './published.ts';
import { TIDE_MIN, TIDE_RANDOM_TIES_MIN } from './ranges.ts';

const SEEDS = Array.from({ length: 10 }, (_, i) => 42 + i);
const LOADS = ['90', '95', '100', '130'] as const;
type Load = (typeof LOADS)[number];

interface Row {
  readonly trace: string;
  readonly placement: PolicyName;
  readonly ties: 'rank' | 'random';
  readonly allocatedAt: Readonly<Record<Load, number>>;
  readonly sdAt130: number;
}

/** The published traces and policies, all seeds; and `tide` once more with ties broken by chance. */
export async function packing(data: string): Promise<boolean> {
  const published = publishedMeans(data);
  const traces = [...new Set([...published.keys()].map((key) => key.split(' ')[0] as string))];
  const known = traces.filter((trace) => traceNames(data).includes(`openb:${trace}`));
  const jobs = known.flatMap((trace) => jobsOf(data, trace));
  const outcomes = await replayMany(jobs, { onDone: (_, __, done) => progress(done, jobs.length) });
  const rows = summarise(outcomes);
  for (const row of rows) console.log(lineOf(row, published));
  writeResult('packing', { seeds: SEEDS, rows });
  return holds([...peerBounds(rows, published), ...tideBounds(rows, published)]);
}

function jobsOf(data: string, trace: string): ReplayJob[] {
  const files = findTrace(data, `openb:${trace}`);
  if (files === null) return [];
  const policies: { placement: PolicyName; ties: Row['ties'] }[] = [
    ...POLICY_NAMES.map((placement) => ({ placement, ties: 'rank' as const })),
    { placement: 'tide', ties: 'random' },
  ];
  return policies.flatMap(({ placement, ties }) =>
    SEEDS.map((seed) => ({ trace: files, seed, withFragmentation: false, placement, ties })),
  );
}

function progress(done: number, all: number): void {
  if (process.stderr.isTTY) process.stderr.write(`\r${done} of ${all} replays`);
}

function summarise(outcomes: readonly ReplayOutcome[]): Row[] {
  const groups = Map.groupBy(outcomes, ({ trace, placement, ties }) => `${trace} ${placement} ${ties}`);
  return [...groups.values()].map((group) => {
    const [{ trace, placement, ties }] = group as [ReplayOutcome];
    const at = (load: Load): number[] => group.map(({ curve }) => allocatedAt(curve, Number(load)));
    const allocatedAt130 = at('130');
    return {
      trace: trace.replace('openb:', ''),
      placement,
      ties,
      allocatedAt: Object.fromEntries(LOADS.map((load) => [load, round(mean(at(load)))])) as Row['allocatedAt'],
      sdAt130: round(Math.sqrt(mean(allocatedAt130.map((value) => (value - mean(allocatedAt130)) ** 2)))),
    };
  });
}

function allocatedAt(curve: ReplayOutcome['curve'], load: number): number {
  return curve.findLast((point) => point.loadPercent <= load)?.allocatedPercent ?? 0;
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}

function lineOf({ trace, placement, ties, allocatedAt: at }: Row, published: ReadonlyMap<string, number>): string {
  const peer = published.get(`${trace} ${PEERS[placement]?.published}`);
  const difference = peer === undefined ? '' : `  published ${peer.toFixed(2)}  ${(at['130'] - peer).toFixed(2)}`;
  const name = ties === 'random' ? `${placement} (random ties)` : placement;
  return `${trace.padEnd(12)}${name.padEnd(22)}${LOADS.map((load) => `@${load} ${at[load].toFixed(2)}`).join('  ')}${difference}`;
}

function peerBounds(rows: readonly Row[], published: ReadonlyMap<string, number>): Bound[] {
  return rows.flatMap(({ trace, placement, allocatedAt: at }) => {
    const peer = PEERS[placement];
    const value = published.get(`${trace} ${peer?.published}`);
    if (peer === undefined || value === undefined) return [];
    const figure = `${trace} ${placement}: distance from the published mean`;
    return [{ figure, value: Math.abs(at['130'] - value), max: peer.tolerance }];
  });
}

function tideBounds(rows: readonly Row[], published: ReadonlyMap<string, number>): Bound[] {
  return rows.flatMap(({ trace, placement, ties, allocatedAt: at }) => {
    if (placement !== 'tide') return [];
    const kept = (ties === 'rank' ? TIDE_MIN : TIDE_RANDOM_TIES_MIN)[trace] ?? {};
    const bounds: Bound[] = Object.entries(kept).map(([load, min]) => ({
      figure: `${trace} tide (ties by ${ties}) at ${load}`,
      value: at[load as Load],
      min,
    }));
    const fgd = published.get(`${trace} ${PEERS.fgd?.published}`);
    if (ties === 'random' || fgd === undefined) return bounds;
    return [...bounds, { figure: `${trace} tide less published fgd at 130`, value: at['130'] - fgd, min: 0 }];
  });
}
