import { err, ok } from '@springtide/core/base';
import type { Replica } from '@springtide/core/scale-in';
import { type ClusterEvent, clusterFailure, type ClusterView } from '@springtide/ports/cluster';
import type { MarkAnswer, MarkOrder, ReplicaPod, Replicas, ReplicaSet } from '@springtide/ports/replicas';
import { aClusterPod, aMachine, aPod, aRequest, PRODUCTS } from '@springtide/testkit/builders';
import { VirtualClock } from '@springtide/testkit/clock';
import { replicasConformance } from '@springtide/testkit/conformance/replicas';
import { describe, expect, test } from 'vitest';
import { KnownFleet, ScaleIn, scaleInWarnings, Sweeper } from './index.ts';
import { BUDGET, type ScaleInOutcome } from './scale-in.ts';
import { GIVEN_UP_MS, SETTLED_MS } from './sweeper.ts';

/** An API server with one ReplicaSet `t/x-1` of a Deployment `t/x`, and the watches that show it. */
class Stage implements Replicas {
  readonly clock = new VirtualClock();
  readonly writes: MarkOrder[] = [];
  readonly #pods = new Map<string, ReplicaPod>();
  readonly #events: ClusterEvent[] = [];
  #listener: () => void = () => {};
  sets: ReplicaSet[] = [{ uid: 'rs', namespace: 't', name: 'x-1', replicas: 0, selector: 'app' }];
  /** How long a write takes, and what is answered. */
  writeMs = 0;
  refusal: MarkAnswer | null = null;
  isReadable = true;
  readonly view: ClusterView;
  readonly fleet: KnownFleet;
  readonly scaleIn: ScaleIn;

  /** Replicas by machine: `aaab` are three on a and one on b. */
  constructor(places: string, isSynced = true) {
    this.view = {
      take: (max) => this.#events.splice(0, max),
      onReady: (listener) => {
        this.#listener = listener;
        return () => {};
      },
      freshness: () => ({ isSynced, watches: [] }),
      refresh: () => Promise.resolve(),
    };
    for (const id of new Set(places))
      this.#events.push({ kind: 'machine-seen', machine: aMachine(id).cards(PRODUCTS.t4, 8).build() });
    places.split('').forEach((machine, i) => this.#add(`p${i}`, machine));
    if (isSynced) this.#events.push({ kind: 'synced' });
    this.sets = this.sets.map((set) => ({ ...set, replicas: places.length }));
    this.fleet = new KnownFleet(this.view, this.clock);
    this.scaleIn = new ScaleIn({ replicas: this, fleet: this.fleet, clock: this.clock });
  }

  #add(name: string, machine: string): void {
    const pod = aPod(`t/${name}`).inNamespace('t').replicaOf('t/x', 9).asking(aRequest().whole(1)).build();
    const times = { createdAtMs: 1, readySinceMs: 1, restarts: 0 };
    const replica: Replica = { pod, uid: name, machine, phase: 'Running', isReady: true, cost: null, ...times };
    this.put({ ref: { uid: name, namespace: 't', name }, resourceVersion: '1', replica, mark: null });
  }

  put(pod: ReplicaPod): void {
    this.#pods.set(pod.ref.uid, pod);
    const { replica, mark: scaleInMark, resourceVersion } = pod;
    const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'x-1', uid: 'rs' };
    const more = { ...pod.ref, machine: replica.machine, resourceVersion, scaleInMark, owner };
    this.#events.push({ kind: 'pod-seen', pod: aClusterPod(replica.pod, more) });
    this.#listener();
  }

  change(name: string, replica: Partial<Replica>): void {
    const pod = this.#pods.get(name) as ReplicaPod;
    const resourceVersion = String(Number(pod.resourceVersion) + 1);
    this.put({ ...pod, resourceVersion, replica: { ...pod.replica, ...replica } });
  }

  delete(name: string): void {
    this.#pods.delete(name);
    this.#events.push({ kind: 'pod-gone', pod: { uid: name, namespace: 't', name }, phase: null });
    this.#listener();
  }

  get marked(): string[] {
    return [...this.#pods.values()].filter(({ mark }) => mark !== null).map(({ ref }) => ref.name);
  }

  readonly ofDeployment: Replicas['ofDeployment'] = () => Promise.resolve(ok(this.sets));
  readonly replicaSet: Replicas['replicaSet'] = () => Promise.resolve(ok(this.sets[0] as ReplicaSet));
  readonly pods: Replicas['pods'] = () =>
    Promise.resolve(this.isReadable ? ok([...this.#pods.values()]) : err(clusterFailure('server', 'broken')));

  readonly mark: Replicas['mark'] = async (order) => {
    await new Promise<void>((resolve) => void this.clock.after(this.writeMs, resolve));
    if (this.refusal !== null) return this.refusal;
    const pod = this.#pods.get(order.pod.uid);
    if (pod === undefined) return { answer: 'gone' };
    if (pod.resourceVersion !== order.resourceVersion) return { answer: 'changed' };
    this.writes.push(order);
    this.put({ ...pod, mark: order.mark, resourceVersion: String(Number(pod.resourceVersion) + 1) });
    return { answer: 'written' };
  };

  async decide(
    to: number,
    more: { kind?: 'ReplicaSet' | 'StatefulSet'; isDryRun?: boolean } = {},
  ): Promise<ScaleInOutcome> {
    const { kind = 'Deployment', isDryRun = false } = more;
    const name = kind === 'ReplicaSet' ? 'x-1' : 'x';
    const answer = this.scaleIn.decide({ kind, namespace: 't', name, to, isDryRun });
    await this.clock.pass(BUDGET.maxMs + 1000);
    return answer;
  }
}

replicasConformance('the stage of these tests', () => {
  const stage = new Stage('aab');
  return Promise.resolve({
    replicas: stage,
    namespace: 't',
    deployment: 'x',
    await: async (asked) => {
      await stage.clock.pass(1);
      return asked;
    },
    setCost: async (pod, cost) => stage.change(pod, { cost }),
    deletePod: async (pod) => stage.delete(pod),
  });
});

describe('P6: before a workload gets fewer replicas', () => {
  test('those whose leaving empties a machine are marked, once', async () => {
    const stage = new Stage('aaab');
    expect(await stage.decide(3)).toMatchObject({ outcome: 'chosen', written: 1 });
    expect(stage.marked).toEqual(['p3']);
    // The Deployment controller asks the same of the ReplicaSet.
    expect(await stage.decide(3, { kind: 'ReplicaSet' })).toMatchObject({ outcome: 'chosen', written: 0 });
    expect(stage.writes).toEqual([
      {
        pod: { uid: 'p3', namespace: 't', name: 'p3' },
        resourceVersion: '1',
        mark: expect.objectContaining({ replicaSet: 'rs', to: 3 }),
      },
    ]);
  });

  test('another choice takes the former one back', async () => {
    const stage = new Stage('aaabb');
    await stage.decide(3);
    expect(stage.marked).toEqual(['p3', 'p4']);
    await stage.decide(4);
    expect(stage.marked).toHaveLength(1);
    await stage.decide(2);
    expect(stage.marked).toEqual(['p0', 'p1', 'p2']);
  });

  test('what goes first in any case is among them, and costs of others stay and count', async () => {
    const stage = new Stage('aaabbb');
    stage.change('p0', { isReady: false });
    stage.change('p3', { cost: 7 });
    await stage.decide(3);
    expect(stage.marked).toEqual(['p0', 'p1', 'p2']);
    stage.change('p1', { cost: -7 });
    await stage.decide(5);
    expect(stage.writes.every(({ pod }) => pod.name !== 'p3')).toBe(true);
  });

  test('nothing is written where all or none leave, without cards, on a dry run, and of a StatefulSet', async () => {
    const stage = new Stage('aab');
    expect(await stage.decide(0)).toEqual({ outcome: 'indifferent' });
    expect(await stage.decide(3)).toEqual({ outcome: 'indifferent' });
    expect(await stage.decide(9)).toEqual({ outcome: 'indifferent' });
    expect(await stage.decide(2, { isDryRun: true })).toMatchObject({
      outcome: 'shown',
      choice: { frees: { machines: [1] } },
    });
    expect(await stage.decide(2, { kind: 'StatefulSet' })).toEqual({ outcome: 'indifferent' });
    stage.sets = [...stage.sets, ...stage.sets];
    expect(await stage.decide(2)).toEqual({ outcome: 'rollout' });
    expect(stage.writes).toEqual([]);
  });

  test('two at once are decided one after the other: the marks are those of the later', async () => {
    const stage = new Stage('aaabb');
    stage.writeMs = 100;
    const both = [stage.decide(3), stage.decide(2)];
    expect((await Promise.all(both)).map(({ outcome }) => outcome)).toEqual(['chosen', 'chosen']);
    expect(stage.marked).toEqual(['p0', 'p1', 'p2']);
  });
});

describe('scaling is never blocked: Kubernetes’ own order decides', () => {
  const outcome = (why: string): object => ({ outcome: 'default', why });

  test('while the cluster is not known, or cannot be read or written', async () => {
    expect(await new Stage('ab', false).decide(1)).toEqual(outcome('notSynced'));
    const stage = new Stage('aab');
    stage.isReadable = false;
    expect(await stage.decide(1)).toEqual(outcome('unreadable'));
    stage.isReadable = true;
    stage.refusal = { answer: 'failed', failure: clusterFailure('forbidden', 'no') };
    expect(await stage.decide(2)).toEqual(outcome('unwritten'));
  });

  test('when the time is up: of 208 replicas as many are marked as there is time for', async () => {
    const stage = new Stage('a'.repeat(8) + 'bcdefghijklmnopqrstuvwxyz'.repeat(8));
    stage.writeMs = 1000;
    const asked = { kind: 'Deployment', namespace: 't', name: 'x', to: 100, isDryRun: false } as const;
    const told = await stage.decide(100);
    expect(told).toEqual(outcome('late'));
    // Sixteen at once, each a second, for the three seconds and 20 ms more for each of the 108.
    expect(stage.writes.length).toBe(16 * 6);
    expect(scaleInWarnings(asked, told)).toEqual([expect.stringMatching(/there was no time.* \/ .*来不及/)]);
  });
});

test('P6: the more are to be marked the more time there is, up to a bound that the API server waits for', async () => {
  const stage = new Stage('a'.repeat(8) + 'bcdefghijklmnopqrstuvwxyz'.repeat(20));
  stage.writeMs = 400;
  expect(await stage.decide(254)).toMatchObject({ outcome: 'chosen', written: 254 });
  stage.writeMs = 600;
  expect(await stage.decide(4)).toEqual({ outcome: 'default', why: 'late' });
});

describe('marks of pods that stayed are taken back', () => {
  test('a minute after the choice, once the ReplicaSet has no more pods than it should have', async () => {
    const stage = new Stage('aaab');
    const sweeper = new Sweeper({ replicas: stage, fleet: stage.fleet, clock: stage.clock });
    await stage.decide(3);
    // Another one left, such as one that was not ready by then.
    stage.delete('p0');
    expect(await sweeper.sweep()).toBe(0);
    await stage.clock.pass(SETTLED_MS);
    expect(stage.marked).toEqual([]);
    sweeper.stop();
  });

  test('not while the controller has yet to act, and in any case after a while', async () => {
    const stage = new Stage('aaab');
    await stage.decide(3);
    stage.sets = stage.sets.map((set) => ({ ...set, replicas: 3 }));
    const sweeper = new Sweeper({ replicas: stage, fleet: stage.fleet, clock: stage.clock });
    await stage.clock.pass(2 * SETTLED_MS);
    expect(stage.marked).toEqual(['p3']);
    await stage.clock.pass(GIVEN_UP_MS);
    expect(stage.marked).toEqual([]);
    sweeper.stop();
  });
});
