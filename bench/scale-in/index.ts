import { type ControlPlane, startControlPlane } from '@springtide/testkit/controlplane';
import { type Bound, holds, writeResult } from '../report.ts';
import { speedOf, type ScaleInSpeed } from './speed.ts';
import { type Layout, layoutOf } from './layouts.ts';
import type { FreeCards } from './cluster.ts';
import { runScaleIn, type ScaleInRun } from './run.ts';
import { startWebhook, STEERED } from './webhook.ts';

const SEEDS = Array.from({ length: 30 }, (_, i) => 1 + i);
/** Layouts on the control plane at once. */
const AT_ONCE = 3;
const TIMES_DEFAULT_MIN = 1.5;
const CHOICE_MS_MAX = 50;

interface Pair {
  readonly layout: Layout;
  readonly usual: ScaleInRun;
  readonly ours: ScaleInRun;
}

/** Scale-in by the real ReplicaSet controller: its own order, then with our choice, on the same layouts (issue 5, line 4). */
export async function scaleIn(): Promise<boolean> {
  const layouts = SEEDS.map(layoutOf);
  const plane = await startControlPlane({ onProgress: (line) => console.log(line), auditLevel: 'None' });
  try {
    const usual = await runAll(plane, layouts, {});
    const webhook = await startWebhook(plane);
    const ours = await runAll(plane, layouts, STEERED);
    await webhook.stop();
    const pairs = layouts.map((layout, i) => ({ layout, usual: usual[i] as ScaleInRun, ours: ours[i] as ScaleInRun }));
    return report(pairs, speedOf(500));
  } finally {
    await plane.stop();
  }
}

async function runAll(
  plane: ControlPlane,
  layouts: readonly Layout[],
  labels: Readonly<Record<string, string>>,
): Promise<ScaleInRun[]> {
  const runs: ScaleInRun[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    for (let i = next++; i < layouts.length; i = next++)
      runs[i] = await runScaleIn(plane, layouts[i] as Layout, labels);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return runs;
}

function report(pairs: readonly Pair[], speed: ScaleInSpeed): boolean {
  for (const pair of pairs) console.log(lineOf(pair));
  const whole = pairs.filter(({ layout }) => layout.asks.parts === 1);
  const sliced = pairs.filter(({ layout }) => layout.asks.parts > 1);
  const { usual, ours, times } = totalOf('together', pairs);
  const byKind = { whole: totalOf('whole cards', whole), sliced: totalOf('parts of cards', sliced) };
  const answeredMs = pairs.map((pair) => pair.ours.answeredMs);
  console.log(`a scale request is answered within ${Math.max(...answeredMs)} ms`);
  console.log(
    `a choice among ${speed.replicas} replicas: ${speed.medianMs.toFixed(1)} ms, at most ${speed.maxMs.toFixed(1)} ms`,
  );
  writeResult('scale-in', { usual, ours, times, byKind, speed, layouts: pairs.map(resultOf) });
  return holds(boundsOf(pairs, times, speed));
}

interface Total {
  readonly usual: FreeCards;
  readonly ours: FreeCards;
  /** Cards and machines together: ours by theirs. */
  readonly times: number;
}

function totalOf(name: string, pairs: readonly Pair[]): Total {
  const sum = (runs: readonly ScaleInRun[]): FreeCards => ({
    cards: runs.reduce((total, { freed }) => total + freed.cards, 0),
    machines: runs.reduce((total, { freed }) => total + freed.machines, 0),
  });
  const usual = sum(pairs.map((pair) => pair.usual));
  const ours = sum(pairs.map((pair) => pair.ours));
  const times = (ours.cards + ours.machines) / (usual.cards + usual.machines);
  const text = ({ cards, machines }: FreeCards): string => `${cards} cards ${machines} machines`;
  console.log(`${name.padEnd(15)}${pairs.length} layouts: ${text(usual)} | ${text(ours)}: ${times.toFixed(2)} times`);
  return { usual, ours, times };
}

function resultOf({ layout, usual, ours }: Pair): object {
  const { seed, asks, machines, replicas, others, to } = layout;
  const wrong = ours.deleted.filter((name) => !ours.chosen.includes(name)).length;
  return {
    seed,
    asks,
    machines,
    replicas: replicas.length,
    others: others.length,
    to,
    usual: usual.freed,
    ours: ours.freed,
    notChosen: wrong,
    answeredMs: ours.answeredMs,
  };
}

function lineOf({ layout, usual, ours }: Pair): string {
  const { seed, asks, replicas, to } = layout;
  const what = asks.parts > 1 ? `1/${asks.parts} card` : `${asks.cards} cards`;
  const freed = ({ freed: { cards, machines } }: ScaleInRun): string => `${cards} cards ${machines} machines`;
  const isAsChosen = ours.chosen.join() === ours.deleted.join();
  return `${String(seed).padStart(2)} ${what.padEnd(9)}${replicas.length} -> ${to}: ${freed(usual)} | ${freed(ours)}${isAsChosen ? '' : ' NOT AS CHOSEN'}`;
}

function boundsOf(pairs: readonly Pair[], times: number, speed: ScaleInSpeed): Bound[] {
  const count = (is: (pair: Pair) => boolean): number => pairs.filter(is).length;
  return [
    { figure: 'layouts', value: pairs.length, min: SEEDS.length },
    {
      figure: 'layouts in which others than the chosen were deleted',
      value: count(({ ours }) => ours.chosen.join() !== ours.deleted.join()),
      max: 0,
    },
    {
      figure: 'layouts with fewer whole machines',
      value: count(({ ours, usual }) => ours.freed.machines < usual.freed.machines),
      max: 0,
    },
    {
      figure: "cards and machines freed, times those of Kubernetes' own order",
      value: times,
      min: TIMES_DEFAULT_MIN,
    },
    { figure: 'ms for a choice among 500 replicas, median', value: speed.medianMs, max: CHOICE_MS_MAX },
  ];
}
