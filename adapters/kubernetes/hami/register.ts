import { err, ok, type Result } from '@springtide/core/base';

/** One card as HAMi's plug-in registers it on the node. */
export interface RegisteredDevice {
  readonly id: string;
  readonly index: number;
  /** Pods at once. */
  readonly count: number;
  readonly memoryMiB: number;
  readonly cores: number;
  readonly type: string;
  readonly numa: number;
  readonly mode: string;
  readonly isHealthy: boolean;
  /** MIG profiles that the plug-in offers on the card; absent: it tells none. */
  readonly migProfiles?: readonly RegisteredProfile[];
}

export interface RegisteredProfile {
  readonly name: string;
  readonly memoryMiB: number;
  /** Percent of the card's compute. */
  readonly cores: number;
  readonly slices: number;
  /** First memory slice and how many, for each place. */
  readonly places: readonly { readonly start: number; readonly size: number }[];
}

const INT32_MAX = 2 ** 31 - 1;

/**
 * Reads a register annotation in either encoding, whichever vendor wrote it. The error says what was wrong;
 * the caller names the node and the annotation.
 */
export function decodeRegister(text: string): Result<RegisteredDevice[], string> {
  const first = text.trimStart()[0];
  const devices = first === '[' || first === '{' || first === 'n' ? decodeJson(text) : decodeCsv(text);
  if (devices.ok && devices.value.length === 0) return err('no cards');
  return devices;
}

function decodeJson(text: string): Result<RegisteredDevice[], string> {
  const list = parseJson(text);
  if (list === null) return err('no cards');
  if (!Array.isArray(list)) return err('no JSON list');
  const devices: RegisteredDevice[] = [];
  for (const item of list) {
    const device = deviceOf(item);
    if (device === null) return err('a card with fields of the wrong type');
    devices.push(device);
  }
  return ok(devices);
}

/** Undefined for what is no JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Go reads keys in any case, and leaves out zero values when it writes: no `health` is unhealthy. */
function deviceOf(item: unknown): RegisteredDevice | null {
  if (item === null || typeof item !== 'object' || Array.isArray(item)) return null;
  const fields = new Map(Object.entries(item).map(([key, value]) => [key.toLowerCase(), value as unknown]));
  const [id, type, mode] = ['id', 'type', 'mode'].map((key) => fields.get(key) ?? '');
  const [count, memoryMiB, cores, numa] = ['count', 'devmem', 'devcore', 'numa'].map((key) => fields.get(key) ?? 0);
  const index = fields.get('index') ?? 0;
  const isHealthy = fields.get('health') ?? false;
  if (typeof id !== 'string' || typeof type !== 'string' || typeof mode !== 'string') return null;
  if (!isInt32(count) || !isInt32(memoryMiB) || !isInt32(cores) || !isInt32(numa)) return null;
  if (typeof index !== 'number' || !Number.isSafeInteger(index) || index < 0) return null;
  if (typeof isHealthy !== 'boolean') return null;
  const profiles = fields.get('migprofiles') ?? null;
  const migProfiles = profiles === null ? undefined : profilesOf(profiles);
  if (migProfiles === null) return null;
  const device = { id, index, count, memoryMiB, cores, type, numa, mode, isHealthy };
  return migProfiles === undefined ? device : { ...device, migProfiles };
}

function profilesOf(list: unknown): RegisteredProfile[] | null {
  if (!Array.isArray(list)) return null;
  const profiles = list.map((item: unknown): RegisteredProfile | null => {
    if (item === null || typeof item !== 'object') return null;
    const { name, memoryMB, core, sliceCount, placements } = item as Readonly<Record<string, unknown>>;
    const places = placements ?? [];
    if (typeof name !== 'string' || !isInt32(memoryMB) || !Array.isArray(places) || !places.every(isPlace)) return null;
    return {
      name,
      memoryMiB: memoryMB,
      cores: isInt32(core) ? core : 0,
      slices: isInt32(sliceCount) ? sliceCount : 0,
      places,
    };
  });
  return profiles.every((profile) => profile !== null) ? profiles : null;
}

function isPlace(item: unknown): item is RegisteredProfile['places'][number] {
  if (item === null || typeof item !== 'object') return false;
  const { start, size } = item as Readonly<Record<string, unknown>>;
  return isInt32(start) && isInt32(size);
}

/** Zero values are left out, and `<`, `>`, `&` written as escapes, as Go does it. */
export function encodeRegister(devices: readonly RegisteredDevice[]): string {
  const list = devices.map(({ id, index, count, memoryMiB, cores, type, numa, mode, migProfiles, isHealthy }) => ({
    ...(id === '' ? {} : { id }),
    ...(index === 0 ? {} : { index }),
    ...(count === 0 ? {} : { count }),
    ...(memoryMiB === 0 ? {} : { devmem: memoryMiB }),
    ...(cores === 0 ? {} : { devcore: cores }),
    ...(type === '' ? {} : { type }),
    ...(numa === 0 ? {} : { numa }),
    ...(mode === '' ? {} : { mode }),
    ...(migProfiles === undefined || migProfiles.length === 0 ? {} : { migProfiles: migProfiles.map(profileFields) }),
    ...(isHealthy ? { health: true } : {}),
  }));
  return JSON.stringify(list).replaceAll(/[<>&\u2028\u2029]/g, (sign) => {
    return `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}

function profileFields({ name, memoryMiB, cores, slices, places }: RegisteredProfile): object {
  const placements = places.length === 0 ? null : places.map(({ start, size }) => ({ start, size }));
  return { name, memoryMB: memoryMiB, core: cores, sliceCount: slices, placements };
}

/** The older encoding, of nine fields a card. What holds `,` or `:` will not be read again. */
export function encodeRegisterAsCsv(devices: readonly RegisteredDevice[]): string {
  return devices
    .map(({ id, count, memoryMiB, cores, type, numa, isHealthy, index, mode }) => {
      return `${[id, count, memoryMiB, cores, type, numa, isHealthy, index, mode].join(',')}:`;
    })
    .join('');
}

function isInt32(value: unknown): value is number {
  return Number.isInteger(value) && Math.abs(Number(value)) <= INT32_MAX;
}

/** `uuid,count,MiB,cores,type,numa,health` and perhaps `,index,mode`; every card ends with a colon. */
function decodeCsv(text: string): Result<RegisteredDevice[], string> {
  if (!text.includes(':')) return err('no colon behind a card');
  const devices: RegisteredDevice[] = [];
  for (const segment of text.split(':')) {
    if (segment === '') continue;
    const device = csvDevice(segment.split(','));
    if (typeof device === 'string') return err(device);
    devices.push(device);
  }
  return ok(devices);
}

function csvDevice(fields: readonly string[]): RegisteredDevice | string {
  if (fields.length !== 7 && fields.length !== 9) return `${fields.length} fields instead of 7 or 9`;
  const [id = '', , , , type = '', , health = '', index = '0', mode = 'hami-core'] = fields;
  const [count, memoryMiB, cores, numa, position] = [fields[1], fields[2], fields[3], fields[5], index].map(int32);
  if (count === undefined || memoryMiB === undefined || cores === undefined || numa === undefined) {
    return 'a field that should be a number';
  }
  if (position === undefined || position < 0) return 'an index that is no number';
  const isHealthy = goBoolean(health);
  if (isHealthy === null) return 'a health that is neither true nor false';
  return { id, index: position, count, memoryMiB, cores, type, numa, mode, isHealthy };
}

/** As Go's ParseInt to 32 bits; undefined when it is none. */
export function int32(text: string | undefined): number | undefined {
  if (text === undefined || !/^[+-]?\d+$/.test(text)) return undefined;
  const value = Number(text);
  return isInt32(value) ? value : undefined;
}

/** As Go's ParseBool; null when it is none. */
export function goBoolean(text: string): boolean | null {
  if (['1', 't', 'T', 'TRUE', 'true', 'True'].includes(text)) return true;
  return ['0', 'f', 'F', 'FALSE', 'false', 'False'].includes(text) ? false : null;
}
