import { setTimeout as sleep } from 'node:timers/promises';
import { mulberry32, type Random } from '@springtide/core/base';
import { type ControlPlane, type ObjectChange, ObjectWatch } from '@springtide/testkit/controlplane';
import { type Space, until } from '@springtide/testkit/controlplane/fixtures';
import { SliceLedger } from '@springtide/testkit/invariants';
import { type SchedulerProcess, startSchedulerProcess } from '../faults/scheduler-process.ts';
import type { NodeObject } from './api-objects.ts';
import { type AgentNodes, NodeAgents } from './node-agents.ts';
import { PLUGIN_VENDORS, type PluginVendor } from './vendors.ts';

export interface ChurnPlan {
  readonly seed: number;
  readonly pods: number;
  readonly nodesPerVendor: number;
  readonly cardsPerNode: number;
  /** Pods that are there at once. */
  readonly podsAtOnce: number;
  /** How often the scheduler and the plug-ins are killed, evenly over the pods. */
  readonly schedulerKills: number;
  readonly pluginKills: number;
}

export interface ChurnFigures {
  /** Pods that ran; that were deleted before they did; that a plug-in killed on the way left without cards. */
  readonly ran: number;
  readonly deletedEarly: number;
  readonly failed: number;
  /** Plug-ins that took one pod for another. */
  readonly mistaken: number;
  /** Cards beyond their MiB, cores or slots, at any moment: the first sentences. */
  readonly broken: readonly string[];
  readonly changesRead: number;
  readonly memoryPercentMax: number;
  /** Nodes with a lock, and pods that hold or want something, in the end. */
  readonly locksLeft: readonly string[];
  readonly stuck: readonly string[];
  readonly seconds: number;
  readonly podsPerSecond: number;
}

const RUN_MS_MAX = 3000;
const END_MS = 180_000;
const CREATED_AT_ONCE = 16;

/**
 * Sliced pods of five vendors come and go on nodes with their kubelets and plug-ins, while the scheduler and the plug-ins
 * are killed; an outside reader follows every change.
 */
export class Churn {
  readonly #plane: ControlPlane;
  readonly #space: Space;
  readonly #plan: ChurnPlan;
  readonly #random: Random;
  readonly #schedulerName: string;
  #groups: readonly AgentNodes[] = [];
  #agents: NodeAgents | null = null;
  #scheduler: SchedulerProcess | null = null;
  /** Pods that are there, by name: whether they have run. */
  readonly #live = new Map<string, boolean>();
  #made = 0;
  readonly #counts = { ran: 0, deletedEarly: 0, failed: 0, mistaken: 0 };

  constructor(plane: ControlPlane, space: Space, plan: ChurnPlan) {
    this.#plane = plane;
    this.#space = space;
    this.#plan = plan;
    this.#random = mulberry32(plan.seed);
    this.#schedulerName = `churn-${space.id}`;
  }

  async run(): Promise<ChurnFigures> {
    this.#groups = await this.#addNodes();
    await this.#startAgents();
    const ledger = new SliceLedger(await this.#nodes());
    const watch = new ObjectWatch(this.#plane, `${this.#space.path}/pods`, (change) => {
      ledger.see(change);
      this.#see(change);
    });
    const watching = watch.run();
    const startMs = performance.now();
    try {
      this.#startScheduler();
      await this.#makeAll();
      await until('all pods have come and gone', async () => this.#live.size === 0, END_MS).catch(() => {});
      const seconds = (performance.now() - startMs) / 1000;
      const [locksLeft, stuck] = [await this.#locksLeft(), [...this.#live.keys()]];
      const { broken, changes: changesRead, memoryPercentMax } = ledger;
      const told = { broken, changesRead, memoryPercentMax: Math.round(memoryPercentMax), locksLeft, stuck };
      this.#counts.mistaken += this.#agents?.counts.mistaken ?? 0;
      return { ...this.#counts, ...told, seconds, podsPerSecond: this.#counts.ran / seconds };
    } finally {
      this.#scheduler?.kill();
      await this.#agents?.kill();
      watch.end();
      await watching;
    }
  }

  async #addNodes(): Promise<AgentNodes[]> {
    const { nodesPerVendor, cardsPerNode } = this.#plan;
    const groups: AgentNodes[] = [];
    for (const vendor of PLUGIN_VENDORS) {
      const nodes = await this.#space.addNodes(nodesPerVendor, { isPlayed: false });
      groups.push({ vendor, nodes, cardsPerNode });
    }
    return groups;
  }

  async #nodes(): Promise<NodeObject[]> {
    const names = this.#groups.flatMap(({ nodes }) => nodes);
    return Promise.all(names.map((name) => this.#plane.api.get(`/api/v1/nodes/${name}`)));
  }

  async #startAgents(): Promise<void> {
    this.#counts.mistaken += this.#agents?.counts.mistaken ?? 0;
    this.#agents = await NodeAgents.start(this.#plane, this.#groups);
  }

  #startScheduler(): void {
    this.#scheduler = startSchedulerProcess(this.#plane, this.#schedulerName);
  }

  /** Makes pods as room for them comes, and kills on the way. */
  async #makeAll(): Promise<void> {
    const { pods, podsAtOnce, schedulerKills, pluginKills } = this.#plan;
    const killsAt = (kills: number, index: number): boolean => isOneOf(index, kills, pods);
    while (this.#made < pods) {
      const first = this.#made;
      const count = Math.min(CREATED_AT_ONCE, pods - first, podsAtOnce - this.#live.size);
      if (count <= 0) {
        await sleep(50);
        continue;
      }
      await Promise.all(Array.from({ length: count }, () => this.#makePod()));
      for (let index = first; index < this.#made; index += 1) {
        if (killsAt(schedulerKills, index)) this.#killScheduler();
        if (killsAt(pluginKills, index)) await this.#killAgents();
      }
    }
  }

  #killScheduler(): void {
    this.#scheduler?.kill();
    this.#startScheduler();
  }

  async #killAgents(): Promise<void> {
    await this.#agents?.kill();
    await sleep(1000);
    await this.#startAgents();
  }

  async #makePod(): Promise<void> {
    const name = `p${String((this.#made += 1)).padStart(5, '0')}`;
    const vendor = PLUGIN_VENDORS[this.#random.below(PLUGIN_VENDORS.length)] as PluginVendor;
    const containers = Array.from({ length: this.#random.below(8) === 0 ? 2 : 1 }, (_, index) =>
      containerOf(vendor, index, this.#random),
    );
    const isDeletedEarly = this.#random.below(20) === 0;
    this.#live.set(name, false);
    await this.#space.addPod(name, { schedulerName: this.#schedulerName, spec: { containers } });
    if (isDeletedEarly) void sleep(this.#random.below(500)).then(() => this.#delete(name));
  }

  /** A pod that runs goes after a while; one that was left without cards at once. */
  #see({ type, object: { metadata, status } }: ObjectChange): void {
    const { name } = metadata;
    if (type === 'DELETED') {
      if (this.#live.get(name) === false) this.#counts.deletedEarly += 1;
      this.#live.delete(name);
      return;
    }
    const { phase } = status;
    if (this.#live.get(name) !== false || (phase !== 'Running' && phase !== 'Failed')) return;
    this.#live.set(name, true);
    if (phase === 'Running') this.#counts.ran += 1;
    else this.#counts.failed += 1;
    const runMs = phase === 'Running' ? this.#random.below(RUN_MS_MAX) : 0;
    void sleep(runMs).then(() => this.#delete(name));
  }

  #delete(name: string): Promise<void> {
    return this.#plane.api.delete(`${this.#space.path}/pods/${name}`, { gracePeriodSeconds: 0 });
  }

  /** Locks, once whoever clears them away has had the time for it. */
  async #locksLeft(): Promise<string[]> {
    let left: string[] = [];
    const look = async (): Promise<boolean> => {
      const nodes = await this.#nodes();
      left = nodes.flatMap(({ metadata }) =>
        [...new Set(PLUGIN_VENDORS.map(({ lock }) => lock))].flatMap((lock) => {
          const value = metadata.annotations?.[lock];
          return value === undefined ? [] : [`${metadata.name}: ${value}`];
        }),
      );
      return left.length === 0;
    };
    await until('no lock is left', look, 60_000).catch(() => {});
    return left;
  }
}

/** Whether a kill belongs behind the pod of this number: the kills part the pods evenly. */
function isOneOf(index: number, kills: number, pods: number): boolean {
  const each = Math.floor(pods / (kills + 1));
  return kills > 0 && index > 0 && index % each === 0 && index / each <= kills;
}

const SHARES = [1, 1, 2, 2, 3, 4, 8] as const;

/** A share in eighths of a card, in memory and cores alike. */
function containerOf(vendor: PluginVendor, index: number, random: Random): object {
  const eighths = SHARES[random.below(SHARES.length)] as number;
  const memoryMiB = Math.floor((vendor.cardMiB * eighths) / 8);
  const limits = { ...vendor.ask(memoryMiB, Math.floor((100 * eighths) / 8)), cpu: '100m', memory: '64Mi' };
  return { name: `c${index}`, image: 'none.invalid/none', resources: { limits, requests: limits } };
}
