import { kubeNode } from '@springtide/testkit/kubectl';
import { describeWithShared } from '@springtide/testkit/shared';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fieldsOf } from '../fields.ts';
import { machineCards } from '../machine-cards.ts';
import { RACK_LABELS, readNode } from '../node.ts';
import { REGISTER_DIFFERENCES } from './differences.ts';
import { HAMI_KEYS } from './keys.ts';
import { decodeEnflame, decodeMetax, devicesOfCapacity } from './others.ts';
import { decodeRegister, encodeRegister, encodeRegisterAsCsv, type RegisteredDevice } from './register.ts';
import { cardName } from './share-out.ts';

interface VectorProfile {
  readonly name: string;
  readonly memoryMB: number;
  readonly core: number;
  readonly sliceCount: number;
  readonly placements: readonly { readonly start: number; readonly size: number }[] | null;
}

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
  readonly mig_profiles?: readonly VectorProfile[];
}

interface RegisterVector {
  readonly name: string;
  readonly kind: string;
  readonly vendor: string;
  readonly annotation_key?: string;
  readonly with_register_annotation?: string;
  readonly encoder?: string;
  readonly encoded?: string;
  readonly devices?: readonly Device[];
  readonly decoded?: 'same' | readonly Device[];
  readonly error?: string;
  readonly capacity?: Readonly<Record<string, string>>;
  readonly node_labels?: Readonly<Record<string, string>>;
}

function load(shared: string): RegisterVector[] {
  return JSON.parse(readFileSync(join(shared, 'cases', 'hami', 'node-register.json'), 'utf8')) as RegisterVector[];
}

/** HAMi reads these as full cores whatever is registered; the card's compute does not come from there. */
const FORCED_CORES = new Set(['Biren', 'Vastai']);
const DECODERS = { Enflame: decodeEnflame, 'Metax-SGPU': decodeMetax } as const;

function asDevice(device: RegisteredDevice): Device {
  const { id, index, count, memoryMiB: devmem, cores: devcore, type, numa, mode, isHealthy: health } = device;
  const profiles = device.migProfiles?.map(({ name, memoryMiB, cores, slices, places }) => {
    const placements = places.length === 0 ? null : places;
    return { name, memoryMB: memoryMiB, core: cores, sliceCount: slices, placements };
  });
  const found = { id, index, count, devmem, devcore, type, numa, mode, health };
  return profiles === undefined ? found : { ...found, mig_profiles: profiles };
}

function asRegistered(device: Device): RegisteredDevice {
  const { id, index, count, devmem, devcore, type, numa, mode, health, mig_profiles: profiles } = device;
  const found = { id, index, count, memoryMiB: devmem, cores: devcore, type, numa, mode, isHealthy: health };
  const migProfiles = profiles?.map(({ name, memoryMB, core, sliceCount, placements }) => {
    return { name, memoryMiB: memoryMB, cores: core, slices: sliceCount, places: placements ?? [] };
  });
  return migProfiles === undefined ? found : { ...found, migProfiles };
}

/** What HAMi read, without what only HAMi's own code uses. */
function wanted({ vendor, decoded, devices }: RegisterVector): unknown[] {
  const list = (decoded === 'same' ? devices : decoded) ?? [];
  return list.map((device) => {
    const { id, index, count, devmem, devcore, type, numa, mode, health, mig_profiles } = device;
    const cores = FORCED_CORES.has(vendor) ? (expect.any(Number) as unknown) : devcore;
    return { id, index, count, devmem, devcore: cores, type, numa, mode, health, mig_profiles };
  });
}

describeWithShared('register annotations of HAMi', (shared) => {
  const vectors = load(shared);
  const hasOwnForm = ({ vendor }: RegisterVector): boolean => vendor in DECODERS;
  const isScore = ({ annotation_key: key }: RegisterVector): boolean => key?.endsWith('-score') === true;

  test('there are vectors of every kind, and every difference is of one', () => {
    const names = new Set(vectors.map(({ name }) => name));
    expect(vectors.length).toBe(139);
    expect(Object.keys(REGISTER_DIFFERENCES).filter((name) => !names.has(name))).toEqual([]);
  });

  const written = vectors.filter(({ encoder = '' }) => /^(?:Marshal|Encode)NodeDevices$/.test(encoder));
  test.each(written)('H3: written byte for byte: $name', ({ devices = [], encoder, encoded }) => {
    const encode = encoder === 'EncodeNodeDevices' ? encodeRegisterAsCsv : encodeRegister;
    expect(encode(devices.map(asRegistered))).toBe(encoded);
  });

  const registers = vectors.filter((vector) => vector.encoded !== undefined && !hasOwnForm(vector) && !isScore(vector));
  test.each(registers)('H3: read: $name', (vector) => {
    const read = decodeRegister(vector.encoded ?? '');
    const isRefused = vector.error !== undefined;
    expect(read.ok === isRefused).toBe(vector.name in REGISTER_DIFFERENCES);
    if (read.ok && !isRefused) expect(read.value.map(asDevice)).toEqual(wanted(vector));
  });

  test.each(vectors.filter(isScore))('H3: whatever the pair scores are: $name', (vector) => {
    const read = decodeRegister(vector.with_register_annotation ?? '');
    expect(read.ok && read.value.length === 2).toBe(true);
    expect(vector.error !== undefined).toBe(vector.name in REGISTER_DIFFERENCES);
  });

  test.each(vectors.filter(hasOwnForm))('H3: read in a form of its own: $name', (vector) => {
    const decode = DECODERS[vector.vendor as keyof typeof DECODERS];
    const read = decode(vector.encoded ?? '', 'node-a');
    expect(read.ok).toBe(vector.error === undefined);
    if (!read.ok || typeof vector.decoded !== 'object') return;
    const sizes = ({ id, count, devmem, health, numa }: Device): unknown => ({ id, count, devmem, health, numa });
    expect(read.value.map(asDevice).map(sizes)).toEqual(vector.decoded.map(sizes));
  });

  const byCapacity = vectors.filter(({ capacity }) => capacity !== undefined);
  test.each(byCapacity)(
    'H3: made from capacity: $name',
    ({ vendor, capacity = {}, decoded, node_labels: labels = {} }) => {
      const resource = HAMI_KEYS.find(({ word }) => word === vendor)?.resource ?? '';
      const node = readNode(fieldsOf(kubeNode('node-a', { capacity, labels }), null), {
        rackLabels: RACK_LABELS,
        cluster: '',
      });
      const sized = devicesOfCapacity(resource, 'node-a', node.capacity);
      const group = machineCards(node, false).groups.find((item) => item.resource === resource);
      const ids = sized?.map(({ id }) => id) ?? group?.cardIds ?? [];
      const want = typeof decoded === 'object' ? decoded : [];
      expect(ids.map((id, index) => cardName(resource, 'node-a', id, index))).toEqual(want.map(({ id }) => id));
      if (sized === null) return;
      expect(sized.map(({ memoryMiB, cores }) => [memoryMiB, cores])).toEqual(
        want.map(({ devmem, devcore }) => [devmem, devcore]),
      );
    },
  );
});
