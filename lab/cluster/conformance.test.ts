import { mulberry32 } from '@springtide/core/base';
import type { Machine } from '@springtide/core/model';
import type { ClusterPod, PodRef } from '@springtide/ports/cluster';
import { aMachine, aRequest, isIn, PRODUCTS } from '@springtide/testkit/builders';
import { VirtualClock } from '@springtide/testkit/clock';
import { clusterConformance, type ClusterWorld, type PodWish } from '@springtide/testkit/conformance/cluster';
import { FakeLeases } from '@springtide/testkit/fake-api';
import { LabCluster } from './lab-cluster.ts';
import { LabWorld, type PodSketch } from './lab-world.ts';

function refOf({ uid, namespace, name }: ClusterPod): PodRef {
  return { uid, namespace, name };
}

function sketchOf({ cards = 0, labels = {}, isGated = false, sliceMiB }: PodWish): PodSketch {
  const asked = sliceMiB === undefined ? aRequest().whole(cards) : aRequest().sliceMiB(sliceMiB);
  const request = (cards === 0 ? aRequest() : asked).build();
  return { isGated, pod: { labels: new Map(Object.entries(labels)), request } };
}

interface Seed {
  readonly seed: number;
  /** What is missed while connections are broken has to be listed anew. */
  readonly forgets: boolean;
}

function openLab({ seed, forgets }: Seed): ClusterWorld {
  const clock = new VirtualClock();
  const world = new LabWorld({ clock, random: mulberry32(seed) });
  const leases = new FakeLeases(clock);
  const clients: LabCluster[] = [];
  let machines = 0;
  const change = (id: string, part: Partial<Machine>): void => {
    const machine = world.machines.get(id);
    if (machine !== undefined) world.putMachine({ ...machine, ...part });
  };
  const namespace = 'team';
  const disturb = async (meanwhile: () => Promise<void>): Promise<void> => {
    for (const client of clients) client.setCutOff(true);
    await meanwhile();
    if (forgets) world.journal.compact();
    for (const client of clients) client.setCutOff(false);
  };
  return {
    clock,
    pass: (ms) => clock.pass(ms),
    connect: (holder) => {
      const client = new LabCluster({ world, leases, holder });
      Object.assign(client.faults, { requestMs: 30, watchLagMs: 50, repeatedPerMille: 200 });
      clients.push(client);
      return client;
    },
    namespace,
    addMachine: ({ cards = 0, labels = {}, isSliced = false } = {}) => {
      const id = `n${(machines += 1)}`;
      const machine = aMachine(id)
        .cards(isSliced ? PRODUCTS.l40s : PRODUCTS.t4, cards)
        .build();
      world.putMachine({ ...machine, labels: new Map(Object.entries(labels)) });
      return Promise.resolve(id);
    },
    cordon: async (id) => change(id, { cordoned: true }),
    removeMachine: async (id) => world.removeMachine(id),
    addPod: (name, wish = {}) => Promise.resolve(refOf(world.addPod(`${namespace}/${name}`, sketchOf(wish)))),
    deletePod: async ({ uid }) => world.deletePod(uid),
    finishPod: async ({ uid }, phase) => world.finishPod(uid, phase),
    addBudget: async (name, app, minAvailable) => {
      const selector = [isIn('app', app)];
      world.putBudget({ uid: name, id: `${namespace}/${name}`, namespace, selector, minAvailable });
    },
    removeBudget: async (name) => world.removeBudget(`${namespace}/${name}`),
    addPool: async (name, [key, value]) => {
      const usual = { reason: 'bursty', owner: 'team-a', namespaces: [], status: null };
      world.putPool({ ...usual, uid: name, name, createdAtMs: clock.wallMs(), selector: [isIn(key, value)] });
      return name;
    },
    removePool: async (name) => world.removePool(name),
    cardsOfPool: async (name) => world.poolOf(name)?.status?.cards ?? null,
    machineOf: async (pod) => world.find(pod)?.machine ?? null,
    eventsOf: async ({ uid }) => {
      const events = [...world.events.values()];
      return events.filter(({ about }) => about.kind === 'pod' && about.pod.uid === uid);
    },
    disturb,
    close: async () => {
      const stopped = Promise.all(clients.map((client) => client.stop()));
      await clock.pass(20_000);
      await stopped;
    },
  };
}

clusterConformance('the lab', async () => openLab({ seed: 1, forgets: false }));
clusterConformance('a lab that forgets what was missed', async () => openLab({ seed: 2, forgets: true }));
