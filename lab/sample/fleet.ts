import type { Random } from '@springtide/core/base';
import type { Card, Machine } from '@springtide/core/model';

const GIB = 1024 ** 3;
const MACHINES_IN_RACK = 8;
const PODS_MAX = 110;

/** A kind of machine as fleets have them. Cores a card differ by a factor of four, as in the public traces. */
interface MachineKind {
  readonly name: string;
  readonly vendor: string;
  readonly resource: string;
  readonly product: string;
  readonly cards: number;
  readonly cardMemoryMiB: number;
  /** Cards joined by a fast link. */
  readonly islandSize: number;
  readonly slicing: Card['slicing'];
  /** Host sizes in cores; one is drawn for each machine. */
  readonly cores: readonly number[];
  readonly memoryGiB: number;
  /** Machines by zone, in the order of `ZONES`. */
  readonly machines: readonly number[];
}

export const ZONES = [
  { region: 'north', zone: 'north-a' },
  { region: 'north', zone: 'north-b' },
  { region: 'east', zone: 'east-a' },
  { region: 'east', zone: 'east-b' },
] as const;

export const NVIDIA_GPU = 'nvidia.com/gpu';
export const ASCEND_910B = 'huawei.com/Ascend910B';

const nvidia = { vendor: 'nvidia', resource: NVIDIA_GPU, slicing: 'memory' } as const;

export const MACHINE_KINDS: readonly MachineKind[] = [
  {
    ...nvidia,
    name: 'h100',
    product: 'NVIDIA-H100-80GB-HBM3',
    cards: 8,
    cardMemoryMiB: 81_559,
    islandSize: 8,
    cores: [192],
    memoryGiB: 2048,
    machines: [8, 0, 8, 0],
  },
  {
    ...nvidia,
    name: 'a100',
    product: 'NVIDIA-A100-SXM4-80GB',
    cards: 8,
    cardMemoryMiB: 81_920,
    islandSize: 8,
    cores: [96, 128],
    memoryGiB: 1024,
    machines: [12, 8, 16, 0],
  },
  {
    ...nvidia,
    name: 'l20',
    product: 'NVIDIA-L20',
    cards: 8,
    cardMemoryMiB: 46_068,
    islandSize: 1,
    cores: [96, 128],
    memoryGiB: 768,
    machines: [8, 8, 8, 8],
  },
  {
    ...nvidia,
    name: 'a10',
    product: 'NVIDIA-A10',
    cards: 4,
    cardMemoryMiB: 23_028,
    islandSize: 1,
    cores: [48, 64],
    memoryGiB: 384,
    machines: [0, 8, 8, 8],
  },
  {
    ...nvidia,
    name: 't4',
    product: 'Tesla-T4',
    cards: 4,
    cardMemoryMiB: 15_360,
    islandSize: 1,
    cores: [32, 96],
    memoryGiB: 256,
    machines: [16, 8, 8, 8],
  },
  {
    ...nvidia,
    name: 'v100',
    product: 'Tesla-V100-SXM2-32GB',
    cards: 8,
    cardMemoryMiB: 32_768,
    islandSize: 8,
    cores: [64, 96],
    memoryGiB: 512,
    machines: [0, 8, 0, 8],
  },
  {
    name: '910b',
    vendor: 'ascend',
    resource: ASCEND_910B,
    product: '910B',
    slicing: 'none',
    cards: 8,
    cardMemoryMiB: 65_536,
    islandSize: 8,
    cores: [192],
    memoryGiB: 1536,
    machines: [8, 0, 0, 8],
  },
];

/** The machines of the sample: two regions, four zones, racks of eight, seven models of card. */
export function sampleFleet(random: Random): Machine[] {
  return ZONES.flatMap((place, zone) =>
    MACHINE_KINDS.flatMap((kind) =>
      Array.from({ length: kind.machines[zone] ?? 0 }, (_, index) => {
        const cores = kind.cores[random.below(kind.cores.length)] ?? 0;
        return machineOf(kind, place, index, cores);
      }),
    ),
  );
}

function machineOf(kind: MachineKind, place: (typeof ZONES)[number], index: number, cores: number): Machine {
  const id = `${place.zone}-${kind.name}-${String(index + 1).padStart(2, '0')}`;
  const rack = `${place.zone}-${kind.name}-r${Math.floor(index / MACHINES_IN_RACK) + 1}`;
  return {
    id,
    location: { ...place, rack, cluster: place.region },
    cpuMilli: cores * 1000,
    memoryBytes: kind.memoryGiB * GIB,
    podsMax: PODS_MAX,
    resources: new Map(),
    labels: new Map([
      ['kubernetes.io/hostname', id],
      ['topology.kubernetes.io/region', place.region],
      ['topology.kubernetes.io/zone', place.zone],
    ]),
    taints: [],
    cordoned: false,
    cards: Array.from({ length: kind.cards }, (_, card) => cardOf(kind, id, card)),
  };
}

function cardOf(kind: MachineKind, machine: string, index: number): Card {
  return {
    id: `${machine}/${index}`,
    vendor: kind.vendor,
    resource: kind.resource,
    model: kind.product,
    memoryMiB: kind.cardMemoryMiB,
    computeMilli: 1000,
    sharesMax: kind.slicing === 'memory' ? 10 : null,
    slicing: kind.slicing,
    island: Math.floor(index / kind.islandSize),
    health: 'ok',
  };
}
