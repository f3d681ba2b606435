import { mulberry32, type Random } from '@springtide/core/base';
import type { ClusterPod, GangMembership } from '@springtide/ports/cluster';
import { SchedulerService } from '@springtide/services/scheduler';
import { aMachine, aRequest, PRODUCTS } from '@springtide/testkit/builders';
import { VirtualClock } from '@springtide/testkit/clock';
import { FakeLeases } from '@springtide/testkit/fake-api';
import { describe, expect, test } from 'vitest';
import { LabCluster } from './lab-cluster.ts';
import { LabWorld } from './lab-world.ts';

const CARDS = 4;
const MACHINES = 3;

interface Replica {
  readonly cluster: LabCluster;
  readonly service: SchedulerService;
}

/** Two replicas of the scheduler on one world. */
class Play {
  readonly random: Random;
  readonly clock = new VirtualClock();
  readonly world: LabWorld;
  readonly replicas: Replica[] = [];
  readonly #leases: FakeLeases;
  readonly #cutOff = new Set<string>();
  #holders = 0;
  #pods = 0;

  constructor(seed: number) {
    this.random = mulberry32(seed);
    this.world = new LabWorld({ clock: this.clock, random: this.random, historyMax: 20 + this.random.below(200) });
    this.#leases = new FakeLeases(this.clock, (client) => ({
      thereMs: 1 + this.random.below(20),
      backMs: 1 + this.random.below(20),
      loses: this.#cutOff.has(client) ? 'request' : 'nothing',
    }));
    for (let index = 0; index < MACHINES; index += 1) this.putMachine(index);
    this.addReplica();
    this.addReplica();
  }

  addReplica(): void {
    const holder = `r${(this.#holders += 1)}`;
    const cluster = new LabCluster({ world: this.world, leases: this.#leases, holder });
    const service = new SchedulerService({ cluster, clock: this.clock, schedulerName: 'springtide' });
    service.start();
    this.replicas.push({ cluster, service });
  }

  /** Nothing that it does from now on gets out: as good as SIGKILL. */
  kill(index: number): void {
    const [killed] = this.replicas.splice(index, 1);
    if (killed === undefined) return;
    this.setCutOff(killed, true);
    this.addReplica();
  }

  /** As an upgrade does it: what is under way is finished, then the lease is given up. */
  stop(index: number): void {
    const [stopped] = this.replicas.splice(index, 1);
    void stopped?.service.stop();
    this.addReplica();
  }

  setCutOff({ cluster }: Replica, isCutOff: boolean): void {
    const { holder } = cluster;
    if (isCutOff) this.#cutOff.add(holder);
    else this.#cutOff.delete(holder);
    cluster.setCutOff(isCutOff);
  }

  putMachine(index: number): void {
    this.world.putMachine(aMachine(`n${index}`).cards(PRODUCTS.a100, CARDS).build());
  }

  addPods(): void {
    const members = [1, 1, 1, 2, 3][this.random.below(5)] as number;
    const cards = 1 + this.random.below(CARDS);
    const id = `t/p${(this.#pods += 1)}`;
    const gang = members === 1 ? null : gangOf(id, members);
    const priority = this.random.below(3);
    const pod = { priority, request: aRequest().cpuMilli(100).whole(cards).build() };
    for (let index = 0; index < members; index += 1) this.world.addPod(`${id}-${index}`, { gang, pod });
  }

  anyPod(isBound: boolean): ClusterPod | undefined {
    const pods = [...this.world.pods.values()].filter(({ machine }) => !isBound || machine !== null);
    return pods[this.random.below(Math.max(1, pods.length))];
  }

  anyReplica(): Replica {
    return this.replicas[this.random.below(this.replicas.length)] as Replica;
  }

  disturb(): void {
    const { world, random } = this;
    const what = random.below(24);
    const { faults } = this.anyReplica().cluster;
    const pod = this.anyPod(what !== 5);
    if ((what <= 4 || (what >= 20 && what <= 22)) && world.pods.size < 30) this.addPods();
    if (what === 5 && pod !== undefined) world.deletePod(pod.uid, random.below(3000));
    if ((what === 6 || what === 19) && pod !== undefined) world.finishPod(pod.uid);
    if (what === 7) this.setCutOff(this.anyReplica(), random.below(4) === 0);
    if (what === 8) world.journal.compact();
    if (what === 9) Object.assign(faults, { lostPerMille: random.below(200), unansweredPerMille: random.below(200) });
    if (what === 10)
      Object.assign(faults, { wrongErrorPerMille: random.below(200), throttledPerMille: random.below(50) });
    if (what === 11)
      Object.assign(faults, { watchLagMs: [2, 1500, 8000][random.below(3)], isWatchStalled: random.below(2) === 0 });
    if (what === 12) Object.assign(faults, { requestMs: random.below(1500) });
    if (what === 13 && random.below(6) === 0) this.kill(random.below(2));
    if (what === 23 && random.below(4) === 0) this.stop(random.below(2));
    if (what === 14 && random.below(3) === 0) world.removeMachine(`n${random.below(MACHINES)}`);
    if (what === 15 || what === 16) this.putMachine(random.below(MACHINES));
    if (what === 17) for (const replica of this.replicas) this.setCutOff(replica, false);
    if (what === 18) this.calm();
  }

  heal(): void {
    const { world } = this;
    for (let index = 0; index < MACHINES; index += 1) if (!world.machines.has(`n${index}`)) this.putMachine(index);
    for (const replica of this.replicas) {
      this.setCutOff(replica, false);
    }
    this.calm();
  }

  calm(): void {
    for (const replica of this.replicas) {
      Object.assign(replica.cluster.faults, {
        lostPerMille: 0,
        unansweredPerMille: 0,
        wrongErrorPerMille: 0,
        throttledPerMille: 0,
        watchLagMs: 2,
        isWatchStalled: false,
        requestMs: 2,
      });
    }
  }

  held(machine: string): number {
    const here = [...this.world.pods.values()].filter((pod) => pod.machine === machine);
    return here.reduce((sum, { pod }) => sum + cardsOf(pod), 0);
  }

  overbooked(): string[] {
    return Array.from({ length: MACHINES }, (_, index) => `n${index}`).filter((id) => this.held(id) > CARDS);
  }
}

function cardsOf({ request }: ClusterPod['pod']): number {
  return request.cards.kind === 'whole' ? request.cards.count : 0;
}

/** A leader, and two pods of which the machine takes one. */
async function leaderOfTwoPods(seed: number): Promise<{ play: Play; leader: Replica }> {
  const play = new Play(seed);
  for (let index = 1; index < MACHINES; index += 1) play.world.removeMachine(`n${index}`);
  await play.clock.pass(5000);
  const pod = { request: aRequest().whole(CARDS).build() };
  for (const id of ['t/a', 't/b']) play.world.addPod(id, { pod });
  return { play, leader: play.replicas.find(({ service }) => service.isLeading) as Replica };
}

test('I5: a watch that says nothing is noticed by an order that is never seen, and the pods are listed anew', async () => {
  const { play, leader } = await leaderOfTwoPods(1);
  leader.cluster.faults.watchLagMs = 1000;
  while (play.held('n0') === 0) await play.clock.pass(1);
  leader.cluster.faults.isWatchStalled = true;
  const [first] = play.world.bindings;
  play.world.finishPod(first?.uid ?? '');
  await play.clock.pass(40_000);
  expect(play.world.bindings.map(({ uid }) => uid)).toHaveLength(2);
  expect(play.overbooked()).toEqual([]);
});

test('an order that is always refused is given ever less often, and done once it is not', async () => {
  const { play, leader } = await leaderOfTwoPods(2);
  leader.cluster.faults.throttledPerMille = 1000;
  await play.clock.pass(120_000);
  const { bindsFailed } = leader.service.counts();
  expect(bindsFailed).toBeGreaterThan(4);
  expect(bindsFailed).toBeLessThan(20);
  leader.cluster.faults.throttledPerMille = 0;
  await play.clock.pass(61_000);
  expect(play.held('n0')).toBe(CARDS);
});

test('I10: where a budget lets one of two victims go and not the other, neither leaves', async () => {
  const play = new Play(3);
  for (let index = 1; index < MACHINES; index += 1) play.world.removeMachine(`n${index}`);
  const selector = [{ key: 'app', operator: 'In', values: ['x'] }] as const;
  play.world.putBudget({ uid: 'b', id: 't/b', namespace: 't', selector, minAvailable: 1 });
  const half = aRequest()
    .whole(CARDS / 2)
    .build();
  for (const id of ['t/a', 't/b']) play.world.addPod(id, { pod: { request: half, labels: new Map([['app', 'x']]) } });
  await play.clock.pass(5000);
  expect(play.held('n0')).toBe(CARDS);
  play.world.addPod('t/high', { pod: { request: aRequest().whole(CARDS).build(), priority: 1 } });
  await play.clock.pass(150_000);
  expect([...play.world.pods.values()].map(({ name }) => name).toSorted()).toEqual(['a', 'b', 'high']);
});

describe('two replicas of the scheduler in a world that loses, delays and breaks', () => {
  test('I1, I6: no card is held twice and no pod is bound twice', async () => {
    let bindings = 0;
    const bad: string[] = [];
    for (let seed = 31; seed <= 60; seed += 1) {
      const play = new Play(seed);
      for (let step = 0; step < 300; step += 1) {
        play.disturb();
        await play.clock.pass(play.random.below(play.random.below(10) === 0 ? 8000 : 600));
        const over = play.overbooked();
        if (over.length > 0) {
          bad.push(`seed ${seed} step ${step}: ${over.join()} at ${play.clock.nowMs()}`);
          break;
        }
      }
      const uids = play.world.bindings.map(({ uid }) => uid);
      expect(new Set(uids).size, `seed ${seed}`).toBe(uids.length);
      bindings += uids.length;
      for (const { service } of play.replicas) await Promise.race([service.stop(), play.clock.pass(20_000)]);
    }
    expect(bad).toEqual([]);
    expect(bindings).toBeGreaterThan(500);
  });

  test('I2, I3, I11: once all is well again, what fits runs, and no gang is half there', async () => {
    const bad: string[] = [];
    for (let seed = 1; seed <= 40; seed += 1) {
      const play = new Play(seed);
      for (let step = 0; step < 150; step += 1) {
        play.disturb();
        await play.clock.pass(play.random.below(play.random.below(10) === 0 ? 8000 : 600));
      }
      play.heal();
      await play.clock.pass(800_000);
      const { world } = play;
      const pods = [...world.pods.values()];
      const free = Array.from({ length: MACHINES }, (_, index) => CARDS - play.held(`n${index}`));
      for (const pod of pods.filter(({ machine, isDeleting }) => machine === null && !isDeleting)) {
        // What is kept for a gang (P4) is free and not to be had.
        const isKept = pod.verdict?.message.includes('kept for a gang') === true;
        if (pod.gang === null && !isKept && Math.max(...free) >= cardsOf(pod.pod))
          bad.push(`seed ${seed}: ${pod.name} waits`);
        if (pod.verdict === null) bad.push(`seed ${seed}: ${pod.name} is told nothing`);
      }
      for (const [gang, members] of Map.groupBy(pods, (pod) => pod.gang?.id ?? '')) {
        const bound = members.filter(({ machine }) => machine !== null).length;
        const wanted = members[0]?.gang?.minCount ?? 1;
        if (gang !== '' && bound > 0 && bound < members.length && bound < wanted)
          bad.push(`seed ${seed}: ${gang} is half there`);
      }
      for (const { service } of play.replicas) await Promise.race([service.stop(), play.clock.pass(20_000)]);
    }
    expect(bad).toEqual([]);
  });
});

function gangOf(name: string, minCount: number): GangMembership {
  const id = `volcano:${name}`;
  return { id, source: 'volcano', name, object: id, minCount, topology: null };
}
