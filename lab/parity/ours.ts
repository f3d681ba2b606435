import { systemClock } from '@springtide/adapters/clock';
import { parseDump } from '@springtide/adapters/kubernetes';
import { readKubeconfig } from '@springtide/adapters/kubernetes/client';
import { KubernetesCluster } from '@springtide/adapters/kubernetes/cluster';
import { mulberry32 } from '@springtide/core/base';
import type { Pod } from '@springtide/core/model';
import { feasibleMachines, Placer, standingOf, Tide } from '@springtide/core/placement';
import { Scheduler } from '@springtide/core/scheduler';
import { Book, fillBook } from '@springtide/core/state';
import type { ClusterEvent } from '@springtide/ports/cluster';
import { Translator } from '@springtide/services/scheduler';

/** What our engine answers about the pods of one cluster. */
export class OurVerdicts {
  readonly #placer: Placer;
  readonly #pods: ReadonlyMap<string, Pod>;

  constructor(placer: Placer, pods: readonly Pod[]) {
    this.#placer = placer;
    this.#pods = new Map(pods.map((pod) => [pod.id, pod]));
  }

  /** Machines that can take the pod now. */
  feasible(pod: string): ReadonlySet<string> {
    const noun = this.#pods.get(pod);
    if (noun === undefined) return new Set();
    const { machines } = this.#placer.book;
    return new Set(feasibleMachines(this.#placer, noun).map((machine) => machines[machine]?.id ?? ''));
  }

  /** Everything that keeps the pod off a machine, by filter, in words of ours. */
  why(pod: string, machine: string): readonly string[] {
    const noun = this.#pods.get(pod);
    if (noun === undefined) return ['unreadable'];
    const { obstacles } = standingOf(this.#placer, noun, this.#placer.book.machineOf(machine));
    return obstacles.map(({ filter, resource }) => (resource === '' ? filter : `${filter} ${resource}`));
  }
}

/** The way of the scheduler service: watches, nouns, events, the scheduler's own world. */
export async function liveVerdicts(kubeconfig: string, schedulerName: string): Promise<OurVerdicts> {
  const events = await eventsOf(kubeconfig);
  const scheduler = new Scheduler();
  scheduler.observe(new Translator(schedulerName).translate(events));
  const waiting = [...scheduler.world.pods.values()].filter(({ machine, isOurs }) => machine === null && isOurs);
  const { placer } = scheduler.world;
  if (placer === null) throw new Error('the cluster has no machine');
  return new OurVerdicts(
    placer,
    waiting.map(({ pod }) => pod),
  );
}

/** Everything that the cluster shows of itself at first. */
async function eventsOf(kubeconfig: string): Promise<ClusterEvent[]> {
  const config = readKubeconfig({ path: kubeconfig });
  if (!config.ok) throw new Error(config.error.message);
  const cluster = new KubernetesCluster({
    config: config.value,
    clock: systemClock,
    random: mulberry32(1),
    controller: 'springtide.io/parity',
    schedulerName: 'springtide',
    holder: 'parity',
    lease: { namespace: 'default', name: 'parity' },
  });
  try {
    cluster.start();
    const events: ClusterEvent[] = [];
    while (!events.some(({ kind }) => kind === 'synced')) {
      const ready = Promise.withResolvers<void>();
      const undo = cluster.view.onReady(ready.resolve);
      const taken = cluster.view.take(4096);
      events.push(...taken);
      if (taken.length === 0) await ready.promise;
      undo();
    }
    return events;
  } finally {
    await cluster.stop();
  }
}

/** The way of `springtide place` and `explain`: a dump of nodes and pods, as kubectl prints it. */
export function dumpVerdicts(dump: string): OurVerdicts {
  const read = parseDump([['dump.json', Buffer.from(dump)]]);
  if (!read.ok) throw new Error(`${read.error.path}: ${read.error.expected}`);
  const { machines, pods } = read.value;
  const book = new Book(machines);
  fillBook(book, pods);
  const placer = new Placer({ book, policy: new Tide(book) });
  return new OurVerdicts(
    placer,
    pods.filter(({ machine }) => machine === null).map(({ pod }) => pod),
  );
}
