import { err, ok, type Result } from '@springtide/core/base';
import { int32, parseJson } from './register.ts';

/** One card's part as a pod annotation names it. */
export interface AllocatedDevice {
  readonly uuid: string;
  readonly type: string;
  readonly memoryMiB: number;
  /** Percent of the card's compute, as most vendors count. */
  readonly cores: number;
}

/**
 * `uuid,type,MiB,cores:` for each card, `;` behind each container, init containers first. Entries of containers
 * without a card may be missing, so the position tells the container only roughly.
 */
export function decodePodDevices(text: string): Result<AllocatedDevice[][], string> {
  const containers: AllocatedDevice[][] = [];
  for (const entry of text.split(';')) {
    const devices: AllocatedDevice[] = [];
    for (const segment of entry.split(':')) {
      if (!segment.includes(',')) continue;
      const [uuid = '', type = '', memory, core, ...more] = segment.split(',');
      if (core === undefined) return err(`${more.length + 3} fields instead of 4`);
      const memoryMiB = int32(memory);
      const cores = int32(core);
      if (memoryMiB === undefined || cores === undefined) return err('a size that is no number');
      devices.push({ uuid, type, memoryMiB, cores });
    }
    containers.push(devices);
  }
  return ok(containers);
}

/** The same as HAMi writes it. Names are taken as they are: one with `,`, `:` or `;` in it will not be read again. */
export function encodePodDevices(containers: readonly (readonly AllocatedDevice[])[]): string {
  const device = ({ uuid, type, memoryMiB, cores }: AllocatedDevice): string =>
    `${uuid},${type},${memoryMiB},${cores}:`;
  return containers.map((devices) => `${devices.map(device).join('')};`).join('');
}

/** What a pod takes of one card over its life. */
export interface CardUse {
  readonly uuid: string;
  readonly memoryMiB: number;
  readonly cores: number;
  /** Containers at once. */
  readonly slots: number;
}

/** Per card, the larger of the hungriest init container and all containers together. */
export function effectiveUse(containers: readonly (readonly AllocatedDevice[])[], initCount: number): CardUse[] {
  const peaks = new Map<string, CardUse>();
  for (const devices of containers.slice(0, initCount)) raise(peaks, sumByCard(devices));
  raise(peaks, sumByCard(containers.slice(initCount).flat()));
  return [...peaks.values()];
}

function sumByCard(devices: readonly AllocatedDevice[]): Map<string, CardUse> {
  const sums = new Map<string, CardUse>();
  for (const { uuid, memoryMiB, cores } of devices) {
    const sum = sums.get(uuid) ?? { uuid, memoryMiB: 0, cores: 0, slots: 0 };
    sums.set(uuid, {
      uuid,
      memoryMiB: sum.memoryMiB + Math.max(0, memoryMiB),
      cores: sum.cores + Math.max(0, cores),
      slots: sum.slots + 1,
    });
  }
  return sums;
}

function raise(peaks: Map<string, CardUse>, uses: ReadonlyMap<string, CardUse>): void {
  for (const use of uses.values()) {
    const peak = peaks.get(use.uuid) ?? use;
    peaks.set(use.uuid, {
      uuid: use.uuid,
      memoryMiB: Math.max(peak.memoryMiB, use.memoryMiB),
      cores: Math.max(peak.cores, use.cores),
      slots: Math.max(peak.slots, use.slots),
    });
  }
}

export interface OldMigName {
  readonly uuid: string;
  /** Which of the card's templates, and which instance of it. */
  readonly template: number;
  readonly slot: number;
}

/** `GPU-a[0-1]`, as older releases of HAMi name an instance; null: no such name. */
export function oldMigName(text: string): OldMigName | null {
  const [, uuid, template, slot] = /^(.+)\[(\d{1,3})-(\d{1,3})\]$/.exec(text) ?? [];
  return uuid === undefined ? null : { uuid, template: Number(template), slot: Number(slot) };
}

export interface MigAllocation {
  readonly uuid: string;
  readonly profile: string;
  readonly start: number;
  readonly size: number;
}

/** `hami.io/vgpu-mig-allocations`: which instance of which card; null for what is malformed. */
export function decodeMigAllocations(text: string): MigAllocation[] | null {
  const list = parseJson(text === '' ? '[]' : text);
  if (list === null) return [];
  if (!Array.isArray(list)) return null;
  const allocations = list.map(migAllocation);
  return allocations.every((item) => item !== null) ? allocations : null;
}

function migAllocation(item: unknown): MigAllocation | null {
  if (item === null || typeof item !== 'object') return null;
  const { gpuUUID, profile, placement } = item as Readonly<Record<string, unknown>>;
  if (typeof gpuUUID !== 'string' || gpuUUID === '' || typeof profile !== 'string') return null;
  if (placement === null || typeof placement !== 'object') return null;
  const { start = 0, size } = placement as Readonly<Record<string, unknown>>;
  if (!isSlice(start) || !isSlice(size) || size === 0) return null;
  return { uuid: gpuUUID, profile, start, size };
}

function isSlice(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 8;
}
