import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Bound, holds, median, writeResult } from '../report.ts';
import type { SpeedSample } from './sample.ts';

const RUNS = 5;
const COPIES = [1, 10] as const;
const MICROS_MAX = 10;

/** What the program sets for its own process: in its first line, and in the file it reads first. */
const engineFlags = new URL('../../cli/engine-flags.js', import.meta.url).href;
const program = new URL('../../cli/springtide.js', import.meta.url);
const startFlags = (readFileSync(program, 'utf8').split('\n')[0] ?? '')
  .split(' ')
  .filter((word) => word.startsWith('--'));

function sample(data: string, copies: number): SpeedSample {
  const script = fileURLToPath(new URL('sample.ts', import.meta.url));
  return JSON.parse(
    execFileSync(process.execPath, [...startFlags, '--import', engineFlags, script, data, String(copies)], {
      encoding: 'utf8',
    }),
  ) as SpeedSample;
}

/** CPU per decision (P8): `process.cpuUsage` over one replay in a fresh process, the median of five. */
export function speed(data: string): Promise<boolean> {
  const rows = COPIES.map((copies) => {
    const samples = Array.from({ length: RUNS }, () => sample(data, copies));
    const micros = samples.map(({ microsPerDecision }) => microsPerDecision);
    const warm = samples.map(({ warmMicrosPerDecision }) => warmMicrosPerDecision);
    const [{ machines, decisions, machinesScoredPerDecision }] = samples as [SpeedSample];
    return { machines, decisions, machinesScoredPerDecision, micros, median: median(micros), warmMedian: median(warm) };
  });
  for (const { machines, decisions, median: fresh, warmMedian, machinesScoredPerDecision } of rows) {
    const scored = machinesScoredPerDecision.toFixed(1);
    console.log(
      `${machines} machines, ${decisions} decisions: ${fresh.toFixed(2)} us fresh, ${warmMedian.toFixed(2)} us warm, ${scored} machines scored a decision`,
    );
  }
  writeResult('speed', { runs: RUNS, rows });
  const bounds: Bound[] = rows.map(({ machines, median: value }) => ({
    figure: `microseconds a decision at ${machines} machines, fresh process`,
    value,
    max: MICROS_MAX,
  }));
  return Promise.resolve(holds(bounds));
}
