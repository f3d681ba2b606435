import { hamiPart, hamiRegister, type Json, kubeNode, kubePod, type NodeSketch } from '@springtide/testkit/kubectl';
import { ASKED } from './compare.ts';

/** Something that we judge otherwise than kube-scheduler, and mean to. */
export interface Intended {
  /** Its rule in `docs/specs/kubernetes-parity.md`. */
  readonly rule: string;
  readonly pod: string;
  readonly machine: string;
  /** What keeps the pod off the machine as we see it; null: only kube-scheduler keeps it off. */
  readonly ours: readonly string[] | null;
}

interface PodAsk {
  readonly requests?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly labels?: Readonly<Record<string, string>>;
  readonly owner?: { readonly kind: string; readonly name: string };
  readonly namespace?: string;
}

/** A machine, who is there, and who waits. */
interface Scene {
  readonly node?: NodeSketch;
  /** There is a second machine like it, of this name, with nobody on it. */
  readonly elsewhere?: string;
  readonly holder?: PodAsk;
  readonly waiting: PodAsk;
  readonly ours: readonly string[] | null;
}

const GPU = 'nvidia.com/gpu';
const CARD_MIB = 46_068;
const ONE_CARD = { [GPU]: '1' };
const REPLICA = { labels: { 'pod-template-hash': 'x' }, owner: { kind: 'ReplicaSet', name: 'web-x' } };

/** A node whose only card HAMi may cut among ten pods. */
function hamiNode(name: string): NodeSketch {
  const annotations = { 'hami.io/node-nvidia-register': hamiRegister(name, 1, CARD_MIB) };
  return { annotations, capacity: { [GPU]: '10' } };
}

const SCENES: Readonly<Record<string, Scene>> = {
  // A cap counts only where there is elsewhere to go.
  'kp-4': { elsewhere: 'kp-4-b', holder: REPLICA, waiting: REPLICA, ours: ['service-machine'] },
  'kp-5': {
    node: hamiNode('kp-5'),
    holder: {
      requests: ONE_CARD,
      annotations: { 'hami.io/vgpu-devices-allocated': hamiPart('GPU-kp-5-0', CARD_MIB, 0) },
    },
    waiting: { requests: ONE_CARD },
    ours: ['cards cards'],
  },
  'kp-6': {
    node: hamiNode('kp-6'),
    waiting: { requests: { ...ONE_CARD, 'nvidia.com/gpumem': '1000' } },
    ours: null,
  },
  'kp-7': {
    node: { capacity: ONE_CARD },
    holder: { annotations: { 'gpu-fraction': '0.5' }, labels: { 'runai-gpu-group': 'g' } },
    waiting: { requests: ONE_CARD },
    ours: ['cards cards'],
  },
  'kp-8': {
    node: { capacity: { [GPU]: '2' } },
    holder: { requests: ONE_CARD, namespace: 'kp-8-other' },
    waiting: { requests: ONE_CARD, annotations: { 'springtide.io/isolation': 'machine' } },
    ours: ['tenant'],
  },
  'kp-9': {
    node: { capacity: { ...ONE_CARD, 'amd.com/gpu': '1' } },
    waiting: { requests: { ...ONE_CARD, 'amd.com/gpu': '1' } },
    ours: ['resource amd.com/gpu'],
  },
};

/** A cluster in which every intended difference occurs once, each on a machine of its own. */
export function intendedCluster(): { readonly objects: readonly Json[]; readonly intended: readonly Intended[] } {
  const objects = Object.entries(SCENES).flatMap(([name, scene]) => objectsOf(name, scene));
  const intended = Object.entries(SCENES).map(([name, { ours }]): Intended => {
    return { rule: name.toUpperCase(), pod: `${name}/waiting`, machine: name, ours };
  });
  return { objects, intended };
}

function objectsOf(name: string, { node = {}, elsewhere, holder, waiting }: Scene): Json[] {
  const names = elsewhere === undefined ? [name] : [name, elsewhere];
  const machines = names.map((each) => kubeNode(each, { ...node, labels: { scene: name } }));
  const asked = podOf(name, 'waiting', { ...waiting, machine: null });
  const there = holder === undefined ? [] : [podOf(name, 'holder', { ...holder, machine: name })];
  const namespaces = new Set([name, holder?.namespace ?? name]);
  return [...[...namespaces].map(namespaceObject), ...machines, ...there, asked];
}

/** A label keeps the pods of a scene to its own machine. */
function podOf(scene: string, name: string, ask: PodAsk & { readonly machine: string | null }): Json {
  const { machine, namespace = scene, requests = {}, owner, ...sketch } = ask;
  const pod = kubePod(`${namespace}/${name}`, machine, {
    ...sketch,
    spec: {
      schedulerName: machine === null ? ASKED : 'somebody',
      nodeSelector: { scene },
      containers: [{ name: 'main', image: 'app:1', resources: { requests, limits: requests } }],
    },
  });
  if (owner === undefined) return pod;
  const ownerReferences = [{ apiVersion: 'apps/v1', uid: 'owner', controller: true, ...owner }];
  return { ...pod, metadata: { ...(pod['metadata'] as Json), ownerReferences } };
}

function namespaceObject(name: string): Json {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
}
