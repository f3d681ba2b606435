import { describeWithShared } from '@springtide/testkit/shared';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { expect, test } from 'vitest';
import { cardAnnotations, type CardPart, type ContainerCards } from './allocation.ts';
import { AFTER_INIT_DIFFERENCES, POD_DIFFERENCES } from './differences.ts';
import { HAMI_KEYS } from './keys.ts';
import {
  type CardUse,
  decodeMigAllocations,
  decodePodDevices,
  effectiveUse,
  encodePodDevices,
  oldMigName,
} from './pods.ts';

type Texts = Readonly<Record<string, string>>;

interface Part {
  readonly uuid: string;
  readonly type: string;
  readonly mem: number;
  readonly cores: number;
  readonly slots?: number;
  readonly index?: number;
  readonly custom_info?: {
    readonly migProfile?: string;
    readonly migPlacement?: { readonly start: number; readonly size: number };
  };
}

type ByVendor<T> = Readonly<Record<string, T>>;

interface PodVector {
  readonly name: string;
  readonly kind: string;
  readonly init_containers?: number;
  readonly containers?: ByVendor<readonly (readonly Part[] | null)[]>;
  readonly encoded: ByVendor<string>;
  readonly written?: Texts;
  readonly decoded?: ByVendor<readonly (readonly Part[])[]>;
  readonly re_encoded?: string;
  readonly effective?: ByVendor<readonly (readonly Part[])[]>;
  readonly after_init_done?: ByVendor<readonly (readonly Part[])[]>;
  readonly annotations?: Texts | null;
  readonly pod_annotations?: Texts;
  readonly error?: string;
}

interface KindVector {
  readonly type: string;
  readonly containers: readonly Part[];
  readonly encoded: string;
}

interface MigVector {
  readonly name: string;
  readonly kind: string;
  readonly encoded: string;
  readonly decoded?: readonly { readonly gpuUUID: string; readonly placement: { readonly start: number } }[] | null;
  readonly error_class?: string;
  readonly slot?: number;
  readonly template?: number;
}

function load<T>(shared: string): T[] {
  return JSON.parse(readFileSync(join(shared, 'cases', 'hami', 'pod-devices.json'), 'utf8')) as T[];
}

const NOW_MS = 946_684_800_000;
const REGISTER = JSON.stringify({
  devices: [{ index: '0', minor: '0', capacity: 6 }],
  profiles: { '1g.7gb': '0', '2g.14gb': '1', '3g.21gb': '2', '6g.42gb': '3' },
});

function cardPart({ uuid, mem, cores, index = 0, custom_info: custom }: Part): CardPart {
  const part = { uuid, memoryMiB: mem, cores, index };
  const { migProfile: profile, migPlacement: place } = custom ?? {};
  return profile === undefined || place === undefined ? part : { ...part, mig: { profile, ...place } };
}

/** Everything that we would write for what a vector gives to the containers, kind by kind. */
function writtenFor(vector: PodVector): Texts {
  const written = Object.entries(vector.containers ?? {}).flatMap(([vendor, containers]) => {
    const keys = HAMI_KEYS.find(({ word }) => word === vendor);
    if (keys === undefined) return [];
    const cards: ContainerCards[] = containers.map((parts, i) => ({
      name: `c${i}`,
      cards: (parts ?? []).map(cardPart),
    }));
    const ask = {
      resource: keys.resource,
      machine: '',
      containers: cards,
      initCount: vector.init_containers ?? 0,
      annotations: new Map(Object.entries(vector.pod_annotations ?? {})),
      register: REGISTER,
      nowMs: NOW_MS,
    };
    return cardAnnotations(ask, keys);
  });
  return Object.fromEntries(written);
}

function withTimes(written: Texts): Texts {
  const times = [
    ['<unix-seconds>', String(NOW_MS / 1000)],
    ['<unix-nanoseconds>', `${NOW_MS}000000`],
  ] as const;
  return Object.fromEntries(
    Object.entries(written).map(([key, value]) => [key, times.find(([sign]) => sign === value)?.[1] ?? value]),
  );
}

function plain(containers: readonly (readonly Part[])[] | undefined): unknown {
  return containers?.map((parts) => parts.map(({ uuid, type, mem, cores }) => ({ uuid, type, mem, cores })));
}

function useOf({ uuid, mem, cores, slots = 1 }: Part): CardUse {
  return { uuid, memoryMiB: mem, cores, slots };
}

describeWithShared('pod annotations of HAMi', (shared) => {
  const all = load<PodVector>(shared);

  test('there are vectors of every kind, and every difference is of one', () => {
    const names = new Set(all.map(({ name }) => name));
    expect(all.length).toBe(141);
    const listed = Object.keys({ ...POD_DIFFERENCES, ...AFTER_INIT_DIFFERENCES });
    expect(listed.filter((name) => !names.has(name))).toEqual([]);
  });

  const encoding = all.filter(({ kind }) => kind === 'encode+decode');
  test.each(encoding)('H3: written byte for byte: $name', (vector) => {
    const own = writtenFor(vector);
    const theirs = withTimes(vector.written ?? {});
    expect(isDeepStrictEqual(own, theirs)).toBe(!(vector.name in POD_DIFFERENCES));
  });

  const values = all.flatMap((vector) => {
    if (vector.kind !== 'encode+decode' && vector.kind !== 'decode') return [];
    return Object.entries(vector.encoded).map(([vendor, text]) => ({
      name: `${vector.name} ${vendor}`,
      vendor,
      text,
      vector,
    }));
  });

  test.each(values)('H3: read: $name', ({ vendor, text, vector }) => {
    const read = decodePodDevices(text);
    expect(read.ok).toBe(vector.error === undefined);
    if (!read.ok) return;
    const parts = read.value.map((entry) =>
      entry.map(({ uuid, type, memoryMiB, cores }) => ({ uuid, type, mem: memoryMiB, cores })),
    );
    expect(parts).toEqual(plain(vector.decoded?.[vendor]));
    if (vector.re_encoded !== undefined) expect(encodePodDevices(read.value)).toBe(vector.re_encoded);
    const [effective] = vector.effective?.[vendor] ?? [];
    if (effective === undefined) return;
    const uses = effectiveUse(read.value, vector.init_containers ?? 0);
    const byCard = (list: readonly CardUse[]): CardUse[] =>
      list.toSorted((left, right) => (left.uuid < right.uuid ? -1 : 1));
    expect(byCard(uses)).toEqual(byCard(effective.map(useOf)));
    const [after] = vector.after_init_done?.[vendor] ?? [];
    if (after === undefined) return;
    expect(isDeepStrictEqual(byCard(uses), byCard(after.map(useOf)))).toBe(!(vector.name in AFTER_INIT_DIFFERENCES));
  });

  const parts = all.filter(({ kind }) => kind === 'encode-container-type');
  test.each(parts)('H3: the cards of one kind in a container: $name', (vector) => {
    const { type, containers, encoded } = vector as unknown as KindVector;
    const own = containers.filter((part) => part.type === type);
    const entry = own.map(({ uuid, type: word, mem, cores }) => ({ uuid, type: word, memoryMiB: mem, cores }));
    // A plug-in writes one container, and leaves the signs out that end a card and a container.
    expect(encodePodDevices([entry]).replace(/:?;$/, '')).toBe(encoded);
  });

  const pods = all.filter(({ kind }) => kind === 'decode-pod');
  test.each(pods)('H3: one kind that cannot be read: $name', (vector) => {
    const read = Object.entries(vector.annotations ?? {}).flatMap(([key, text]) => {
      const keys = HAMI_KEYS.find(({ allocated }) => allocated === key);
      const devices = keys === undefined ? null : decodePodDevices(text);
      return keys === undefined || devices?.ok !== true ? [] : [[keys.word, plainRead(devices.value)] as const];
    });
    const isSame = isDeepStrictEqual(Object.fromEntries(read), plainByVendor(vector.decoded));
    expect(isSame).toBe(!(vector.name in POD_DIFFERENCES));
  });

  const migs = load<MigVector>(shared).filter(({ kind }) => kind === 'mig-allocations');
  test.each(migs)('H3: MIG: $name', ({ name, encoded, decoded, error_class: error }) => {
    const read = decodeMigAllocations(encoded);
    expect((read === null) === (error !== undefined)).toBe(!(name in POD_DIFFERENCES));
    if (error !== undefined || read === null) return;
    expect(read.map(({ uuid, start }) => [uuid, start])).toEqual(
      (decoded ?? []).map(({ gpuUUID, placement }) => [gpuUUID, placement.start]),
    );
  });

  const olds = load<MigVector>(shared).filter(({ kind }) => kind === 'old-mig-uuid');
  test.each(olds)('H3: an instance of older releases: $encoded', ({ encoded, slot, template, error_class: error }) => {
    const read = oldMigName(encoded);
    expect(read === null).toBe(error !== undefined);
    if (read !== null) expect([read.template, read.slot]).toEqual([template, slot]);
  });
});

function plainRead(entries: readonly (readonly { uuid: string; type: string; memoryMiB: number; cores: number }[])[]) {
  return entries.map((entry) =>
    entry.map(({ uuid, type, memoryMiB, cores }) => ({ uuid, type, mem: memoryMiB, cores })),
  );
}

function plainByVendor(decoded: PodVector['decoded'] = {}): unknown {
  return Object.fromEntries(Object.entries(decoded).map(([vendor, entries]) => [vendor, plain(entries)]));
}
