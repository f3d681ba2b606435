import { mulberry32, type Random } from '@springtide/core/base';
import type { ClusterPod, PodRef, Term } from '@springtide/ports/cluster';
import { aMachine } from '@springtide/testkit/builders';
import { VirtualClock } from '@springtide/testkit/clock';
import { FakeLeases } from '@springtide/testkit/fake-api';
import { expect, test } from 'vitest';
import { LabCluster } from './lab-cluster.ts';
import { LabWorld } from './lab-world.ts';

/** A client that binds whatever waits, wherever it likes, as its view has it: the rudest scheduler there is. */
class Binder {
  readonly cluster: LabCluster;
  readonly pods = new Map<string, ClusterPod>();
  readonly machines = new Set<string>();
  /** Answers that were `bound`. */
  readonly bound = new Map<string, string>();

  constructor(cluster: LabCluster) {
    this.cluster = cluster;
    cluster.start();
    cluster.lease.start();
  }

  act(random: Random): void {
    for (const event of this.cluster.view.take(50)) {
      if (event.kind === 'pod-seen') this.pods.set(event.pod.uid, event.pod);
      if (event.kind === 'pod-gone') this.pods.delete(event.pod.uid);
      if (event.kind === 'machine-seen') this.machines.add(event.machine.id);
      if (event.kind === 'machine-gone') this.machines.delete(event.machine);
    }
    const state = this.cluster.lease.state();
    if (state.state !== 'leading' || this.machines.size === 0) return;
    const waiting = [...this.pods.values()].filter(({ machine }) => machine === null);
    const pod = waiting[random.below(Math.max(1, waiting.length))];
    if (pod !== undefined)
      void this.#bind(state.term, pod, [...this.machines][random.below(this.machines.size)] as string);
  }

  async #bind(term: Term, pod: PodRef, machine: string): Promise<void> {
    const answer = await this.cluster.orders(term).bind({ pod, machine, slices: [] });
    if (answer.answer === 'bound') this.bound.set(pod.uid, machine);
  }
}

function disturb(world: LabWorld, binders: readonly Binder[], random: Random): void {
  const { faults } = (binders[random.below(binders.length)] as Binder).cluster;
  const what = random.below(12);
  if (what === 0) world.putMachine(aMachine(`n${random.below(6)}`).build());
  if (what === 1) world.removeMachine(`n${random.below(6)}`);
  if (what <= 5 && world.podOf(`t/p${random.below(40)}`) === null) world.addPod(`t/p${world.journal.version}`);
  const pod = [...world.pods.values()][random.below(Math.max(1, world.pods.size))];
  if (what === 6 && pod !== undefined) world.deletePod(pod.uid, random.below(500));
  if (what === 7 && pod !== undefined) world.finishPod(pod.uid);
  if (what === 8) (binders[random.below(binders.length)] as Binder).cluster.setCutOff(random.below(3) > 0);
  if (what === 9) world.journal.compact();
  if (what === 10) Object.assign(faults, { lostPerMille: random.below(200), unansweredPerMille: random.below(200) });
  if (what === 11)
    Object.assign(faults, { wrongErrorPerMille: random.below(200), repeatedPerMille: random.below(500) });
}

async function play(seed: number): Promise<{ world: LabWorld; binders: readonly Binder[] }> {
  const random = mulberry32(seed);
  const clock = new VirtualClock();
  const world = new LabWorld({ clock, random, historyMax: 20 + random.below(200) });
  const leases = new FakeLeases(clock);
  const binders = ['a', 'b'].map(
    (holder) => new Binder(new LabCluster({ world, leases, holder, eventsMax: 10 + random.below(50) })),
  );
  for (let step = 0; step < 300; step += 1) {
    disturb(world, binders, random);
    for (const binder of binders) binder.act(random);
    await clock.pass(random.below(200));
  }
  // Then nothing goes wrong any more, and everybody catches up.
  for (const { cluster } of binders) {
    Object.assign(cluster.faults, {
      lostPerMille: 0,
      unansweredPerMille: 0,
      wrongErrorPerMille: 0,
      repeatedPerMille: 0,
    });
    cluster.setCutOff(false);
  }
  for (let step = 0; step < 200; step += 1) {
    for (const binder of binders) binder.act(random);
    await clock.pass(100);
  }
  await clock.pass(20_000);
  for (const binder of binders) binder.act(mulberry32(1));
  return { world, binders };
}

test('whatever goes wrong, no pod is bound twice, and in the end every view is the world', async () => {
  let bindings = 0;
  for (let seed = 1; seed <= 100; seed += 1) {
    const { world, binders } = await play(seed);
    const uids = world.bindings.map(({ uid }) => uid);
    expect(new Set(uids).size, `seed ${seed}`).toBe(uids.length);
    const truth = new Map(world.bindings.map(({ uid, machine }) => [uid, machine]));
    for (const { bound, pods, machines } of binders) {
      for (const [uid, machine] of bound) expect(truth.get(uid), `seed ${seed}`).toBe(machine);
      const seen = [...pods.values()].map((pod) => `${pod.uid} ${pod.resourceVersion}`).toSorted();
      const there = [...world.pods.values()].map((pod) => `${pod.uid} ${pod.resourceVersion}`).toSorted();
      expect(seen, `seed ${seed}`).toEqual(there);
      expect([...machines].toSorted(), `seed ${seed}`).toEqual([...world.machines.keys()].toSorted());
    }
    bindings += uids.length;
  }
  expect(bindings).toBeGreaterThan(1000);
});
