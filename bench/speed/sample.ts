import { findTrace, loadTrace, orderOf, replay } from '@springtide/lab/replay';
import type { Machine } from '@springtide/core/model';

/** What one fresh process measured. */
export interface SpeedSample {
  readonly machines: number;
  readonly decisions: number;
  readonly microsPerDecision: number;
  /** The same replay again in the same process, compiled. */
  readonly warmMicrosPerDecision: number;
  readonly machinesScoredPerDecision: number;
}

const SEED = 42;
const WARM_UPS = 3;

function copyOf(machine: Machine, copy: number): Machine {
  const id = `${machine.id}-${copy}`;
  return { ...machine, id, cards: machine.cards.map((card, index) => ({ ...card, id: `${id}/${index}` })) };
}

function cpuMicros(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

function measure(data: string, copies: number): SpeedSample {
  const files = findTrace(data, 'openb:default');
  if (files === null) throw new Error(`no trace openb:default in ${data}`);
  const trace = loadTrace(files);
  const { order } = orderOf(trace, SEED);
  const range = Array.from({ length: copies }, (_, copy) => copy);
  const machines = range.flatMap((copy) => trace.machines.map((machine) => copyOf(machine, copy)));
  const input = {
    machines,
    pods: trace.pods,
    order: range.flatMap(() => order),
    policy: 'tide' as const,
    seed: SEED,
    randomTies: false,
    withFragmentation: false,
    cpuMicros,
  };
  const fresh = replay(input);
  let warm = fresh;
  for (let i = 0; i < WARM_UPS; i += 1) warm = replay(input);
  return {
    machines: machines.length,
    decisions: fresh.decisions,
    microsPerDecision: fresh.microsecondsPerDecision,
    warmMicrosPerDecision: warm.microsecondsPerDecision,
    machinesScoredPerDecision: fresh.machinesScoredPerDecision,
  };
}

const [data = '../shared', copies = '1'] = process.argv.slice(2);
console.log(JSON.stringify(measure(data, Number(copies))));
