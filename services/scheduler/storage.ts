import { compareText } from '@springtide/core/base';
import type { Machine, NodeSelectorTerm, VolumeNeed, VolumeTrouble } from '@springtide/core/model';
import { matchesSelector, volumesAdmit } from '@springtide/core/state';
import type {
  ClusterEvent,
  ClusterPod,
  KeepVolumeOrder,
  StorageClass,
  Volume,
  VolumeClaim,
} from '@springtide/ports/cluster';

type Places = readonly NodeSelectorTerm[] | null;

const EXCLUSIVE = 'ReadWriteOncePod';
const NOWHERE: Places = [];

/** What has to be written about a claim before its pod is bound. */
export type VolumeOrder =
  | { readonly kind: 'select'; readonly claim: string; readonly machine: string }
  | ({ readonly kind: 'keep' } & KeepVolumeOrder);

/** Claims, volumes and storage classes as last seen, and what they say of where a pod can run. */
export class Storage {
  readonly #claims = new Map<string, VolumeClaim>();
  readonly #volumes = new Map<string, Volume>();
  readonly #classes = new Map<string, StorageClass>();

  /** What changed: the claim by its id, `all` where every pod with claims may be concerned, null where nothing did. */
  take(event: ClusterEvent): { readonly claim: string } | 'all' | null {
    switch (event.kind) {
      case 'claim-seen':
        this.#claims.set(event.claim.id, event.claim);
        return { claim: event.claim.id };
      case 'claim-gone':
        this.#claims.delete(event.claim);
        return { claim: event.claim };
      case 'volume-seen':
        this.#volumes.set(event.volume.name, event.volume);
        return 'all';
      case 'volume-gone':
        this.#volumes.delete(event.volume);
        return 'all';
      case 'storage-class-seen':
        this.#classes.set(event.storageClass.name, event.storageClass);
        return 'all';
      case 'storage-class-gone':
        this.#classes.delete(event.storageClass);
        return 'all';
      default:
        return null;
    }
  }

  /**
   * What has to be written about a pod's late claims once it has a machine: the choice that `needsOf` admitted. Null
   * where a claim finds nothing there any more.
   */
  ordersFor(pod: ClusterPod, machine: Machine): VolumeOrder[] | null {
    const taken = new Set<string>();
    const orders: VolumeOrder[] = [];
    const late = claimsOf(pod).flatMap((id) => this.#claims.get(id) ?? []);
    const open = late.filter(({ volume, selectedMachine }) => volume === '' && selectedMachine === '');
    for (const claim of open.toSorted((left, right) => left.bytes - right.bytes)) {
      const volume = this.#volumesFor(claim).find((each) => !taken.has(each.name) && isUsableOn(each, machine));
      if (volume === undefined) {
        if (this.#classes.get(claim.storageClass)?.isProvisioned !== true) return null;
        orders.push({ kind: 'select', claim: claim.id, machine: machine.id });
        continue;
      }
      const { name, resourceVersion, claim: keptFor } = volume;
      taken.add(name);
      if (keptFor !== '') continue;
      orders.push({ kind: 'keep', volume: name, resourceVersion, claim: claim.id, claimUid: claim.uid });
    }
    return orders;
  }

  /** Claims of a pod that no other pod may use meanwhile. */
  exclusiveClaims(pod: ClusterPod): string[] {
    return claimsOf(pod).filter((id) => this.#claims.get(id)?.accessModes.includes(EXCLUSIVE) === true);
  }

  /** What a pod's claims need of a machine, those left out that need nothing. Method: kube-scheduler, VolumeBinding. */
  needsOf(pod: ClusterPod): VolumeNeed[] {
    const asked = pod.volumeClaims.map((name) => {
      const claim = this.#claims.get(`${pod.namespace}/${name}`);
      return { bytes: claim?.bytes ?? 0, need: this.#needOf(name, claim) };
    });
    const bySize = asked.toSorted((left, right) => left.bytes - right.bytes).map(({ need }) => need);
    return plainest(bySize).filter(({ volumes, machines, trouble }) => {
      return volumes.length > 0 || machines !== null || trouble !== null;
    });
  }

  #needOf(name: string, claim: VolumeClaim | undefined): VolumeNeed {
    const trouble = (kind: VolumeTrouble): VolumeNeed => {
      return { volumes: [], machines: NOWHERE, trouble: { claim: name, kind } };
    };
    if (claim === undefined) return trouble('missing');
    if (claim.isDeleting) return trouble('going');
    if (claim.isLost) return trouble('lost');
    if (claim.isBound) {
      const volume = this.#volumes.get(claim.volume);
      if (volume === undefined) return trouble('lost');
      return { volumes: [], machines: bothOf(volume.machines, volume.zones), trouble: null };
    }
    const storageClass = this.#classes.get(claim.storageClass);
    // Any other claim is bound by its own controller before a pod can use it.
    if (storageClass?.isLate !== true || claim.volume !== '') return trouble('unbound');
    const made = storageClass.isProvisioned ? storageClass.machines : NOWHERE;
    if (claim.selectedMachine !== '') {
      return { volumes: [], machines: bothOf(made, [isNamed(claim.selectedMachine)]), trouble: null };
    }
    const volumes = this.#volumesFor(claim).map(({ name: volume, machines }) => ({ volume, machines }));
    return { volumes, machines: made, trouble: null };
  }

  /** Volumes that a late claim could be bound to, the smallest first; one that is kept for it before all others. */
  #volumesFor(claim: VolumeClaim): Volume[] {
    const fit = [...this.#volumes.values()].filter((volume) => suits(volume, claim));
    const kept = fit.filter((volume) => isKeptFor(volume, claim));
    const free = fit.filter((volume) => volume.claim === '' && isFreeFor(volume, claim));
    const bySize = (left: Volume, right: Volume): number =>
      left.bytes - right.bytes || compareText(left.name, right.name);
    return (kept.length > 0 ? kept : free).toSorted(bySize);
  }
}

function claimsOf({ namespace, volumeClaims }: ClusterPod): string[] {
  return volumeClaims.map((name) => `${namespace}/${name}`);
}

function isUsableOn({ machines }: Volume, machine: Machine): boolean {
  return volumesAdmit([{ volumes: [], machines, trouble: null }], machine);
}

function suits(volume: Volume, claim: VolumeClaim): boolean {
  const isAlike = volume.mode === claim.mode && volume.attributesClass === claim.attributesClass;
  return isAlike && volume.storageClass === claim.storageClass && volume.bytes >= claim.bytes && !volume.isDeleting;
}

function isKeptFor({ claim, claimUid }: Volume, { id, uid }: VolumeClaim): boolean {
  return claim === id && (claimUid === '' || claimUid === uid);
}

function isFreeFor({ isFree, labels, accessModes }: Volume, claim: VolumeClaim): boolean {
  const isChosen = claim.selector === null || matchesSelector(claim.selector, labels);
  return isFree && isChosen && claim.accessModes.every((mode) => accessModes.includes(mode));
}

/**
 * A volume that no other claim of the pod could take needs no name: where it can be used is enough. So pods whose
 * volumes are in the same places ask the same.
 */
function plainest(needs: readonly VolumeNeed[]): VolumeNeed[] {
  const wanted = new Map<string, number>();
  for (const { volume } of needs.flatMap(({ volumes }) => volumes)) wanted.set(volume, (wanted.get(volume) ?? 0) + 1);
  return needs.map((need) => {
    if (need.volumes.some(({ volume }) => wanted.get(volume) !== 1)) return need;
    return { ...need, volumes: [], machines: anyOf([need.machines, ...need.volumes.map(({ machines }) => machines)]) };
  });
}

function isNamed(machine: string): NodeSelectorTerm {
  return { expressions: [], fields: [{ key: 'metadata.name', operator: 'In', values: [machine] }] };
}

/** Terms are or-ed, so both lists hold where some pair of terms does. */
function bothOf(left: Places, right: Places): Places {
  if (left === null || right === null) return left ?? right;
  return left.flatMap((one) =>
    right.map((other) => ({
      expressions: [...one.expressions, ...other.expressions],
      fields: [...one.fields, ...other.fields],
    })),
  );
}

/** Where any of several lists holds; each term once. */
function anyOf(lists: readonly Places[]): Places {
  const terms = new Map<string, NodeSelectorTerm>();
  for (const list of lists) {
    if (list === null) return null;
    for (const term of list) terms.set(JSON.stringify(term), term);
  }
  return [...terms.values()];
}
