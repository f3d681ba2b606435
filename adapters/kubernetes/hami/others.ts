import { err, ok, type Result } from '@springtide/core/base';
import { parseJson, type RegisteredDevice } from './register.ts';
import type { Amounts } from '../resources.ts';

/** Registers of plug-ins that have forms of their own, and cards that HAMi derives from the node's capacity. */

type Json = Readonly<Record<string, unknown>>;

function objects(list: unknown): Json[] | null {
  if (!Array.isArray(list)) return null;
  const isObject = (item: unknown): item is Json => item !== null && typeof item === 'object' && !Array.isArray(item);
  return list.every(isObject) ? list : null;
}

function count(value: unknown): number | null {
  if (value === undefined) return 0;
  const number = typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isInteger(number) && number >= 0 ? number : null;
}

const METAX_SIZES = ['totalDevCount', 'totalCompute', 'totalVRam', 'numa'];

/** MetaX sGPU: `uuid, model, totalDevCount, totalCompute, totalVRam, numa, healthy`. */
export function decodeMetax(text: string): Result<RegisteredDevice[], string> {
  const list = objects(parseJson(text));
  if (list === null || list.length === 0) return err('no list of cards');
  const devices: RegisteredDevice[] = [];
  for (const [index, item] of list.entries()) {
    const { uuid, model, healthy } = item;
    const [shares, cores, memoryMiB, numa] = METAX_SIZES.map((key) => count(item[key]) ?? undefined);
    if (typeof uuid !== 'string' || shares === undefined || cores === undefined) return err('a card without its sizes');
    if (memoryMiB === undefined || numa === undefined) return err('a card without its sizes');
    const type = typeof model === 'string' ? model : '';
    const isHealthy = healthy === true;
    devices.push({ id: uuid, index, count: shares, memoryMiB, cores, type, numa, mode: '', isHealthy });
  }
  return ok(devices);
}

/** A fixed size of Enflame's slices, such as `2g.14gb`. */
interface EnflameProfile {
  readonly name: string;
  readonly id: string;
  readonly slices: number;
  readonly memoryMiB: number;
}

interface EnflameRegister {
  /** Ascending by memory. */
  readonly profiles: readonly EnflameProfile[];
  /** By position: the numbers by which the plug-in knows a card, and its slices; null: not told. */
  readonly slots: readonly { readonly index: string; readonly minor: string; readonly slices: number | null }[];
}

/** What Enflame's plug-in tells of its cards; what cannot be read of it is left out. */
export function enflameRegister(text: string): EnflameRegister {
  const value = parseJson(text);
  const { devices, profiles } = (value !== null && typeof value === 'object' ? value : {}) as Json;
  const named = profiles !== null && typeof profiles === 'object' ? Object.entries(profiles) : [];
  return {
    profiles: named
      .flatMap(([name, id]): EnflameProfile[] => {
        const [, slices, gib] = /^(\d{1,3})g\.(\d{1,6})gb$/.exec(name) ?? [];
        if (slices === undefined || typeof id !== 'string') return [];
        return [{ name, id, slices: Number(slices), memoryMiB: Number(gib) * 1024 }];
      })
      .toSorted((left, right) => left.memoryMiB - right.memoryMiB),
    slots: (objects(devices) ?? []).map(({ index, minor, capacity }) => ({
      index: typeof index === 'string' ? index : String(count(index) ?? ''),
      minor: typeof minor === 'string' ? minor : '',
      slices: count(capacity),
    })),
  };
}

/** Enflame DRS: a capacity in slices for each card, and profiles whose largest is the whole card. */
export function decodeEnflame(text: string, node: string): Result<RegisteredDevice[], string> {
  const { profiles, slots } = enflameRegister(text);
  if (slots.length === 0) return err('no list of cards');
  const memoryMiB = profiles.at(-1)?.memoryMiB ?? 0;
  const devices: RegisteredDevice[] = [];
  for (const [position, { index, slices }] of slots.entries()) {
    if (slices === null || slices === 0) return err('a card without a capacity');
    const id = `${node}-enflame-drs-${index}`;
    devices.push({
      id,
      index: position,
      count: slices,
      memoryMiB,
      cores: 100,
      type: '',
      numa: 0,
      mode: '',
      isHealthy: true,
    });
  }
  return ok(devices);
}

interface CapacityRule {
  readonly resource: string;
  readonly cores: string;
  readonly coresPerCard: number;
  readonly memory: string;
  readonly memoryUnitMiB: number;
  readonly prefix: string;
}

const CAPACITY_RULES: readonly CapacityRule[] = [
  {
    resource: 'cambricon.com/vmlu',
    cores: 'cambricon.com/mlu.smlu.vcore',
    coresPerCard: 100,
    memory: 'cambricon.com/mlu.smlu.vmemory',
    memoryUnitMiB: 256,
    prefix: 'cambricon-mlu',
  },
  {
    resource: 'mthreads.com/vgpu',
    cores: 'mthreads.com/sgpu-core',
    coresPerCard: 16,
    memory: 'mthreads.com/sgpu-memory',
    memoryUnitMiB: 512,
    prefix: 'mthreads',
  },
];

/** The most cards believed of one machine. */
const CARDS_MAX = 4096;

/** Cards of plug-ins that register none but advertise cores and memory of the whole node; null: not such a node. */
export function devicesOfCapacity(resource: string, node: string, capacity: Amounts): RegisteredDevice[] | null {
  const rule = CAPACITY_RULES.find((row) => row.resource === resource);
  const cores = rule === undefined ? 0 : (capacity.get(rule.cores) ?? 0);
  if (rule === undefined || cores === 0) return null;
  // A core in excess of whole cards is a card more, whose memory is then counted as its share.
  const cards = Math.min(CARDS_MAX, Math.ceil(cores / rule.coresPerCard));
  const memoryMiB = Math.floor(((capacity.get(rule.memory) ?? 0) * rule.memoryUnitMiB) / (cores / rule.coresPerCard));
  return Array.from({ length: cards }, (_, index) => ({
    id: `${node}-${rule.prefix}-${index}`,
    index,
    count: 100,
    memoryMiB,
    cores: rule.coresPerCard,
    type: '',
    numa: 0,
    mode: '',
    isHealthy: true,
  }));
}
