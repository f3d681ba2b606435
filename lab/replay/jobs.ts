import type { TracePod } from '@springtide/adapters/traces';
import type { PolicyName } from '@springtide/core/placement';
import type { CurvePoint } from './curves.ts';
import { remainderOf, type Remainder } from './remainder.ts';
import { replay } from './run.ts';
import { loadTrace, orderOf, type OrderKind, type Trace, type TraceFiles } from './traces.ts';

/** One replay: a trace, a policy and a seed. Plain data, so that it can cross to another thread. */
export interface ReplayJob {
  readonly trace: TraceFiles;
  readonly placement: PolicyName;
  readonly seed: number;
  readonly ties: 'rank' | 'random';
  readonly withFragmentation: boolean;
}

export interface ReplayOutcome {
  readonly trace: string;
  readonly placement: PolicyName;
  readonly seed: number;
  readonly ties: 'rank' | 'random';
  readonly order: OrderKind;
  readonly machines: number;
  readonly cards: number;
  readonly decisions: number;
  readonly placed: number;
  readonly curve: readonly CurvePoint[];
  /** What a pod with one whole card usually asks for, in thousandths of a core. */
  readonly cpuOfCardMilli: number;
  /** Where the capacity is when all pods have arrived. */
  readonly remainder: readonly Remainder[];
  readonly microsecondsPerDecision: number;
  readonly machinesScoredPerDecision: number;
}

/** Runs jobs one after the other and keeps the trace of the last one, since jobs of a trace come in a row. */
export class JobRunner {
  #trace: Trace | null = null;

  /** Throws TraceError when the trace cannot be read. */
  run(job: ReplayJob): ReplayOutcome {
    const trace = this.#load(job.trace);
    const { kind, order } = orderOf(trace, job.seed);
    const result = replay({
      machines: trace.machines,
      pods: trace.pods,
      order,
      policy: job.placement,
      seed: job.seed,
      randomTies: job.ties === 'random',
      withFragmentation: job.withFragmentation,
      cpuMicros: threadCpuMicros,
    });
    const cpuOfCardMilli = usualCpuOfCard(trace.pods);
    return {
      trace: job.trace.name,
      placement: job.placement,
      seed: job.seed,
      ties: job.ties,
      order: kind,
      machines: trace.machines.length,
      cards: trace.cardCount,
      decisions: result.decisions,
      placed: result.placed,
      curve: result.curve,
      cpuOfCardMilli,
      remainder: remainderOf(result.book, cpuOfCardMilli),
      microsecondsPerDecision: result.microsecondsPerDecision,
      machinesScoredPerDecision: result.machinesScoredPerDecision,
    };
  }

  #load(files: TraceFiles): Trace {
    const { nodesFile, podsFile } = this.#trace?.files ?? {};
    if (this.#trace === null || nodesFile !== files.nodesFile || podsFile !== files.podsFile) {
      this.#trace = loadTrace(files);
    }
    return this.#trace;
  }
}

function threadCpuMicros(): number {
  const { user, system } = process.threadCpuUsage();
  return user + system;
}

/** The median CPU of pods with one whole card; of all pods with cards where there is none. 0 without either. */
export function usualCpuOfCard(pods: readonly TracePod[]): number {
  const whole = pods.filter(({ cardMilli, cardCount }) => cardCount === 1 && cardMilli === 1000);
  const some = whole.length > 0 ? whole : pods.filter(({ cardCount }) => cardCount > 0);
  const cpu = some.map(({ request, cardCount }) => request.cpuMilli / cardCount).toSorted((a, b) => a - b);
  return cpu[Math.floor(cpu.length / 2)] ?? 0;
}
