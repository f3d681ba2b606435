import type { CardChoice } from '@springtide/core/model';
import { cardResource } from '@springtide/core/vendors';
import { describeWithShared } from '@springtide/testkit/shared';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { hamiAllocation } from './allocation.ts';
import { cardChoice, isSoftSplit } from './choice.ts';
import { KEY_DIFFERENCES, SELECTION_KEY_DIFFERENCES, VENDOR_DIFFERENCES } from './differences.ts';
import * as keys from './keys.ts';

type Texts = Readonly<Record<string, string>>;

interface Vendor {
  readonly vendor: string;
  readonly allocated: string;
  readonly to_allocate: string;
  readonly lock_written: Texts;
  readonly lock_written_for_init_container_only_request: Texts;
  /** MiB of one unit; 0: HAMi has no such setting for the kind. */
  readonly memory_factor: number;
  readonly resource_count: string;
  readonly resource_memory: string;
  readonly resource_core: string;
}

interface Protocol {
  readonly keys: Readonly<Record<string, unknown>>;
  readonly selection_keys: Readonly<Record<string, Texts>>;
  readonly vendors: readonly Vendor[];
}

function load(shared: string): Protocol {
  return JSON.parse(readFileSync(join(shared, 'cases', 'hami', 'protocol.json'), 'utf8')) as Protocol;
}

/** Ours, by the name that the vectors have for it. */
const OURS: Texts = {
  node_device_cordon: keys.HAMI_DEVICE_CORDON,
  node_lock: keys.HAMI_NODE_LOCK,
  node_lock_cambricon: keys.CAMBRICON_NODE_LOCK,
  node_register_nvidia: keys.hamiKeys('nvidia.com/gpu')?.register ?? '',
  pod_assigned_node: keys.HAMI_NODE,
  pod_assigned_node_label: keys.HAMI_NODE,
  pod_assigned_time: keys.HAMI_TIME,
  pod_bind_phase: keys.HAMI_BIND_PHASE,
  pod_bind_time: keys.HAMI_BIND_TIME,
  pod_mig_allocations: keys.HAMI_MIG_ALLOCATIONS,
};

/** What the vectors of the protocol are about, and the test that looks at every one of them. */
const PROVEN_BY: Texts = {
  keys: 'this one',
  selection_keys: 'this one',
  vendors: 'this one',
  chart_defaults: "none: settings of HAMi's chart are not known here",
  requests: 'requests.test.ts',
  selection: 'requests.test.ts',
  node_lock: 'lock.test.ts, cluster/locked-binds.test.ts',
  bind_traces: 'cluster/bind-traces.test.ts',
  filter_with_full_nodes_is_a_dry_run: 'cluster/bind-traces.test.ts',
  handshake: 'cluster/bind-traces.test.ts',
  nvidia_health_sequence: 'cluster/bind-traces.test.ts',
  register_pass: 'cluster/bind-traces.test.ts',
  plugin_allocate: 'lab/device-plugin/vectors.test.ts',
  plugin_pending_pod: 'lab/device-plugin/vectors.test.ts',
};

/** Values, and not names: other vectors prove those, of the lock, the bind and the choice of cards. */
const ELSEWHERE = new Set([
  'node_lock_expiry_seconds_default',
  'node_lock_separator',
  'pod_bind_phase_values',
  'pod_gpu_scheduler_policy',
  'pod_gpu_scheduler_policy_values',
  'pod_group_label',
]);

/** Which part of a choice an annotation fills. */
const CHOICES: Readonly<Record<string, keyof CardChoice>> = {
  use_uuid: 'ids',
  nouse_uuid: 'idsDenied',
  use_type: 'words',
  nouse_type: 'wordsDenied',
};

function resourcesOf(word: string): string[] {
  const isKind = (own: string): boolean => (word.endsWith('*') ? own.startsWith(word.slice(0, -1)) : own === word);
  const kinds = keys.HAMI_KEYS.filter(({ word: own, resource }) =>
    word === 'Iluvatar*' ? resource.startsWith('iluvatar.ai/') : isKind(own),
  );
  return kinds.map(({ resource }) => resource);
}

/** Whether we know the key by that meaning, of every kind of the vendor. */
function isKnown(vendor: string, name: string, key: string): boolean {
  const resources = resourcesOf(vendor);
  return (
    resources.length > 0 &&
    resources.every((resource) => {
      const row = keys.hamiKeys(resource);
      const own = key.replaceAll('<commonWord>', row?.word ?? '');
      const choice = CHOICES[name];
      if (choice !== undefined) return cardChoice(resource, new Map([[own, 'a']]))?.[choice] !== undefined;
      if (name === 'register' || name === 'capacity') return row?.register === own;
      if (name === 'vnpu_mode') return isSoftSplit(resource, new Map([[own, 'hami-core']]));
      if (name === 'node_soft_split') return own === keys.ASCEND_SOFT_NODE;
      if (name === 'mode') return cardChoice(resource, new Map([[own, 'mig']]))?.slicings !== undefined;
      if (name === 'numa_bind') return cardChoice(resource, new Map([[own, 'true']]))?.isOneNuma === true;
      return isWritten(resource, own);
    })
  );
}

/** What is written on a pod of one container with one card. */
function written(resource: string, isInit = false): ReturnType<typeof hamiAllocation> {
  const card = { uuid: 'card-0', memoryMiB: 1024, cores: 10, index: 0 };
  const [first, second] = [{ name: 'a', cards: [card] }, ...(isInit ? [{ name: 'b', cards: [] }] : [])];
  const containers = second === undefined ? [first] : [first, second];
  const more = { machine: 'node-a', initCount: isInit ? 1 : 0, annotations: new Map(), register: null, nowMs: 0 };
  return hamiAllocation({ resource, containers, ...more });
}

function isWritten(resource: string, key: string): boolean {
  return written(resource)?.annotations.has(key) === true;
}

describeWithShared("HAMi's own names", (shared) => {
  const protocol = load(shared);

  test('no kind of vector is without a test', () => {
    expect(Object.keys(protocol).toSorted()).toEqual(Object.keys(PROVEN_BY).toSorted());
  });

  test('every difference is of a name', () => {
    expect(Object.keys(KEY_DIFFERENCES).filter((name) => !(name in protocol.keys))).toEqual([]);
    const names = Object.entries(protocol.selection_keys).flatMap(([vendor, own]) =>
      Object.keys(own).map((name) => `${vendor} ${name}`),
    );
    expect(names).toEqual(expect.arrayContaining(Object.keys(SELECTION_KEY_DIFFERENCES)));
    const vendors = new Set(protocol.vendors.map(({ vendor }) => vendor));
    expect(Object.keys(VENDOR_DIFFERENCES).filter((name) => !vendors.has(name.split(' ')[0] ?? ''))).toEqual([]);
  });

  test.each(Object.entries(protocol.keys).filter(([name]) => !ELSEWHERE.has(name)))('H3: %s', (name, value) => {
    expect(OURS[name] === value).toBe(!(name in KEY_DIFFERENCES));
  });

  const selection = Object.entries(protocol.selection_keys).flatMap(([vendor, own]) =>
    Object.entries(own).map(([name, key]) => [vendor, name, key] as const),
  );
  test.each(selection.filter(([, name, key]) => typeof key === 'string' && !name.endsWith('_value')))(
    'H3: %s %s is %s',
    (vendor, name, key) => {
      expect(isKnown(vendor, name, key)).toBe(!(`${vendor} ${name}` in SELECTION_KEY_DIFFERENCES));
    },
  );

  test.each(protocol.vendors)('H3: annotations, resources and lock of $vendor', (vendor) => {
    const { resource_count: resource, resource_memory: memory, resource_core: core } = vendor;
    const row = keys.hamiKeys(resource);
    expect([row?.word, row?.allocated]).toEqual([vendor.vendor, vendor.allocated]);
    const differs = (what: string): boolean => `${vendor.vendor} ${what}` in VENDOR_DIFFERENCES;
    expect(row?.toAllocate === vendor.to_allocate).toBe(!differs('to_allocate'));
    const lockOf = (isInit: boolean): string[] => [written(resource, isInit)?.lock ?? ''].filter((lock) => lock !== '');
    expect(lockOf(false)).toEqual(Object.keys(vendor.lock_written));
    expect(lockOf(true)).toEqual(Object.keys(vendor.lock_written_for_init_container_only_request));
    const slices = cardResource(resource)?.resource.slices ?? null;
    if (memory !== '') expect(slices?.memory).toBe(memory);
    if (core !== '') expect(slices?.compute === core).toBe(!differs('resource_core'));
    if (memory !== '' && vendor.memory_factor > 0) expect(slices?.memoryUnitMiB).toBe(vendor.memory_factor);
  });
});
