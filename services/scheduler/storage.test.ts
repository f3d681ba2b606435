import { describe, expect, test } from 'vitest';
import type { NodeSelectorTerm, SelectorExpression } from '@springtide/core/model';
import type { ClusterPod, StorageClass, Volume, VolumeClaim } from '@springtide/ports/cluster';
import { aMachine, isIn } from '@springtide/testkit/builders';
import { Storage } from './storage.ts';

const GIB = 2 ** 30;

const on = (...expressions: readonly SelectorExpression[]): NodeSelectorTerm => ({ expressions, fields: [] });
const host = (name: string): NodeSelectorTerm => on(isIn('kubernetes.io/hostname', name));
const zone = (...names: readonly string[]): NodeSelectorTerm => on(isIn('topology.kubernetes.io/zone', ...names));

function claim(name: string, more: Partial<VolumeClaim> = {}): VolumeClaim {
  return {
    uid: `uid-${name}`,
    id: `team/${name}`,
    volume: '',
    isBound: false,
    isLost: false,
    storageClass: 'local',
    selector: null,
    mode: 'Filesystem',
    attributesClass: '',
    bytes: 10 * GIB,
    accessModes: ['ReadWriteOnce'],
    selectedMachine: '',
    isDeleting: false,
    ...more,
  };
}

function volume(name: string, more: Partial<Volume> = {}): Volume {
  return {
    name,
    resourceVersion: '7',
    labels: new Map(),
    machines: null,
    zones: null,
    storageClass: 'local',
    bytes: 20 * GIB,
    accessModes: ['ReadWriteOnce'],
    claim: '',
    claimUid: '',
    isFree: true,
    isDeleting: false,
    mode: 'Filesystem',
    attributesClass: '',
    ...more,
  };
}

const LOCAL: StorageClass = { name: 'local', isLate: true, isProvisioned: false, machines: null };
const MADE: StorageClass = { name: 'made', isLate: true, isProvisioned: true, machines: [zone('a')] };
const EARLY: StorageClass = { name: 'early', isLate: false, isProvisioned: true, machines: null };

interface Seen {
  readonly claims?: readonly VolumeClaim[];
  readonly volumes?: readonly Volume[];
}

function storageWith({ claims = [], volumes = [] }: Seen): Storage {
  const storage = new Storage();
  for (const storageClass of [LOCAL, MADE, EARLY]) storage.take({ kind: 'storage-class-seen', storageClass });
  for (const each of claims) storage.take({ kind: 'claim-seen', claim: each });
  for (const each of volumes) storage.take({ kind: 'volume-seen', volume: each });
  return storage;
}

function podWith(...volumeClaims: readonly string[]): ClusterPod {
  // Of a pod only its claims are looked at.
  return { namespace: 'team', volumeClaims } as Partial<ClusterPod> as ClusterPod;
}

const needs = (seen: Seen, ...names: readonly string[]) => storageWith(seen).needsOf(podWith(...names));
const bound = claim('c', { volume: 'v', isBound: true });

describe('a claim that is bound', () => {
  test('needs the place of its volume: affinity and zone labels both', () => {
    const there = volume('v', { machines: [host('n1'), host('n2')], zones: [zone('a')] });
    const [both] = [[host('n1'), host('n2')]].map((terms) =>
      terms.map(({ expressions }) => on(...expressions, ...zone('a').expressions)),
    );
    expect(needs({ claims: [bound], volumes: [there] }, 'c')).toEqual([{ volumes: [], machines: both, trouble: null }]);
  });

  test('needs nothing where its volume can be used everywhere', () => {
    expect(needs({ claims: [bound], volumes: [volume('v')] }, 'c')).toEqual([]);
  });
});

describe('a claim with which something is wrong fits nowhere', () => {
  const v = volume('v');
  test.each<[string, string, Seen]>([
    ['it does not exist', 'missing', {}],
    ['it is being deleted', 'going', { claims: [{ ...bound, isDeleting: true }], volumes: [v] }],
    ['its volume is lost', 'lost', { claims: [{ ...bound, isLost: true }] }],
    ['its volume is not there', 'lost', { claims: [bound] }],
    ['its volume has not accepted it', 'unbound', { claims: [{ ...bound, isBound: false }], volumes: [v] }],
    ['it waits for its own controller', 'unbound', { claims: [claim('c', { storageClass: 'early' })] }],
    ['its class is not there', 'unbound', { claims: [claim('c', { storageClass: 'none' })] }],
  ])('%s', (_, kind, seen) => {
    expect(needs(seen, 'c')).toEqual([{ volumes: [], machines: [], trouble: { claim: 'c', kind } }]);
  });
});

describe('a claim that waits for its first pod', () => {
  const machinesFor = (asked: VolumeClaim, ...volumes: readonly Volume[]): unknown => {
    return needs({ claims: [asked], volumes }, 'c')[0]?.machines;
  };

  test.each<[string, Partial<VolumeClaim>, Partial<Volume>, boolean]>([
    ['of its class, large enough', {}, {}, true],
    ['of another class', {}, { storageClass: 'made' }, false],
    ['too small', {}, { bytes: 9 * GIB }, false],
    ['of another mode', {}, { mode: 'Block' }, false],
    ['of another attributes class', { attributesClass: 'gold' }, {}, false],
    ['without an access mode asked for', { accessModes: ['ReadWriteMany'] }, {}, false],
    ['with labels that it does not select', { selector: [isIn('speed', 'fast')] }, {}, false],
    ['being deleted', {}, { isDeleting: true }, false],
    ['not free any more', {}, { isFree: false }, false],
    ['kept for another', {}, { claim: 'team/other' }, false],
    ['kept for it', {}, { claim: 'team/c', isFree: false }, true],
    ['kept for a former claim of its name', {}, { claim: 'team/c', claimUid: 'old' }, false],
  ])('takes a volume %s: %s %s %s', (_, ofClaim, ofVolume, want) => {
    const there = volume('v', { machines: [host('n1')], ...ofVolume });
    expect(machinesFor(claim('c', ofClaim), there)).toEqual(want ? [host('n1')] : []);
  });

  test('takes no other than the one that is kept for it', () => {
    const kept = volume('kept', { machines: [host('n1')], claim: 'team/c' });
    expect(machinesFor(claim('c'), kept, volume('free', { machines: [host('n2')] }))).toEqual([host('n1')]);
  });

  test('goes where any volume is, or where one can be made', () => {
    const asked = claim('c', { storageClass: 'made' });
    const there = volume('v', { storageClass: 'made', machines: [host('n1')] });
    expect(machinesFor(asked, there)).toEqual([zone('a'), host('n1')]);
  });

  test('goes only to the machine that was chosen for it', () => {
    const asked = claim('c', { storageClass: 'made', selectedMachine: 'n1' });
    const fields = [isIn('metadata.name', 'n1')];
    expect(machinesFor(asked, volume('v'))).toEqual([{ expressions: zone('a').expressions, fields }]);
  });

  test('shares no volume with another claim of its pod, and the smaller chooses first', () => {
    const claims = [claim('large', { bytes: 15 * GIB }), claim('small', { bytes: 5 * GIB })];
    const volumes = [volume('big', { bytes: 30 * GIB }), volume('little', { bytes: 8 * GIB })];
    const choices = needs({ claims, volumes }, 'large', 'small').map((need) => need.volumes.map((each) => each.volume));
    expect(choices).toEqual([['little', 'big'], ['big']]);
  });
});

test('claims for one pod at a time are told', () => {
  const alone = claim('alone', { accessModes: ['ReadWriteOncePod'], volume: 'v' });
  const storage = storageWith({ claims: [alone, claim('late')] });
  expect(storage.exclusiveClaims(podWith('alone', 'late', 'missing'))).toEqual(['team/alone']);
});

describe('what has to be ordered for the claims of a pod that has found its machine', () => {
  const n1 = aMachine('n1')
    .labelled('kubernetes.io/hostname', 'n1')
    .labelled('topology.kubernetes.io/zone', 'a')
    .build();
  const ordersFor = (seen: Seen, ...names: readonly string[]) => storageWith(seen).ordersFor(podWith(...names), n1);
  const here = volume('here', { machines: [host('n1')] });
  const keep = { kind: 'keep', volume: 'here', resourceVersion: '7', claim: 'team/c', claimUid: 'uid-c' };

  test('a free volume that can be used there is kept', () => {
    const there = volume('there', { machines: [host('n2')], bytes: 11 * GIB });
    expect(ordersFor({ claims: [claim('c')], volumes: [there, here] }, 'c')).toEqual([keep]);
  });

  test('else the machine is told, so that a volume is made there', () => {
    const select = { kind: 'select', claim: 'team/c', machine: 'n1' };
    expect(ordersFor({ claims: [claim('c', { storageClass: 'made' })] }, 'c')).toEqual([select]);
  });

  test('each claim gets a volume of its own', () => {
    const other = volume('other', { machines: [host('n1')], bytes: 30 * GIB });
    const orders = ordersFor({ claims: [claim('c'), claim('d')], volumes: [other, here] }, 'c', 'd');
    expect(orders?.map((order) => order.kind === 'keep' && order.volume)).toEqual(['here', 'other']);
  });

  test('nothing can be ordered where no volume is left and none is made', () => {
    expect(ordersFor({ claims: [claim('c')] }, 'c')).toBeNull();
  });

  test.each<[string, Seen]>([
    ['a claim that is bound', { claims: [bound], volumes: [volume('v')] }],
    ['a volume that is kept for the claim', { claims: [claim('c')], volumes: [{ ...here, claim: 'team/c' }] }],
    ['a machine that was told before', { claims: [claim('c', { storageClass: 'made', selectedMachine: 'n1' })] }],
  ])('nothing for %s', (_, seen) => {
    expect(ordersFor(seen, 'c')).toEqual([]);
  });
});

test('what is gone is forgotten', () => {
  const storage = storageWith({ claims: [bound], volumes: [volume('v')] });
  storage.take({ kind: 'volume-gone', volume: 'v' });
  expect(storage.needsOf(podWith('c'))[0]?.trouble?.kind).toBe('lost');
  storage.take({ kind: 'claim-gone', claim: 'team/c' });
  expect(storage.needsOf(podWith('c'))[0]?.trouble?.kind).toBe('missing');
});
