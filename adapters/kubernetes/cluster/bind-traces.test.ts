import type { Machine } from '@springtide/core/model';
import { Placer, Tide } from '@springtide/core/placement';
import { Book, slicesOf } from '@springtide/core/state';
import { type Json, kubeNode, kubePod } from '@springtide/testkit/kubectl';
import { describeWithShared } from '@springtide/testkit/shared';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from 'vitest';
import { fieldsAt, fieldsOf } from '../fields.ts';
import { InputFault } from '../fault.ts';
import { refuseBadParts } from '../hami/bad-parts.ts';
import { BIND_DIFFERENCES, FILTER_DIFFERENCES, HANDSHAKE_DIFFERENCES } from '../hami/differences.ts';
import { hamiKeys } from '../hami/keys.ts';
import { lockValue } from '../hami/lock.ts';
import { readPod } from '../observed-pod.ts';
import { Fleet } from './fleet.ts';
import { bindRequest } from './pod-orders.ts';

type Texts = Readonly<Record<string, string>>;

interface Pod {
  readonly name: string;
  readonly namespace: string;
  readonly containers: readonly Texts[];
  readonly init_containers?: readonly Texts[];
}

interface Write {
  readonly resource: string;
  readonly body?: string;
  readonly target?: { readonly name: string };
}

interface Trace {
  readonly name: string;
  readonly pod: Pod;
  readonly nodes: Readonly<Record<string, { readonly allocatable: Texts; readonly annotations: Texts }>>;
  readonly filter_result: { readonly NodeNames: readonly string[] | null };
  readonly filter_writes: readonly Write[] | null;
  readonly bind_writes?: readonly Write[] | null;
  readonly bind_result?: { readonly Error: string };
}

interface Filtering {
  readonly name: string;
  readonly pod: Pod;
  readonly kept_nodes?: readonly string[] | null;
  readonly fits?: boolean;
}

interface Health {
  readonly name: string;
  readonly vendor?: string;
  readonly allocatable: string;
  readonly healthy: boolean;
  readonly before?: string;
  readonly annotation_key?: string;
}

interface Protocol {
  readonly bind_traces: readonly Trace[];
  readonly filter_with_full_nodes_is_a_dry_run: readonly Filtering[];
  readonly handshake: readonly Health[];
  readonly nvidia_health_sequence: readonly Health[];
  readonly register_pass: readonly { readonly name: string; readonly known_to_scheduler: boolean }[];
}

function load(shared: string): Protocol {
  return JSON.parse(readFileSync(join(shared, 'cases', 'hami', 'protocol.json'), 'utf8')) as Protocol;
}

const OPTIONS = { rackLabels: [], cluster: '', tenantLabel: '', hasFractions: false };
const NOW_MS = 946_684_800_000;
const TIMES = [
  ['<unix-seconds>', String(NOW_MS / 1000)],
  ['<unix-nanoseconds>', `${NOW_MS}000000`],
  ['<rfc3339-seconds>', '2000-01-01T00:00:00Z'],
] as const;

/** All that one side writes: on the pod, on the node, and where the pod is bound. */
interface Written {
  readonly annotations: Texts;
  readonly labels: Texts;
  readonly locks: Texts;
  readonly machine: string;
}

const NOTHING: Written = { annotations: {}, labels: {}, locks: {}, machine: '' };

function theirs({ filter_writes: filtered, bind_writes: bound }: Trace): Written {
  const bodies = (kind: string): { annotations?: Texts; labels?: Texts }[] =>
    [...(filtered ?? []), ...(bound ?? [])].flatMap(({ resource, body }) =>
      resource === kind && body !== undefined ? [JSON.parse(atNow(body)).metadata] : [],
    );
  return {
    annotations: Object.assign({}, ...bodies('pods').map(({ annotations }) => annotations)) as Texts,
    labels: Object.assign({}, ...bodies('pods').map(({ labels }) => labels)) as Texts,
    locks: Object.assign({}, ...bodies('nodes').map(({ annotations }) => annotations)) as Texts,
    machine: bound?.find(({ resource }) => resource === 'pods/binding')?.target?.name ?? '',
  };
}

function atNow(text: string): string {
  return TIMES.reduce((known, [sign, time]) => known.replaceAll(sign, time), text);
}

function podOf({ name, namespace, containers, init_containers: init = [] }: Pod): Json {
  const container = (limits: Texts, own: string): Json => ({ name: own, resources: { limits } });
  const spec = {
    containers: containers.map((limits, index) => container(limits, `c${index}`)),
    initContainers: init.map((limits, index) => container(limits, `init${index}`)),
  };
  return kubePod(`${namespace}/${name}`, null, { metadata: { uid: name }, spec });
}

/** What the kubelet offers, which the vectors leave out where HAMi does not look at it. */
function capacityOf({ allocatable, annotations }: Trace['nodes'][string]): Texts {
  const registered = Object.keys(annotations).flatMap((key) => /node-register-(.+)$/.exec(key)?.[1] ?? []);
  const offered = registered.map((word) => [`huawei.com/${word}`, '4']);
  if (annotations['hami.io/node-nvidia-register'] !== undefined) offered.push(['nvidia.com/gpu', '20']);
  if (allocatable['mthreads.com/sgpu-core'] !== undefined) offered.push(['mthreads.com/vgpu', '200']);
  return { ...Object.fromEntries(offered), ...allocatable };
}

function fleetOf(nodes: Trace['nodes'], pod: Pod): { fleet: Fleet; machines: Machine[] } {
  const machines = new Map<string, Machine>();
  const fleet = new Fleet(OPTIONS, (event) => {
    if (event.kind === 'machine-seen') machines.set(event.machine.id, event.machine);
  });
  for (const [name, node] of Object.entries(nodes)) {
    const object = kubeNode(name, { annotations: node.annotations, capacity: capacityOf(node) });
    const metadata = { ...(object['metadata'] as Json), uid: name };
    fleet.seeNode(fieldsOf({ ...object, metadata }, null));
  }
  fleet.seePod(fieldsOf(podOf(pod), null));
  return { fleet, machines: [...machines.values()] };
}

/** What we write, placed on the machine that HAMi has chosen. */
function ours({ nodes, pod, filter_result: { NodeNames: names }, bind_result: bound }: Trace): Written {
  // A lock that stands is waited for, and nothing is written meanwhile: the vectors of the lock prove it.
  if (bound !== undefined && bound.Error !== '') return NOTHING;
  const { fleet, machines } = fleetOf(nodes, pod);
  const chosen = machines.filter(({ id }) => names?.[0] === id);
  const placed = slicesFor(chosen.length > 0 ? chosen : machines, pod);
  if (placed === null || placed.length === 0) return NOTHING;
  const [{ id: machine, cards } = { id: '', cards: [] }] = chosen;
  // Of cards that are alike HAMi takes the last.
  const cardId = cards.at(-1)?.id ?? '';
  const slices = placed.length === 1 ? placed.map((slice) => ({ ...slice, cardId })) : placed;
  const order = { pod: { uid: pod.name, namespace: pod.namespace, name: pod.name }, machine, slices };
  const allocation = fleet.allocationOf(order, NOW_MS);
  if (!allocation.ok || allocation.value === null) return NOTHING;
  const { body } = bindRequest(order, allocation.value) as {
    readonly body: { readonly metadata: { annotations: Texts; labels: Texts }; readonly target: { name: string } };
  };
  const { lock } = allocation.value;
  const value = lockValue(lock, { namespace: pod.namespace, pod: pod.name }, NOW_MS);
  const { annotations, labels } = body.metadata;
  return { annotations, labels, locks: lock === '' ? {} : { [lock]: value }, machine: body.target.name };
}

/** Null: it fits nowhere, or is refused as it stands. */
function slicesFor(machines: readonly Machine[], pod: Pod): ReturnType<typeof slicesOf> | null {
  const fields = fieldsOf(podOf(pod), null);
  try {
    refuseBadParts(fieldsAt(fields, 'spec'), new Map());
  } catch (error) {
    if (error instanceof InputFault) return null;
    throw error;
  }
  const book = new Book(machines);
  const decision = new Placer({ book, policy: new Tide(book) }).place(readPod(fields, { tenantLabel: '' }).pod);
  return decision.ok ? slicesOf(book, decision.holding) : null;
}

const A100 = {
  count: 10,
  devmem: 40_960,
  devcore: 100,
  type: 'NVIDIA A100-SXM4-40GB',
  mode: 'hami-core',
  health: true,
};

function nodeOf(cards: number, allocatable: Texts = {}): Trace['nodes'][string] {
  const register = Array.from({ length: cards }, (_, index) => ({ id: `GPU-${index}`, index, ...A100 }));
  return { allocatable, annotations: { 'hami.io/node-nvidia-register': JSON.stringify(register) } };
}

describeWithShared('from the choice of cards to the binding', (shared) => {
  const protocol = load(shared);
  const { bind_traces: traces, filter_with_full_nodes_is_a_dry_run: filterings } = protocol;

  test('every difference is of a vector', () => {
    const isStale = (list: Texts, vectors: readonly { readonly name: string }[]): string[] =>
      Object.keys(list).filter((name) => !vectors.some((vector) => vector.name === name));
    expect(isStale(BIND_DIFFERENCES, traces)).toEqual([]);
    expect(isStale(FILTER_DIFFERENCES, filterings)).toEqual([]);
    expect(isStale(HANDSHAKE_DIFFERENCES, protocol.handshake)).toEqual([]);
  });

  test.each(traces)('H3: all that is written: $name', (trace) => {
    expect(isDeepStrictEqual(ours(trace), theirs(trace))).toBe(!(trace.name in BIND_DIFFERENCES));
  });

  test.each(filterings)('H3: which nodes fit: $name', ({ name, pod, kept_nodes: kept, fits }) => {
    const nodes = { 'node-a': nodeOf(1), ...(fits === undefined ? { 'node-b': nodeOf(4) } : {}) };
    const { machines } = fleetOf(nodes, pod);
    const running = fits === undefined ? [] : [{ ...pod, name: 'running' }];
    const fitting = machines.filter((machine) => {
      const book = new Book([machine]);
      const placer = new Placer({ book, policy: new Tide(book) });
      const [before, own] = [...running, pod].map((each) => {
        return placer.place(readPod(fieldsOf(podOf(each), null), { tenantLabel: '' }).pod).ok;
      });
      return own ?? before;
    });
    const wanted = fits === undefined ? (kept ?? []) : fits ? ['node-a'] : [];
    expect(isDeepStrictEqual(fitting.map(({ id }) => id).slice(0, 1), wanted.slice(0, 1))).toBe(
      !(name in FILTER_DIFFERENCES),
    );
  });

  describe('H3: cards are taken to be well when the kubelet offers them', () => {
    const asked: Pod = { name: 'p', namespace: 'team-a', containers: [{ 'nvidia.com/gpu': '1' }] };
    const isUsable = (allocatable: string): boolean =>
      slicesFor(fleetOf({ 'node-a': nodeOf(1, { 'nvidia.com/gpu': allocatable }) }, asked).machines, asked) !== null;

    test.each(protocol.handshake)('$name', ({ name, allocatable, healthy }) => {
      expect(isUsable(allocatable) === healthy).toBe(!(name in HANDSHAKE_DIFFERENCES));
    });

    test.each(protocol.nvidia_health_sequence)('$name', ({ allocatable, healthy }) => {
      expect(isUsable(allocatable)).toBe(healthy);
    });
  });

  test('no handshake is written, and a node without cards is one that others may use', () => {
    expect(protocol.register_pass.map(({ known_to_scheduler: isKnown }) => isKnown)).toEqual([false, true, true]);
    const pod: Pod = { name: 'p', namespace: 'team-a', containers: [{}] };
    const { machines } = fleetOf({ 'node-a': { allocatable: {}, annotations: {} } }, pod);
    expect(machines.map(({ cards }) => cards.length)).toEqual([0]);
    expect(hamiKeys('hygon.com/dcunum')).not.toHaveProperty('handshake');
  });
});
