import { makeSample, runDay, SAMPLE_SEED, type DayResult } from '@springtide/lab/sample';
import { message, type Language } from '@springtide/wire/messages';
import { BadInput } from '../../terminal/index.ts';
import type { ReplayOptions } from './request.ts';
import { sampleReport } from './sample-html.ts';
import { BUSY_MS, sampleText, type SampleDay } from './sample-words.ts';
import { parseSeeds } from './seeds.ts';
import { checkReportFolder, writeReport } from './write-report.ts';

const REPORT = 'springtide-report.html';

/** Options that mean nothing for the sample; silence would mislead. */
const FOREIGN = ['trace', 'queue', 'machines', 'nodes', 'pods', 'placement', 'ties', 'data'] as const;

/** Replays the sample day under Kubernetes' default and under ours, prints the difference, and writes the report. */
export function replaySample(options: ReplayOptions, language: Language): void {
  const foreign = FOREIGN.find((option) => options[option] !== undefined);
  if (foreign !== undefined) throw new BadInput(message(language, 'replay.bad.sampleOption', { option: foreign }));
  const seeds = parseSeeds(options.seeds ?? String(SAMPLE_SEED), language);
  if (seeds.length !== 1) throw new BadInput(message(language, 'replay.bad.oneSeed'));
  const report = options.html ?? REPORT;
  checkReportFolder(report, language);
  const sample = makeSample(seeds[0]);
  const day: SampleDay = {
    sample,
    theirs: runDay(sample, { placement: 'spread', remainderAtMs: BUSY_MS }),
    ours: runDay(sample, { placement: 'tide', remainderAtMs: BUSY_MS }),
  };
  if (options.json === true) {
    process.stdout.write([day.theirs, day.ours].map((result) => `${dayLine(sample.seed, result)}\n`).join(''));
    if (options.html === undefined) return;
  } else process.stdout.write(sampleText(day, language));
  writeReport(report, sampleReport(day, language), language);
}

/** The day under one policy as one line of JSON. */
function dayLine(seed: number, { placement, points, remainder, ...figures }: DayResult): string {
  const quarters = points.map(({ atMs, ...point }) => ({ minute: atMs / 60_000, ...point }));
  return JSON.stringify({ trace: 'sample', placement, seed, ...figures, points: quarters, remainder });
}
