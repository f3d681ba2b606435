import { Placer, Tide } from '@springtide/core/placement';
import type { Constraints, SliceHeld } from '@springtide/core/model';
import { Book, fillBook, type Holding, type ObservedHolding } from '@springtide/core/state';
import { type Json, kubeNode, kubePod } from '@springtide/testkit/kubectl';
import { describeWithShared } from '@springtide/testkit/shared';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { containersOf } from '../effective.ts';
import { InputFault } from '../fault.ts';
import { fieldsAt, fieldsOf } from '../fields.ts';
import { type MadeMachine, makeMachine } from '../make-machine.ts';
import { RACK_LABELS, readNode } from '../node.ts';
import { type PodDraft, readPod } from '../observed-pod.ts';
import { refuseBadParts } from './bad-parts.ts';
import { cardQuotaOf } from './card-quota.ts';
import { PLACEMENT_DIFFERENCES } from './differences.ts';
import { hamiHoldings } from './holdings.ts';
import { podAllocation } from './pod-allocation.ts';
import { encodeRegister, type RegisteredProfile } from './register.ts';

interface VectorDevice {
  readonly id: string;
  readonly index: number;
  readonly count: number;
  readonly totalmem: number;
  readonly totalcore: number;
  readonly type: string;
  readonly mode: string;
  readonly numa: number;
  readonly health: boolean;
  readonly used: number;
  readonly usedmem: number;
  readonly usedcores: number;
  readonly mig_profile_set?: string;
  readonly mig_in_use?: readonly { readonly profile: string; readonly start: number; readonly size: number }[];
}

interface VectorProfile {
  readonly name: string;
  readonly memoryMB: number;
  readonly core: number;
  readonly sliceCount: number;
  readonly placements: RegisteredProfile['places'];
}

interface PlacementVector {
  readonly name: string;
  readonly fits: boolean;
  readonly devices: readonly VectorDevice[];
  readonly node_annotations?: Readonly<Record<string, string>>;
  readonly resource_quota_hard?: Readonly<Record<string, string>>;
  readonly pod: {
    readonly annotations?: Readonly<Record<string, string>>;
    readonly containers: readonly Readonly<Record<string, string>>[];
    readonly init_containers?: readonly Readonly<Record<string, string>>[];
  };
}

type ProfileSets = Readonly<Record<string, readonly VectorProfile[]>>;

const NODE = { rackLabels: RACK_LABELS, cluster: '' };

function madeMachine({ devices, node_annotations: annotations }: PlacementVector, sets: ProfileSets): MadeMachine {
  const register = encodeRegister(
    devices.map(({ id, index, count, totalmem, totalcore, type, mode, numa, health, mig_profile_set: set }) => {
      const profiles = (sets[set ?? ''] ?? []).map(({ name, memoryMB, core, sliceCount, placements }) => {
        return { name, memoryMiB: memoryMB, cores: core, slices: sliceCount, places: placements };
      });
      const sizes = { count, memoryMiB: totalmem, cores: totalcore };
      return { id, index, type, mode, numa, isHealthy: health, ...sizes, migProfiles: profiles };
    }),
  );
  const units = String(devices.reduce((total, { count }) => total + count, 0));
  const node = kubeNode('node-a', {
    annotations: { 'hami.io/node-nvidia-register': register, ...annotations },
    capacity: { 'nvidia.com/gpu': units },
  });
  return makeMachine(readNode(fieldsOf(node, null), NODE), false, (id) => id);
}

function draftOf(pod: Json): PodDraft {
  return readPod(fieldsOf(pod, null), { tenantLabel: '' });
}

/** A pod that HAMi placed: it holds so much of a card. */
function holder(name: string, annotations: Readonly<Record<string, string>>): PodDraft {
  const requests = { 'nvidia.com/gpu': '1', 'nvidia.com/gpumem': '1' };
  return draftOf(kubePod(`team-b/${name}`, 'node-a', { annotations, requests }));
}

/** Pods that make up the use of the vector's devices: the first on a card holds all of it, the others a share alone. */
function holders({ devices }: PlacementVector, sets: ProfileSets): PodDraft[] {
  return devices.flatMap(({ id, used, usedmem, usedcores, mig_in_use: instances, mig_profile_set: set }) => {
    if (instances !== undefined) {
      return instances.map(({ profile, start, size }, index) => {
        const { memoryMB = 0, core = 0 } = sets[set ?? '']?.find(({ name }) => name === profile) ?? {};
        const placement = { containerIndex: 0, deviceIndex: 0, gpuUUID: id, profile, placement: { start, size } };
        return holder(`${id}-${index}`, {
          'hami.io/vgpu-devices-allocated': `${id},NVIDIA,${memoryMB},${core}:;`,
          'hami.io/vgpu-mig-allocations': JSON.stringify([placement]),
        });
      });
    }
    return Array.from({ length: used }, (_, index) => {
      const held = index === 0 ? `${usedmem},${usedcores}` : '0,0';
      return holder(`${id}-${index}`, { 'hami.io/vgpu-devices-allocated': `${id},NVIDIA,${held}:;` });
    });
  });
}

function observed(draft: PodDraft, made: MadeMachine): ObservedHolding {
  const { held } = hamiHoldings(draft, made.cards);
  return { pod: draft.pod, machine: draft.machine, isDeleting: false, held, fractionGroups: [] };
}

function waitingPod({ pod }: PlacementVector): Json {
  const container = (limits: Readonly<Record<string, string>>, name: string): Json => ({ name, resources: { limits } });
  const containers = pod.containers.map((limits, index) => container(limits, `c${index}`));
  const initContainers = (pod.init_containers ?? []).map((limits, index) => container(limits, `init${index}`));
  const annotations = pod.annotations ?? {};
  return kubePod('team-a/pod-a', null, { annotations, spec: { containers, initContainers } });
}

function bookOf(vector: PlacementVector, sets: ProfileSets): { book: Book; made: MadeMachine } {
  const made = madeMachine(vector, sets);
  const book = new Book([made.machine]);
  const filled = fillBook(
    book,
    holders(vector, sets).map((draft) => observed(draft, made)),
  );
  expect(filled).toEqual({ overbooked: [], strangers: [] });
  return { book, made };
}

/** Where the engine puts the pod; null: it does not fit, or is refused as it stands. */
function placed(book: Book, object: Json, { resource_quota_hard: hard }: PlacementVector): Holding | null {
  const fields = fieldsOf(object, null);
  try {
    refuseBadParts(fieldsAt(fields, 'spec'), new Map());
  } catch (error) {
    if (error instanceof InputFault) return null;
    throw error;
  }
  const { pod } = draftOf(object);
  const { request } = pod;
  const limited = { ...request, constraints: { ...request.constraints, ...limitsOf(hard) } };
  const decision = new Placer({ book, policy: new Tide(book) }).place({ ...pod, request: limited });
  return decision.ok ? decision.holding : null;
}

function limitsOf(hard: PlacementVector['resource_quota_hard']): Pick<Constraints, 'cardLimits'> {
  if (hard === undefined) return {};
  const quota = { metadata: { namespace: 'team-a', name: 'quota' }, spec: { hard } };
  return { cardLimits: cardQuotaOf(fieldsOf(quota, null)).limits };
}

function slicesOf(book: Book, { cards, memoryMiB, computeMilli, migBits }: Holding): SliceHeld[] {
  return cards.map((card, i) => {
    const bits = migBits[i] ?? 0;
    return {
      cardId: book.cardIds[card] as string,
      memoryMiB: memoryMiB[i] as number,
      computeMilli: computeMilli[i] as number,
      migStart: bits === 0 ? null : 31 - Math.clz32(bits & -bits),
    };
  });
}

function load(shared: string): { vectors: PlacementVector[]; mig_profile_sets: ProfileSets } {
  return JSON.parse(readFileSync(join(shared, 'cases', 'hami', 'placement.json'), 'utf8')) as ReturnType<typeof load>;
}

describeWithShared('pods on machines as HAMi sees them', (shared) => {
  const { vectors, mig_profile_sets: sets } = load(shared);

  test('every difference is of a vector', () => {
    const names = new Set(vectors.map(({ name }) => name));
    expect(Object.keys(PLACEMENT_DIFFERENCES).filter((name) => !names.has(name))).toEqual([]);
  });

  test.each(vectors)('H3: whether it fits: $name', (vector) => {
    const { book } = bookOf(vector, sets);
    const fits = placed(book, waitingPod(vector), vector) !== null;
    expect(fits !== vector.fits).toBe(vector.name in PLACEMENT_DIFFERENCES);
  });

  test.each(vectors.filter(({ fits }) => fits))('H3: what is written is read back: $name', (vector) => {
    const { book, made } = bookOf(vector, sets);
    const object = waitingPod(vector);
    const holding = placed(book, object, vector);
    if (holding === null || holding.cards.length === 0) return;
    const slices = slicesOf(book, holding);
    const allocation = podAllocation({
      cards: made.cards,
      containers: containersOf(fieldsAt(fieldsOf(object, null), 'spec')),
      slices,
      annotations: new Map(Object.entries(vector.pod.annotations ?? {})),
      register: () => null,
      nowMs: 946_684_800_000,
    });
    expect(allocation?.labels).toEqual(new Map([['hami.io/vgpu-node', 'node-a']]));
    const annotations = { ...vector.pod.annotations, ...Object.fromEntries(allocation?.annotations ?? []) };
    const spec = { ...(object['spec'] as Json), nodeName: 'node-a' };
    const { held, problems } = hamiHoldings(
      draftOf(kubePod('team-a/pod-a', 'node-a', { annotations, spec })),
      made.cards,
    );
    expect(problems).toEqual([]);
    const read = Map.groupBy(held ?? [], ({ cardId }) => cardId);
    const charged = Map.groupBy(slices, ({ cardId }) => cardId);
    expect(new Set(read.keys())).toEqual(new Set(charged.keys()));
    for (const [cardId, parts] of charged) {
      const own = read.get(cardId) ?? [];
      expect(sum(own, 'memoryMiB')).toBeLessThanOrEqual(sum(parts, 'memoryMiB'));
      expect(sum(own, 'computeMilli')).toBeLessThanOrEqual(sum(parts, 'computeMilli'));
      expect(startsOf(own)).toEqual(startsOf(parts));
    }
  });
});

function sum(slices: readonly SliceHeld[], unit: 'memoryMiB' | 'computeMilli'): number {
  return slices.reduce((total, slice) => total + slice[unit], 0);
}

function startsOf(slices: readonly SliceHeld[]): number[] {
  return slices.map(({ migStart }) => migStart ?? -1).toSorted((left, right) => left - right);
}
