import { Space, until } from '@springtide/testkit/controlplane/fixtures';
import type { ControlPlane } from '@springtide/testkit/controlplane';
import { brokenAlways, brokenAtRest, readState } from '@springtide/testkit/invariants';
import { expect, onTestFinished } from 'vitest';
import { Replica, type ReplicaOptions } from './replica.ts';

/** Everything has to be well again within this time, on a machine that is busy with other things too. */
const CALM_MS = 120_000;

/** One test's part of a real cluster, its schedulers, and the invariants that are read from the API server. */
export class Stage {
  readonly plane: ControlPlane;
  readonly space: Space;
  readonly schedulerName: string;

  private constructor(plane: ControlPlane, space: Space) {
    this.plane = plane;
    this.space = space;
    this.schedulerName = `faults-${space.id}`;
  }

  static async forTest(plane: ControlPlane): Promise<Stage> {
    const stage = new Stage(plane, await Space.open(plane));
    onTestFinished(() => stage.space.close());
    return stage;
  }

  /** A replica that leads. */
  async leader(options: Partial<ReplicaOptions> = {}): Promise<Replica> {
    const replica = await Replica.leading(this.plane, { schedulerName: this.schedulerName, ...options });
    onTestFinished(() => replica.stop());
    return replica;
  }

  /** A replica, leading or not. */
  async follower(options: Partial<ReplicaOptions> = {}): Promise<Replica> {
    const replica = await Replica.start(this.plane, { schedulerName: this.schedulerName, holder: 'b', ...options });
    onTestFinished(() => replica.stop());
    return replica;
  }

  async addPods(count: number, cards: number, prefix = 'p'): Promise<string[]> {
    const names = Array.from({ length: count }, (_, index) => `${prefix}${index}`);
    await Promise.all(names.map((name) => this.space.addPod(name, { cards, schedulerName: this.schedulerName })));
    return names;
  }

  async boundCount(): Promise<number> {
    return (await this.space.pods()).filter((pod) => pod.spec.nodeName !== undefined).length;
  }

  async untilBound(count: number): Promise<void> {
    await until(`${count} pods are bound`, async () => (await this.boundCount()) >= count, CALM_MS);
  }

  /** What a pod that waits is told, once it is told something. */
  async verdictOn(name: string): Promise<string> {
    const pod = await this.space.untilPod(name, ({ status }) => (status.conditions ?? []).length > 0);
    expect(pod.spec.nodeName).toBe(undefined);
    return pod.status.conditions[0].message;
  }

  async expectNothingBroken(): Promise<void> {
    expect(brokenAlways(await readState(this.plane, this.space))).toEqual([]);
  }

  /** I1, I2, I3, I5, I6 and I10, as the API server tells: the first and the last at once, the others before long. */
  async expectCalm(): Promise<void> {
    let broken: string[] = [];
    const look = async (): Promise<boolean> => {
      const state = await readState(this.plane, this.space);
      expect(brokenAlways(state)).toEqual([]);
      broken = brokenAtRest(state, this.schedulerName);
      return broken.length === 0;
    };
    await until('nothing is broken', look, CALM_MS).catch((error: unknown) => {
      expect(broken).toEqual([]);
      throw error;
    });
  }
}
