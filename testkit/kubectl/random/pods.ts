import type { Json } from '../objects.ts';
import type { Chance } from './chance.ts';
import { APPS, nodeConstraints, podTerms, spreadConstraints, type Surroundings, TIERS } from './constraints.ts';
import type { VolumeMaker } from './volumes.ts';

export interface PodPlace extends Surroundings {
  readonly name: string;
  readonly volumes: VolumeMaker;
  /** Of those that wait. */
  readonly schedulerName: string;
}

/** A pod that waits, with any of the constraints there are. */
export function waitingPod(chance: Chance, place: PodPlace): Json {
  const namespace = chance.oneOf(place.namespaces);
  const { nodeAffinity, ...onNodes } = nodeConstraints(chance, place);
  const affinity = {
    ...(nodeAffinity === undefined ? {} : { nodeAffinity }),
    ...chance.maybe(15, () => ({ podAffinity: podTerms(chance, place) })),
    ...chance.maybe(20, () => ({ podAntiAffinity: podTerms(chance, place) })),
  };
  const spec = {
    schedulerName: place.schedulerName,
    ...runningParts(chance),
    ...onNodes,
    affinity,
    ...chance.maybe(25, () => ({ topologySpreadConstraints: spreadConstraints(chance) })),
    ...chance.maybe(place.isPlain ? 0 : 25, () => ({ volumes: place.volumes.volumes(namespace) })),
  };
  return podObject(chance, { namespace, name: place.name, spec });
}

/** A pod that somebody has placed, whether or not there was room; it may be going, or have ended. */
export function placedPod(chance: Chance, place: PodPlace): Json {
  const namespace = chance.oneOf(place.namespaces);
  const spec = {
    schedulerName: 'somebody',
    nodeName: chance.percent(98) ? chance.oneOf(place.nodes) : 'gone',
    ...runningParts(chance),
    tolerations: [{ operator: 'Exists' }],
    affinity: chance.maybe(15, () => ({ podAntiAffinity: podTerms(chance, place) })),
    ...chance.maybe(place.isPlain ? 0 : 10, () => ({ volumes: place.volumes.boundVolumes(namespace) })),
  };
  const isResized = chance.percent(8);
  const allocatedResources = { cpu: '3', memory: '3Gi' };
  const status = {
    phase: chance.percent(5) ? chance.oneOf(['Succeeded', 'Failed']) : 'Running',
    ...(isResized ? { containerStatuses: [{ ...containerStatus, allocatedResources }] } : {}),
  };
  const isDeleting = chance.percent(6);
  const metadata = isDeleting ? { deletionTimestamp: '2030-01-01T00:00:00Z' } : {};
  return podObject(chance, { namespace, name: place.name, spec, status, metadata });
}

const containerStatus = { name: 'main', image: 'app:1', imageID: '', ready: true, restartCount: 0 };

interface PodParts {
  readonly namespace: string;
  readonly name: string;
  readonly spec: Json;
  readonly status?: Json;
  readonly metadata?: Json;
}

function podObject(chance: Chance, { namespace, name, spec, status, metadata }: PodParts): Json {
  const labels = {
    ...chance.maybe(95, () => ({ app: chance.oneOf(APPS) })),
    ...chance.maybe(70, () => ({ tier: chance.oneOf(TIERS) })),
    ...chance.maybe(70, () => ({ version: chance.oneOf(['1', '2']) })),
    ...chance.maybe(40, () => ({ team: chance.oneOf(['a', 'b']) })),
  };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace, name, labels, ...metadata },
    spec: { priority: chance.oneOf([-10, 0, 0, 100]), ...spec },
    ...(status === undefined ? {} : { status }),
  };
}

/** Containers of every sort, with what they ask for. */
function runningParts(chance: Chance): Json {
  const cards = cardsAsked(chance);
  const isOnHost = chance.percent(3);
  const hostPorts = chance.percent(15) ? [hostPort(chance)] : [];
  const ports = isOnHost ? [{ containerPort: 9000 }] : hostPorts;
  const main = container(chance, 'main', { requests: { ...sizes(chance), ...extras(chance), ...cards }, ports });
  const second = container(chance, 'second', { requests: sizes(chance) });
  const containers = chance.percent(20) ? [main, second] : [main];
  return {
    containers,
    ...(isOnHost ? { hostNetwork: true } : {}),
    ...chance.maybe(30, () => ({ initContainers: initContainers(chance, isOnHost) })),
    ...chance.maybe(10, () => ({ overhead: { cpu: '250m', memory: '120Mi' } })),
    ...chance.maybe(6, () => ({
      resources: { [chance.oneOf(['requests', 'limits'])]: { cpu: '10', memory: '20Gi' } },
    })),
  };
}

function initContainers(chance: Chance, isOnHost: boolean): Json[] {
  const kinds = chance.oneOf([['init'], ['sidecar'], ['sidecar', 'init'], ['init', 'sidecar', 'init']]);
  return kinds.map((kind, index) => initContainer(chance, kind, { index, isOnHost }));
}

/** Only a sidecar goes on running: ports of the others are open to nobody. */
function initContainer(chance: Chance, kind: string, { index, isOnHost }: { index: number; isOnHost: boolean }): Json {
  const port = 7000 + index;
  const ports = !isOnHost && chance.percent(20) ? [{ containerPort: port, hostPort: port }] : [];
  const size = { ...sizes(chance), ...(chance.percent(15) ? cardsAsked(chance) : {}) };
  return {
    ...container(chance, `${kind}-${index}`, { requests: size, ports }),
    ...(kind === 'sidecar' ? { restartPolicy: 'Always' } : {}),
  };
}

interface Asked {
  readonly requests: Record<string, string>;
  readonly ports?: readonly Json[];
}

function container(chance: Chance, name: string, { requests, ports = [] }: Asked): Json {
  // What cannot be divided has the same limit as request; the API server takes a limit alone for the request.
  const isWhole = (resource: string): boolean => resource.includes('/') || resource.startsWith('hugepages-');
  const limits = Object.fromEntries(Object.entries(requests).filter(([resource]) => isWhole(resource)));
  const resources = chance.percent(10) ? { limits: requests } : { requests, limits };
  return { name, image: 'app:1', resources, ports };
}
function sizes(chance: Chance): Record<string, string> {
  return {
    ...chance.maybe(85, () => ({ cpu: chance.oneOf(['100m', '500m', '1', '1.5', '2', '3', '0.3005']) })),
    ...chance.maybe(85, () => ({ memory: chance.oneOf(['128Mi', '1Gi', '1.5Gi', '2G', '4Gi', '1e9']) })),
  };
}

function extras(chance: Chance): Record<string, string> {
  return {
    ...chance.maybe(4, () => ({ 'rdma/hca': chance.oneOf(['1', '2']) })),
    ...chance.maybe(4, () => ({ 'example.com/widget': '1' })),
    ...chance.maybe(8, () => ({ 'ephemeral-storage': chance.oneOf(['10Gi', '60Gi']) })),
    ...chance.maybe(3, () => ({ 'hugepages-2Mi': '256Mi', cpu: '1' })),
  };
}

function cardsAsked(chance: Chance): Record<string, string> {
  if (chance.percent(70)) return {};
  return chance.oneOf<Record<string, string>>([
    { 'nvidia.com/gpu': '1' },
    { 'nvidia.com/gpu': '1' },
    { 'nvidia.com/gpu': '2' },
    { 'nvidia.com/gpu': '4' },
    { 'nvidia.com/gpu': '0' },
    { 'huawei.com/Ascend910': '2' },
    { 'nvidia.com/mig-1g.10gb': '2' },
  ]);
}

function hostPort(chance: Chance): Json {
  const port = chance.oneOf([8080, 8081, 9000]);
  return {
    containerPort: port,
    hostPort: port,
    protocol: chance.oneOf(['TCP', 'TCP', 'UDP']),
    ...chance.maybe(40, () => ({ hostIP: chance.oneOf(['0.0.0.0', '127.0.0.1', '10.0.0.1']) })),
  };
}
