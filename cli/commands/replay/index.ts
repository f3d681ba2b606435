import type { Command } from 'commander';
import { isQueueTraceName } from '@springtide/lab/queues';
import { replayMany, loadTrace, type ReplayJob, type ReplayOutcome } from '@springtide/lab/replay';
import type { Language } from '@springtide/wire/messages';
import { answer, EXIT, languageOf, type ExitCode } from '../../terminal/index.ts';
import { replayReport } from './html.ts';
import { jsonLine } from './json.ts';
import { Progress } from './progress.ts';
import { replayQueues } from './queues.ts';
import { DEFAULT_QUEUES } from './queues-request.ts';
import {
  DEFAULT_PLACEMENTS,
  DEFAULT_SEEDS,
  list,
  requestOf,
  type ReplayOptions,
  type ReplayRequest,
} from './request.ts';
import { replaySample } from './sample.ts';
import { summariesOf } from './summary.ts';
import { replayTable } from './table.ts';
import { checkReportFolder, writeReport } from './write-report.ts';

export function define(command: Command): void {
  command
    .option(
      '--trace <names>',
      'traces between commas: of pods, as openb:default,openb:cpu250, or of jobs, as philly:ee9e8c',
    )
    .option('--nodes <file>', 'machines of a trace of your own, in the openb format; needs --pods')
    .option('--pods <file>', 'pods of a trace of your own, in the openb format; needs --nodes')
    .option('--sample', "a made-up day of work under Kubernetes' default and under tide; writes springtide-report.html")
    .option('--queue <names>', `queue policies of a job trace between commas, or all (default: ${DEFAULT_QUEUES})`)
    .option('--machines <count>', 'machines of 8 cards that a job trace waits for (default: as the trace says)')
    .option('--estimates', 'how good the waits are that jobs of a job trace are told, under fifo and greedy')
    .option('--placement <names>', `placement policies between commas, or all (default: ${DEFAULT_PLACEMENTS})`)
    .option('--seeds <seeds>', `such as 42-51 or 42,43 (default: ${DEFAULT_SEEDS})`)
    .option('--ties <kind>', 'how ties between machines are broken: rank or random (default: rank)')
    .option('--data <folder>', 'the folder with traces/ and cases/packing (default: ../shared)')
    .option('--json', 'one line of JSON for each trace, placement and seed, or trace and queue')
    .option('--html <file>', 'write the report to this file')
    .option('--lang <language>', 'en or zh (default: from the locale)')
    .action((options: ReplayOptions) => answer(() => run(options)));
}

async function run(options: ReplayOptions): Promise<ExitCode> {
  const language = languageOf(options.lang);
  if (options.sample === true) {
    replaySample(options, language);
    return EXIT.done;
  }
  if (isOfQueues(options)) {
    replayQueues(options, language);
    return EXIT.done;
  }
  const request = requestOf(options, language);
  if (options.html !== undefined) checkReportFolder(options.html, language);
  // Bad input is found before the work begins, in the order in which the traces were named.
  for (const trace of request.traces) loadTrace(trace);
  const outcomes = await replayAll(request, language, options.json === true);
  const summaries = summariesOf(outcomes);
  if (options.json !== true) process.stdout.write(replayTable(summaries, language));
  if (options.html !== undefined) writeReport(options.html, replayReport(summaries, language), language);
  return EXIT.done;
}

/** Job traces wait in queues; one that is named beside pod traces is refused as none of those. */
function isOfQueues({ queue, machines, estimates, trace }: ReplayOptions): boolean {
  return (
    queue !== undefined ||
    machines !== undefined ||
    estimates === true ||
    (trace !== undefined && list(trace).every(isQueueTraceName))
  );
}

async function replayAll(request: ReplayRequest, language: Language, isJson: boolean): Promise<ReplayOutcome[]> {
  const jobs = jobsOf(request);
  const progress = new Progress(jobs.length, language);
  const lines = new OrderedLines();
  const onDone = (outcome: ReplayOutcome, index: number, done: number): void => {
    if (isJson) lines.add(index, `${jsonLine(outcome)}\n`);
    progress.show(outcome, done);
  };
  const outcomes = await replayMany(jobs, { onDone });
  progress.clear();
  return outcomes;
}

/** Writes lines in the order of their numbers, each as soon as all before it are there. */
class OrderedLines {
  readonly #waiting = new Map<number, string>();
  #next = 0;

  add(index: number, line: string): void {
    this.#waiting.set(index, line);
    for (;;) {
      const next = this.#waiting.get(this.#next);
      if (next === undefined) return;
      process.stdout.write(next);
      this.#waiting.delete(this.#next);
      this.#next += 1;
    }
  }
}

/** Every combination, in the order asked for: trace, placement, seed. */
function jobsOf({ traces, placements, seeds, ties }: ReplayRequest): ReplayJob[] {
  return traces.flatMap((trace) =>
    placements.flatMap((placement) => seeds.map((seed) => ({ trace, placement, seed, ties, withFragmentation: true }))),
  );
}
