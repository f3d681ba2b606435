import { describeWithShared } from '@springtide/testkit/shared';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { decodeEnflame, decodeMetax, devicesOfCapacity } from './others.ts';
import { decodeMigAllocations, decodePodDevices, effectiveUse } from './pods.ts';
import { decodeRegister, type RegisteredDevice } from './register.ts';

interface Device {
  readonly id: string;
  readonly index: number;
  readonly count: number;
  readonly devmem: number;
  readonly devcore: number;
  readonly type: string;
  readonly numa: number;
  readonly mode: string;
  readonly health: boolean;
}

interface RegisterVector {
  readonly name: string;
  readonly vendor: string;
  readonly annotation_key?: string;
  readonly encoder?: string;
  readonly encoded?: string;
  readonly devices?: readonly Device[];
  readonly decoded?: 'same' | readonly Device[];
  readonly error?: string;
  readonly capacity?: Readonly<Record<string, string>>;
}

interface PodPart {
  readonly uuid: string;
  readonly type: string;
  readonly mem: number;
  readonly cores: number;
  readonly slots?: number;
}

interface PodVector {
  readonly name: string;
  readonly kind: string;
  readonly init_containers?: number;
  readonly encoded?: string | Readonly<Record<string, string>>;
  readonly decoded?: Readonly<Record<string, readonly (readonly PodPart[])[]>>;
  readonly effective?: Readonly<Record<string, readonly (readonly PodPart[])[]>>;
  readonly error?: string;
}

interface MigVector {
  readonly name: string;
  readonly encoded: string;
  readonly decoded: readonly { readonly gpuUUID: string; readonly placement: { readonly start: number } }[] | null;
  readonly error_class?: string;
}

/** The shape of the vectors is theirs, so what is read is taken at its word by the caller. */
function load(shared: string, file: string) {
  return JSON.parse(readFileSync(join(shared, 'cases', 'hami', file), 'utf8'));
}

/** HAMi's name for the device kinds that have a form of their own, or none at all. */
const OWN_FORMS = new Set(['Metax-SGPU', 'Enflame']);
/** HAMi reads one encoding a vendor and refuses the other; we read both, wherever they are. */
const REFUSED_BY_HAMI_ONLY = new Set([
  'nvidia-legacy-encoder-read-by-json-decoder',
  'hygon-json-read-by-legacy-decoder',
  'nvidia-decode-15',
  'nvidia-decode-18',
]);
/** HAMi reads these as full cores whatever is registered; the card's compute does not come from there. */
const FORCED_CORES = new Set(['Biren', 'Vastai']);

function asDevice(device: RegisteredDevice): Device {
  const { id, index, count, type, numa, mode } = device;
  return {
    id,
    index,
    count,
    devmem: device.memoryMiB,
    devcore: device.cores,
    type,
    numa,
    mode,
    health: device.isHealthy,
  };
}

function plain(device: Device): Device {
  const { id, index, count, devmem, devcore, type, numa, mode, health } = device;
  return { id, index, count, devmem, devcore, type, numa, mode, health };
}

describeWithShared('register annotations of HAMi', (shared) => {
  const vectors: RegisterVector[] = load(shared, 'node-register.json');
  const registers = vectors.filter(
    (vector) =>
      vector.encoded !== undefined && !OWN_FORMS.has(vector.vendor) && !vector.annotation_key?.endsWith('-score'),
  );

  test.each(registers)('$name', (vector) => {
    const read = decodeRegister(vector.encoded ?? '');
    if (vector.error !== undefined) {
      if (!REFUSED_BY_HAMI_ONLY.has(vector.name)) expect(read.ok).toBe(false);
      return;
    }
    const want = (vector.decoded === 'same' ? vector.devices : vector.decoded) ?? [];
    const devices = read.ok ? read.value.map(asDevice) : read.error;
    const cores = (device: Device): unknown => (FORCED_CORES.has(vector.vendor) ? expect.any(Number) : device.devcore);
    expect(devices).toEqual(want.map((device) => Object.assign(plain(device), { devcore: cores(device) })));
  });

  test.each(vectors.filter((vector) => OWN_FORMS.has(vector.vendor)))('$name', (vector) => {
    const read =
      vector.vendor === 'Enflame' ? decodeEnflame(vector.encoded ?? '', 'node-a') : decodeMetax(vector.encoded ?? '');
    expect(read.ok).toBe(vector.error === undefined);
    if (!read.ok || vector.decoded === 'same') return;
    const devices = read.value.map(({ id, count, memoryMiB, isHealthy }) => ({
      id,
      count,
      devmem: memoryMiB,
      health: isHealthy,
    }));
    expect(devices).toEqual(vector.decoded?.map(({ id, count, devmem, health }) => ({ id, count, devmem, health })));
  });

  const byCapacity = vectors.filter(
    (vector) => vector.capacity !== undefined && /^(?:MLU|Mthreads)$/.test(vector.vendor),
  );
  test.each(byCapacity)('$name', (vector) => {
    const resource = vector.vendor === 'MLU' ? 'cambricon.com/vmlu' : 'mthreads.com/vgpu';
    const capacity = new Map(Object.entries(vector.capacity ?? {}).map(([name, text]) => [name, Number(text)]));
    const devices = devicesOfCapacity(resource, 'node-a', capacity);
    if (vector.decoded === undefined || vector.decoded === 'same') expect(devices).toBeNull();
    else
      expect(devices?.map(asDevice).map(({ id, devmem, devcore }) => [id, devmem, devcore])).toEqual(
        vector.decoded.map(({ id, devmem, devcore }) => [id, devmem, devcore]),
      );
  });
});

describeWithShared('pod annotations of HAMi', (shared) => {
  const vectors: PodVector[] = load(shared, 'pod-devices.json');
  const values = vectors.flatMap((vector) => {
    if (!vector.kind.endsWith('decode') || typeof vector.encoded !== 'object') return [];
    return Object.entries(vector.encoded).map(([vendor, text]) => ({
      name: `${vector.name} ${vendor}`,
      vendor,
      text,
      vector,
    }));
  });

  test('there are vectors of every kind', () => {
    expect(values.length).toBeGreaterThan(100);
  });

  test.each(values)('$name', ({ vendor, text, vector }) => {
    const read = decodePodDevices(text);
    expect(read.ok).toBe(vector.error === undefined);
    if (!read.ok) return;
    const parts = read.value.map((entry) =>
      entry.map(({ uuid, type, memoryMiB, cores }) => ({ uuid, type, mem: memoryMiB, cores })),
    );
    const want = vector.decoded?.[vendor]?.map((entry) =>
      entry.map(({ uuid, type, mem, cores }) => ({ uuid, type, mem, cores })),
    );
    expect(parts).toEqual(want);
    const [effective] = vector.effective?.[vendor] ?? [];
    if (effective === undefined) return;
    const uses = effectiveUse(read.value, vector.init_containers ?? 0);
    expect(uses.map(({ uuid, memoryMiB, cores, slots }) => ({ uuid, mem: memoryMiB, cores, slots }))).toEqual(
      expect.arrayContaining(effective.map(({ uuid, mem, cores, slots }) => ({ uuid, mem, cores, slots }))),
    );
    expect(uses.length).toBe(effective.length);
  });

  const all: MigVector[] = load(shared, 'pod-devices.json');
  const migs = all.filter((vector) => vector.name.startsWith('mig-allocations'));
  test.each(migs)('$name', ({ encoded, decoded, error_class: error }) => {
    const read = decodeMigAllocations(encoded);
    // Runtime identities and container numbers are the plug-in's business, not ours.
    if (/identity|duplicate/.test(error ?? '') || encoded.includes('"containerIndex":-1')) return;
    if (error !== undefined) expect(read).toBeNull();
    else
      expect(read?.map(({ uuid, start }) => [uuid, start])).toEqual(
        (decoded ?? []).map(({ gpuUUID, placement }) => [gpuUUID, placement.start]),
      );
  });
});
