import { setTimeout as sleep } from 'node:timers/promises';
import {
  ApiError,
  type ControlPlane,
  type ObjectChange,
  ObjectWatch,
  startControlPlane,
} from '@springtide/testkit/controlplane';
import type { Contender, Patch, SeenWorkload, Stage } from './contender.ts';
import { Ledger, type Summary } from './ledger.ts';
import { type Plan, type PlannedQueue, queuesOf, type WorkloadClass, workloadsIn } from './plan.ts';

export interface Figures {
  readonly contender: string;
  readonly wallMs: number;
  readonly finished: number;
  readonly evictions: number;
  /** Between the first admission and the last. */
  readonly admissionsPerSecond: number;
  readonly byClass: { [kind: string]: Summary };
  readonly apiServerCpuMsPerWorkload: number;
  readonly etcdCpuMsPerWorkload: number;
  readonly cpuMsPerWorkload: number;
  readonly rssPeakMiB: number;
}

const CLASS_LABEL = 'bench.springtide.io/class';
const LOOK_MS = 250;
const TELL_MS = 30_000;
const AGAIN_MS = 20;

/** When a run is over: every workload is finished, or every workload is admitted. */
export type Until = 'finished' | 'admitted';

/** One contender on a control plane of its own, fresh and gone afterwards. */
export async function run(contender: Contender, plan: Plan, until: Until, timeoutMs: number): Promise<Figures> {
  const plane = await startControlPlane({ auditLevel: 'None' });
  try {
    await contender.furnish(plane, plan);
    return await new Run(plane, contender, plan, until).go(timeoutMs);
  } finally {
    await plane.stop();
  }
}

class Run {
  readonly #plane: ControlPlane;
  readonly #contender: Contender;
  readonly #plan: Plan;
  readonly #until: Until;
  readonly #ledger = new Ledger();
  readonly #kinds: ReadonlyMap<string, WorkloadClass>;
  /** Of what runs, by workload: it ends by itself unless it is evicted before. */
  readonly #ends = new Map<string, NodeJS.Timeout>();
  /** Each workload as it was last seen. */
  readonly #seen = new Map<string, SeenWorkload>();
  #failure: unknown = null;

  constructor(plane: ControlPlane, contender: Contender, plan: Plan, until: Until) {
    this.#plane = plane;
    this.#contender = contender;
    this.#plan = plan;
    this.#until = until;
    this.#kinds = new Map(plan.classes.map((kind) => [kind.name, kind]));
  }

  async go(timeoutMs: number): Promise<Figures> {
    const watch = new ObjectWatch(this.#plane, this.#contender.watched, (change) => this.#see(change));
    const watching = watch.run();
    const running = this.#contender.start(this.#plane);
    try {
      await sleep(3000);
      const before = await this.#plane.usage();
      const ownBeforeMs = (await running.usage()).cpuMs;
      const startMs = performance.now();
      await Promise.all([this.#makeAll(), this.#untilOver(startMs + timeoutMs)]);
      const wallMs = Math.round(performance.now() - startMs);
      const after = await this.#plane.usage();
      const used = (name: string): number => (after[name]?.cpuMs ?? 0) - (before[name]?.cpuMs ?? 0);
      const count = workloadsIn(this.#plan);
      const { cpuMs, rssPeakBytes } = await running.usage();
      return {
        contender: this.#contender.name,
        wallMs,
        finished: this.#ledger.finishedCount,
        evictions: this.#ledger.evictionsCount,
        admissionsPerSecond: this.#admissionsPerSecond(),
        byClass: this.#ledger.summaries(),
        apiServerCpuMsPerWorkload: rounded(used('kube-apiserver') / count),
        etcdCpuMsPerWorkload: rounded(used('etcd') / count),
        cpuMsPerWorkload: rounded((cpuMs - ownBeforeMs) / count),
        rssPeakMiB: Math.round(rssPeakBytes / 2 ** 20),
      };
    } finally {
      watch.end();
      await watching;
      await running.stop();
    }
  }

  #admissionsPerSecond(): number {
    const { admissionsCount, firstAdmittedAtMs, lastAdmittedAtMs } = this.#ledger;
    return rounded((admissionsCount - 1) / ((lastAdmittedAtMs - firstAdmittedAtMs) / 1000));
  }

  async #makeAll(): Promise<void> {
    const series = queuesOf(this.#plan).flatMap((queue) => this.#plan.classes.map((kind) => this.#make(queue, kind)));
    await Promise.all(series);
  }

  /** One after the other, each after its pause, as the harness does. Without pauses many at once. */
  async #make(queue: PlannedQueue, kind: WorkloadClass): Promise<void> {
    const makeOne = async (index: number): Promise<void> => {
      if (kind.everyMs > 0) await sleep(kind.everyMs);
      const made = this.#contender.workload(`${kind.name}-${index}`, queue, kind);
      const metadata = { ...made.metadata, labels: { [CLASS_LABEL]: kind.name } };
      await this.#plane.api.create(this.#contender.pathOf(queue), { ...made, metadata });
    };
    const indices = Array.from({ length: kind.count }, (_, index) => index);
    if (kind.everyMs === 0) await Promise.all(indices.map(makeOne));
    else for (const index of indices) await makeOne(index);
  }

  #see({ type, object }: ObjectChange): void {
    if (type === 'DELETED') return;
    const { namespace, name, labels } = object.metadata;
    const kind = this.#kinds.get(labels?.[CLASS_LABEL] ?? '');
    if (kind === undefined) return;
    const key = `${namespace}/${name}`;
    this.#seen.set(key, object);
    const begun = this.#ledger.see(key, kind.name, this.#contender.stageOf(object), performance.now());
    if (begun === null) return;
    clearTimeout(this.#ends.get(key));
    if (begun === 'evicted') this.#write(key, 'evicted', this.#contender.settle);
    if (begun === 'admitted') {
      const end = (): void => this.#write(key, 'admitted', this.#contender.finish);
      this.#ends.set(key, setTimeout(end, kind.runsMs).unref());
    }
  }

  /** As its controller would: on the newest state, and again if that was not the newest. */
  #write(key: string, stage: Stage, patchOf: (workload: SeenWorkload) => Patch | null): void {
    const workload = this.#seen.get(key);
    if (workload === undefined || this.#contender.stageOf(workload) !== stage) return;
    const patch = patchOf(workload);
    if (patch === null) return;
    this.#plane.api.patch(patch.path, patch.body).catch((error: unknown) => {
      if (error instanceof ApiError && error.status === 409)
        setTimeout(() => this.#write(key, stage, patchOf), AGAIN_MS);
      else this.#failure ??= error;
    });
  }

  async #untilOver(endMs: number): Promise<void> {
    const count = workloadsIn(this.#plan);
    let toldMs = performance.now();
    for (;;) {
      await sleep(LOOK_MS);
      if (this.#failure !== null) throw this.#failure;
      const { finishedCount, admissionsCount } = this.#ledger;
      if ((this.#until === 'finished' ? finishedCount : admissionsCount) >= count) return;
      if (performance.now() > endMs) return;
      if (performance.now() - toldMs < TELL_MS) continue;
      toldMs = performance.now();
      console.log(`  ${this.#contender.name}: ${admissionsCount} admissions, ${finishedCount} of ${count} finished`);
    }
  }
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}
