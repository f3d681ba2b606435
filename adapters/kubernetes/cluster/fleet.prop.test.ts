import { mulberry32, type Random, shuffle } from '@springtide/core/base';
import type { Machine } from '@springtide/core/model';
import type { ClusterEvent, ClusterPod } from '@springtide/ports/cluster';
import { dumpOf, hamiPart, hamiRegister, type Json, kubeNode, kubePod } from '@springtide/testkit/kubectl';
import { forAll } from '@springtide/testkit/property';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { RACK_LABELS } from '../node.ts';
import { fieldsOf } from '../fields.ts';
import { Fleet } from './fleet.ts';
import { keyOf } from '../watch/outbox.ts';

const GPU = 'nvidia.com/gpu';
const NODES = ['n0', 'n1', 'n2'];
const OPTIONS = { rackLabels: RACK_LABELS, cluster: '', tenantLabel: '', hasFractions: false };

function withUid(object: Json, uid: string): Json {
  return { ...object, metadata: { ...(object['metadata'] as Json), uid } };
}

function randomNode(name: string, random: Random): Json {
  const kind = random.below(3);
  const annotations = kind === 0 ? { 'hami.io/node-nvidia-register': hamiRegister(name, 2, 24_000) } : {};
  const cards = kind === 0 ? '20' : String(random.below(5));
  const capacity = kind === 2 ? {} : { [GPU]: cards };
  return withUid(kubeNode(name, { annotations, capacity, unschedulable: random.below(4) === 0 }), `uid-${name}`);
}

/** A pod of one of the sorts whose holdings depend on others, or an ordinary one. */
function randomPod(index: number, random: Random): Json {
  const machine = random.below(4) === 0 ? null : `n${random.below(3)}`;
  const group = { 'runai-gpu-group': `g${random.below(2)}` };
  const sort = random.below(5);
  const name = sort === 4 ? `runai-reservation/pod-${index}` : `team/pod-${index}`;
  const requests = { cpu: '1', ...(sort === 0 || sort === 4 ? { [GPU]: '1' } : {}) };
  const sketches = [
    { requests },
    {},
    { annotations: { 'gpu-fraction': '0.5' }, labels: group },
    {
      annotations: {
        'hami.io/vgpu-devices-allocated': `${hamiPart(`GPU-${machine ?? 'n0'}-${random.below(3)}`, 1000, 10)};`,
      },
      requests: { [GPU]: '1' },
    },
    { requests, labels: group },
  ];
  return withUid(kubePod(name, machine, sketches[sort]), `uid-${index}`);
}

/** The newest event about each object. */
class Told {
  readonly #events = new Map<string, ClusterEvent>();
  readonly put = (event: ClusterEvent): void => void this.#events.set(keyOf(event), event);

  get machines(): Machine[] {
    const seen = [...this.#events.values()].flatMap((event) => (event.kind === 'machine-seen' ? [event.machine] : []));
    return seen.toSorted((left, right) => (left.id < right.id ? -1 : 1));
  }

  get pods(): ClusterPod[] {
    const seen = [...this.#events.values()].flatMap((event) => (event.kind === 'pod-seen' ? [event.pod] : []));
    return seen.toSorted((left, right) => (left.pod.id < right.pod.id ? -1 : 1));
  }
}

interface World {
  readonly nodes: Map<string, Json>;
  readonly pods: Map<string, Json>;
}

function step(world: World, fleet: Fleet, random: Random): void {
  const isOfNode = random.below(3) === 0;
  const index = random.below(12);
  const name = isOfNode ? (NODES[index % 3] as string) : `pod-${index}`;
  const objects = isOfNode ? world.nodes : world.pods;
  const old = objects.get(name);
  if (old !== undefined && random.below(3) === 0) {
    objects.delete(name);
    const { namespace = '' } = old['metadata'] as { namespace?: string };
    if (isOfNode) fleet.loseNode({ uid: `uid-${name}`, id: name });
    else fleet.losePod({ uid: `uid-${index}`, id: `${namespace}/${name}` }, null);
    return;
  }
  // A pod that is made anew under its name keeps its sort here, since its namespace follows from that.
  const object =
    old !== undefined && !isOfNode && random.below(2) === 0
      ? old
      : isOfNode
        ? randomNode(name, random)
        : randomPod(index, random);
  if (old !== undefined && !isOfNode) {
    const { namespace = '' } = old['metadata'] as { namespace?: string };
    if (namespace !== (object['metadata'] as { namespace?: string }).namespace) return;
  }
  objects.set(name, object);
  if (isOfNode) fleet.seeNode(fieldsOf(object, null));
  else fleet.seePod(fieldsOf(object, null));
}

type Comparable = { readonly phase: string } & Pick<
  ClusterPod,
  'pod' | 'machine' | 'isDeleting' | 'isGated' | 'held' | 'fractionGroups'
>;

/** What a dump tells too. */
function comparable(from: Comparable): Comparable {
  const { pod, machine, phase, isDeleting, isGated, held, fractionGroups } = from;
  return { pod, machine, phase, isDeleting, isGated, held, fractionGroups };
}

/** The live cluster leaves counting replicas to whoever sees all pods. */
function withoutReplicas(from: Comparable): Comparable {
  return Object.assign(from, { pod: { ...from.pod, serviceReplicas: 0 } });
}

test('however nodes and pods come, change and go, what was told last is what a dump of them says', () => {
  forAll(fc.tuple(fc.nat(), fc.integer({ min: 1, max: 60 })), ([seed, steps]) => {
    const random = mulberry32(seed);
    const told = new Told();
    const fleet = new Fleet({ ...OPTIONS, hasFractions: true }, told.put);
    const world: World = { nodes: new Map(), pods: new Map() };
    for (let i = 0; i < steps; i += 1) step(world, fleet, random);
    if (world.nodes.size === 0) return;
    const objects = shuffle([...world.nodes.values(), ...world.pods.values()], random);
    const dump = dumpOf(objects, { hasFractions: true });
    expect(told.machines).toEqual([...dump.machines].toSorted((left, right) => (left.id < right.id ? -1 : 1)));
    const known = told.pods.filter(({ machine }) => machine === null || world.nodes.has(machine));
    const wanted = dump.pods.map((pod) => withoutReplicas(comparable(pod)));
    expect(known.map(comparable)).toEqual(wanted.toSorted((left, right) => (left.pod.id < right.pod.id ? -1 : 1)));
  });
});

test('the first fraction makes whole cards divisible everywhere, whoever comes first', () => {
  const told = new Told();
  const fleet = new Fleet(OPTIONS, told.put);
  const objects = [
    withUid(kubeNode('n0', { capacity: { [GPU]: '2' } }), 'uid-n0'),
    withUid(
      kubePod('team/a', 'n0', { annotations: { 'gpu-fraction': '0.5' }, labels: { 'runai-gpu-group': 'g' } }),
      'a',
    ),
    withUid(kubeNode('n1', { capacity: { [GPU]: '2' } }), 'uid-n1'),
  ];
  fleet.seeNode(fieldsOf(objects[0], null));
  expect(told.machines[0]?.cards[0]?.slicing).toBe('none');
  fleet.seePod(fieldsOf(objects[1], null));
  fleet.seeNode(fieldsOf(objects[2], null));
  expect(told.machines).toEqual(dumpOf(objects).machines);
});

test('two machines whose plug-ins number their cards alike get different ids, and keep them', () => {
  const told = new Told();
  const fleet = new Fleet(OPTIONS, told.put);
  const node = (name: string): Json => {
    const annotations = { 'hami.io/node-nvidia-register': hamiRegister('x', 2, 24_000) };
    return withUid(kubeNode(name, { annotations, capacity: { [GPU]: '20' } }), `uid-${name}`);
  };
  for (const name of ['n0', 'n1', 'n0', 'n1']) fleet.seeNode(fieldsOf(node(name), null));
  expect(told.machines.map(({ cards }) => cards.map(({ id }) => id))).toEqual([
    ['GPU-x-0', 'GPU-x-1'],
    ['n1/GPU-x-0', 'n1/GPU-x-1'],
  ]);
  fleet.loseNode({ uid: 'uid-n0', id: 'n0' });
  fleet.seeNode(fieldsOf(node('n2'), null));
  expect(told.machines[1]?.cards.map(({ id }) => id)).toEqual(['GPU-x-0', 'GPU-x-1']);
});
