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

/** Enflame DRS: a capacity in slices for each card, and profiles whose largest is the whole card. */
export function decodeEnflame(text: string, node: string): Result<RegisteredDevice[], string> {
  const value = parseJson(text);
  if (value === null || typeof value !== 'object') return err('no JSON object');
  const { devices: list, profiles } = value as Json;
  const cards = objects(list);
  if (cards === null || cards.length === 0 || profiles === null || typeof profiles !== 'object') {
    return err('no list of cards, or no profiles');
  }
  const sizesGiB = Object.keys(profiles).map((name) => Number(/\.(\d{1,6})gb$/.exec(name)?.[1] ?? 0));
  const memoryMiB = 1024 * Math.max(0, ...sizesGiB);
  const devices: RegisteredDevice[] = [];
  for (const [index, card] of cards.entries()) {
    const slices = count(card['capacity']);
    if (slices === null || slices === 0) return err('a card without a capacity');
    const id = `${node}-enflame-drs-${String(card['index'])}`;
    devices.push({ id, index, count: slices, memoryMiB, cores: 100, type: '', numa: 0, mode: '', isHealthy: true });
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
