import type { Json } from '../objects.ts';
import type { Chance } from './chance.ts';
import { ZONES } from './nodes.ts';

const SELECTED = 'volume.kubernetes.io/selected-node';
const OLD_CLASS = 'volume.beta.kubernetes.io/storage-class';
const ZONE = 'topology.kubernetes.io/zone';
const GIB = 1024 ** 3;

/** Storage classes of every kind; names are of the cluster, so they carry its prefix. */
function storageClasses(prefix: string): Json[] {
  const storageClass = (name: string, more: Json): Json => {
    return { apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass', metadata: { name: `${prefix}-${name}` }, ...more };
  };
  const late = { volumeBindingMode: 'WaitForFirstConsumer' };
  const provisioner = 'csi.example.com';
  const zone = { key: ZONE, values: ['z1', 'z2'] };
  const allowedTopologies = [{ matchLabelExpressions: [zone] }];
  return [
    storageClass('now', { provisioner, volumeBindingMode: 'Immediate' }),
    storageClass('late', { provisioner, ...late }),
    storageClass('zonal', { provisioner, ...late, allowedTopologies }),
    storageClass('local', { provisioner: 'kubernetes.io/no-provisioner', ...late }),
    storageClass('mixed', { provisioner, ...late, allowedTopologies }),
  ];
}

/** Makes claims for the pods of one cluster, and the volumes behind them. */
export class VolumeMaker {
  readonly objects: Json[] = [];
  readonly #chance: Chance;
  readonly #prefix: string;
  readonly #nodes: readonly string[];
  /** Claims that only one pod may use, by namespace. */
  readonly #exclusive = new Map<string, string[]>();
  #count = 0;

  constructor(chance: Chance, prefix: string, nodes: readonly string[]) {
    this.#chance = chance;
    this.#prefix = prefix;
    this.#nodes = nodes;
    this.objects.push(...storageClasses(prefix));
    for (let index = 0; index < 12; index += 1) this.#addLocal(index);
  }

  /** Volumes of a pod's spec, with a claim or two. */
  volumes(namespace: string): Json[] {
    const names = Array.from({ length: this.#chance.oneOf([1, 1, 1, 2]) }, () => this.#claim(namespace));
    return [...new Set(names)].map((claimName, index) => {
      return { name: `data-${index}`, persistentVolumeClaim: { claimName } };
    });
  }

  /** Bound ones only, as pods that run have. */
  boundVolumes(namespace: string): Json[] {
    const claimName = this.#chance.percent(60) ? this.#exclusiveClaim(namespace) : this.#boundClaim(namespace);
    return [{ name: 'data', persistentVolumeClaim: { claimName } }];
  }

  #claim(namespace: string): string {
    const pick = this.#chance.oneOf<() => string>([
      () => this.#boundClaim(namespace),
      () => this.#boundClaim(namespace),
      () => this.#boundClaim(namespace),
      () => this.#exclusiveClaim(namespace),
      () => this.#exclusiveClaim(namespace),
      () => this.#lateClaim(namespace, 'late'),
      () => this.#lateClaim(namespace, 'zonal'),
      () => this.#lateClaim(namespace, 'local'),
      () => this.#lateClaim(namespace, 'local'),
      () => this.#lateClaim(namespace, 'mixed'),
      () => this.#oddClaim(namespace),
    ]);
    return pick();
  }

  #name(kind: string): string {
    this.#count += 1;
    return `${this.#prefix}-${kind}-${this.#count}`;
  }

  /** A volume of the classes without and with a provisioner, free to be bound, in one place. */
  #addLocal(index: number): void {
    const chance = this.#chance;
    const name = `${this.#prefix}-pv-${index}`;
    this.objects.push({
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name, labels: { speed: chance.oneOf(['fast', 'slow']) } },
      spec: {
        // No two are alike: which of equal volumes kube-scheduler takes is chance.
        capacity: { storage: `${(chance.between(5, 60) * GIB) / 1024 + index}Ki` },
        accessModes: chance.oneOf([['ReadWriteOnce'], ['ReadWriteOnce', 'ReadOnlyMany'], ['ReadWriteMany']]),
        storageClassName: `${this.#prefix}-${chance.percent(75) ? 'local' : 'mixed'}`,
        volumeMode: chance.percent(90) ? 'Filesystem' : 'Block',
        local: { path: '/mnt/disk' },
        nodeAffinity: this.#affinity(),
      },
      status: { phase: chance.percent(85) ? 'Available' : 'Released' },
    });
  }

  #affinity(): Json {
    const chance = this.#chance;
    const hosts = chance.some(this.#nodes, chance.between(1, 6));
    const byHost = { key: 'kubernetes.io/hostname', operator: 'In', values: hosts };
    const byZone = { key: ZONE, operator: 'In', values: chance.some(ZONES, chance.between(1, 2)) };
    const terms = chance.oneOf([[byHost], [byZone], [byZone, byHost]]).map((item) => ({ matchExpressions: [item] }));
    return { required: { nodeSelectorTerms: terms } };
  }

  /** A claim with its volume, which is somewhere: by affinity, by zone labels new or old, or everywhere. */
  #boundClaim(namespace: string, accessModes: readonly string[] = ['ReadWriteOnce']): string {
    const chance = this.#chance;
    const claim = this.#name('claim');
    const volume = this.#name('volume');
    const zones = chance.percent(70) ? chance.oneOf(ZONES) : chance.some(ZONES, 2).join('__');
    const labels = chance.oneOf<Json>([
      {},
      {},
      { [ZONE]: zones },
      { 'failure-domain.beta.kubernetes.io/zone': zones },
      { 'topology.kubernetes.io/region': 'west' },
    ]);
    this.objects.push(
      {
        apiVersion: 'v1',
        kind: 'PersistentVolume',
        metadata: { name: volume, labels },
        spec: {
          capacity: { storage: '10Gi' },
          accessModes,
          storageClassName: `${this.#prefix}-late`,
          csi: { driver: 'csi.example.com', volumeHandle: volume },
          claimRef: { kind: 'PersistentVolumeClaim', namespace, name: claim },
          ...chance.maybe(50, () => ({ nodeAffinity: this.#affinity() })),
        },
        status: { phase: 'Bound' },
      },
      this.#claimObject(namespace, claim, {
        annotations: { 'pv.kubernetes.io/bind-completed': 'yes' },
        spec: { accessModes, volumeName: volume, storageClassName: `${this.#prefix}-late` },
        phase: 'Bound',
      }),
    );
    return claim;
  }

  #exclusiveClaim(namespace: string): string {
    const known = this.#exclusive.get(namespace) ?? [];
    if (known.length > 0 && this.#chance.percent(60)) return this.#chance.oneOf(known);
    const claim = this.#boundClaim(namespace, ['ReadWriteOncePod']);
    this.#exclusive.set(namespace, [...known, claim]);
    return claim;
  }

  #lateClaim(namespace: string, storageClass: string): string {
    const chance = this.#chance;
    const name = this.#name(storageClass);
    const className = `${this.#prefix}-${storageClass}`;
    const isOld = chance.percent(15);
    const isChosen = storageClass !== 'local' && chance.percent(15);
    const claim = this.#claimObject(namespace, name, {
      annotations: {
        ...(isOld ? { [OLD_CLASS]: className } : {}),
        ...(isChosen ? { [SELECTED]: chance.oneOf(this.#nodes) } : {}),
      },
      spec: {
        accessModes: [chance.oneOf(['ReadWriteOnce', 'ReadWriteOnce', 'ReadOnlyMany', 'ReadWriteMany'])],
        ...(isOld ? {} : { storageClassName: className }),
        ...chance.maybe(20, () => ({ selector: { matchLabels: { speed: 'fast' } } })),
        resources: { requests: { storage: `${chance.between(1, 40)}Gi` } },
      },
      phase: 'Pending',
    });
    this.objects.push(claim);
    if (storageClass === 'local' && chance.percent(20)) this.#prebind(namespace, name);
    return name;
  }

  /** Somebody has kept one of the free volumes for this claim. */
  #prebind(namespace: string, name: string): void {
    const free = this.objects.find(({ kind, spec, status }) => {
      return (
        kind === 'PersistentVolume' && !('claimRef' in (spec as Json)) && (status as Json)['phase'] === 'Available'
      );
    });
    if (free === undefined) return;
    (free['spec'] as Json)['claimRef'] = { kind: 'PersistentVolumeClaim', namespace, name };
  }

  /** Claims that can be used nowhere. */
  #oddClaim(namespace: string): string {
    const name = this.#name('odd');
    const accessModes = ['ReadWriteOnce'];
    const kind = this.#chance.oneOf(['missing', 'unbound', 'no-class', 'no-volume', 'lost']);
    if (kind === 'missing') return name;
    const storageClassName = kind === 'unbound' ? `${this.#prefix}-now` : `${this.#prefix}-none`;
    const isBound = kind === 'no-volume' || kind === 'lost';
    const spec = { accessModes, storageClassName, ...(isBound ? { volumeName: `${name}-volume` } : {}) };
    const annotations: Record<string, string> = isBound ? { 'pv.kubernetes.io/bind-completed': 'yes' } : {};
    const phase = kind === 'lost' ? 'Lost' : isBound ? 'Bound' : 'Pending';
    this.objects.push(this.#claimObject(namespace, name, { annotations, spec, phase }));
    return name;
  }

  #claimObject(
    namespace: string,
    name: string,
    { annotations, spec, phase }: { annotations: Record<string, string>; spec: Json; phase: string },
  ): Json {
    return {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { namespace, name, annotations },
      spec: { resources: { requests: { storage: '10Gi' } }, ...spec },
      status: { phase },
    };
  }
}
