import { admission } from './admission/index.ts';
import { estimate } from './estimate/index.ts';
import { failover } from './failover/index.ts';
import { gangs } from './gangs/index.ts';
import { inspect } from './inspect/index.ts';
import { openbCluster } from './openb-cluster/index.ts';
import { kueue } from './kueue/index.ts';
import { packing } from './packing/index.ts';
import { parity } from './parity/index.ts';
import { queues } from './queues/index.ts';
import { scaleIn } from './scale-in/index.ts';
import { scheduler, schedulerLarge } from './scheduler/index.ts';
import { slices } from './slices/index.ts';
import { slicesCluster } from './slices-cluster/index.ts';
import { speed } from './speed/index.ts';

/** A benchmark runs by hand, prints its table, writes `results/<name>.json` and says whether its bounds hold. */
type Benchmark = (data: string) => Promise<boolean>;

const BENCHMARKS: Readonly<Record<string, { readonly about: string; readonly run: Benchmark }>> = {
  admission: { about: 'admissions a second of CPU, 50,000 jobs queued in 1,000 queues (5 min)', run: admission },
  estimate: { about: 'waits told at 10,000 queued jobs: CPU of an answer, and of the outlook (1 min)', run: estimate },
  failover: {
    about: 'a killed leader with 1,000 pods in flight, 20 times, on a real API server (10 min)',
    run: failover,
  },
  gangs: {
    about: "200 gangs on a real API server, beside kube-scheduler's own (5 min; not beside other work)",
    run: gangs,
  },
  inspect: { about: 'inspect on a dump of 5,000 machines and 50,000 pods (1 min)', run: inspect },
  kueue: {
    about: "Kueue's published baseline on a real API server, beside Kueue v0.17 (20 min; not beside other work)",
    run: kueue,
  },
  'openb-cluster': { about: 'openb through a real API server against the engine alone (5 min)', run: openbCluster },
  packing: {
    about: '17 public traces x all policies x 10 seeds against the published means (10 to 20 min)',
    run: packing,
  },
  parity: {
    about: 'feasible by us exactly where by kube-scheduler, on a real control plane (2 to 5 min)',
    run: parity,
  },
  queues: {
    about: 'three slices of the Philly trace under every queue policy, against an independent replay (2 min)',
    run: queues,
  },
  'scale-in': {
    about: '30 layouts through the real ReplicaSet controller, against its own order (10 min)',
    run: scaleIn,
  },
  scheduler: { about: 'beside kube-scheduler on a real API server, five times each (15 min)', run: scheduler },
  'scheduler-large': { about: 'the same once at 5,000 machines and 50,000 pods (20 min)', run: schedulerLarge },
  slices: { about: "slices in MiB: tide against HAMi's rules and an upper bound (1 min)", run: slices },
  'slices-cluster': {
    about:
      "openb's slices on HAMi nodes through a real API server against the engine alone; slices under kills (8 min)",
    run: slicesCluster,
  },
  speed: { about: 'CPU per decision in fresh processes, at 1,213 and 12,130 machines (1 min)', run: speed },
};

const [name = '', data = '../shared'] = process.argv.slice(2);
const benchmark = BENCHMARKS[name];
if (benchmark === undefined) {
  const lines = Object.entries(BENCHMARKS).map(([key, { about }]) => `  ${key.padEnd(17)}${about}`);
  console.error(['usage: npm run bench -- NAME [DATA]   (DATA: ../shared)', ...lines].join('\n'));
  process.exitCode = 2;
} else if (!(await benchmark.run(data))) process.exitCode = 1;
