/** Nodes and pods as `kubectl get -o json` prints them, as plain objects to be changed and written out. */

export type Json = Record<string, unknown>;
type Quantities = Readonly<Record<string, string>>;

export interface NodeSketch {
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly taints?: readonly Json[];
  readonly unschedulable?: boolean;
  /** On top of 64 CPU, 256Gi and 110 pods. */
  readonly capacity?: Quantities;
  /** What differs from capacity. */
  readonly allocatable?: Quantities;
}

export function kubeNode(name: string, sketch: NodeSketch = {}): Json {
  const capacity = { cpu: '64', memory: '256Gi', pods: '110', ...sketch.capacity };
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels: { 'kubernetes.io/hostname': name, ...sketch.labels }, annotations: sketch.annotations },
    spec: { taints: sketch.taints, unschedulable: sketch.unschedulable },
    status: { capacity, allocatable: { ...capacity, ...sketch.allocatable } },
  };
}

export interface PodSketch {
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly owner?: Readonly<{ kind: string; name: string }>;
  readonly phase?: string;
  /** Of the only container. */
  readonly requests?: Quantities;
  /** On top of what the other fields make. */
  readonly spec?: Json;
  readonly status?: Json;
  readonly metadata?: Json;
}

/** `name` is `namespace/name`. A null machine: it waits. */
export function kubePod(name: string, machine: string | null, sketch: PodSketch = {}): Json {
  const [namespace, own] = name.split('/');
  const { owner } = sketch;
  const container = { name: 'main', image: 'app:1', resources: { requests: sketch.requests ?? {} } };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: own,
      namespace,
      labels: sketch.labels,
      annotations: sketch.annotations,
      ownerReferences: owner === undefined ? undefined : [{ ...owner, controller: true }],
      ...sketch.metadata,
    },
    spec: { nodeName: machine ?? undefined, containers: [container], ...sketch.spec },
    status: { phase: sketch.phase ?? (machine === null ? 'Pending' : 'Running'), ...sketch.status },
  };
}

/** The text of `kubectl get -o json` over several kinds: `kind` comes last, as kubectl prints it. */
export function kubeList(items: readonly Json[]): string {
  return JSON.stringify({ apiVersion: 'v1', items, kind: 'List', metadata: { resourceVersion: '' } }, null, 4);
}

/** One part of a card as HAMi writes it on a pod. */
export function hamiPart(uuid: string, memoryMiB: number, cores: number): string {
  return `${uuid},NVIDIA,${memoryMiB},${cores}:`;
}

/** A register annotation in JSON of `count` healthy cards `node-0`, `node-1`, ... */
export function hamiRegister(node: string, count: number, memoryMiB: number): string {
  const cards = Array.from({ length: count }, (_, index) => ({
    id: `GPU-${node}-${index}`,
    index,
    count: 10,
    devmem: memoryMiB,
    devcore: 100,
    type: 'NVIDIA-NVIDIA L20',
    mode: 'hami-core',
    health: true,
  }));
  return JSON.stringify(cards);
}
