import type { Json } from '../objects.ts';
import type { Chance } from './chance.ts';
import { DISKS, MODELS, RACKS, ZONES } from './nodes.ts';

export const APPS = ['chat', 'rank', 'train', 'etl'];
export const TIERS = ['front', 'back'];

const ZONE = 'topology.kubernetes.io/zone';
const RACK = 'topology.kubernetes.io/rack';
const HOST = 'kubernetes.io/hostname';

/** Where a random pod lives, and what it may refer to. */
export interface Surroundings {
  readonly nodes: readonly string[];
  readonly namespaces: readonly string[];
  /** Namespaces are named, never chosen by their labels. */
  readonly isPlain: boolean;
}

/** Required node affinity, a node selector, tolerations. */
export function nodeConstraints(chance: Chance, { nodes }: Surroundings): Json {
  return {
    ...chance.maybe(12, () => ({ nodeSelector: nodeSelector(chance) })),
    tolerations: tolerations(chance),
    ...chance.maybe(25, () => ({ nodeAffinity: nodeAffinity(chance, nodes) })),
  };
}

function nodeSelector(chance: Chance): Json {
  return chance.percent(70) ? { disk: chance.oneOf(DISKS) } : { [ZONE]: chance.oneOf(ZONES) };
}

function tolerations(chance: Chance): Json[] {
  const known = [
    { operator: 'Exists' },
    { key: 'dedicated', operator: 'Equal', value: 'train', effect: 'NoSchedule' },
    { key: 'dedicated', operator: 'Exists' },
    { key: 'nvidia.com/gpu', operator: 'Exists', effect: 'NoSchedule' },
    { key: 'maintenance', effect: 'NoExecute' },
    { key: 'maintenance', operator: 'Equal', value: '' },
    { key: 'node.kubernetes.io/unschedulable', operator: 'Exists', effect: 'NoSchedule' },
  ];
  return chance.some(known, chance.oneOf([0, 0, 1, 1, 2, 3]));
}

function nodeAffinity(chance: Chance, nodes: readonly string[]): Json {
  const terms = Array.from({ length: chance.between(1, 2) }, (): Json => {
    const byName = chance.percent(20);
    const matchExpressions = Array.from({ length: chance.between(byName ? 0 : 1, 2) }, () => expression(chance));
    const matchFields = byName ? [nameField(chance, nodes)] : [];
    return { matchExpressions, matchFields };
  });
  const soft = { weight: 5, preference: { matchExpressions: [expression(chance)] } };
  return {
    requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms },
    ...chance.maybe(30, () => ({ preferredDuringSchedulingIgnoredDuringExecution: [soft] })),
  };
}

function nameField(chance: Chance, nodes: readonly string[]): Json {
  return { key: 'metadata.name', operator: chance.oneOf(['In', 'NotIn']), values: [chance.oneOf(nodes)] };
}

function expression(chance: Chance): Json {
  return chance.oneOf<() => Json>([
    () => ({ key: 'disk', operator: 'In', values: chance.some(DISKS, 2) }),
    () => ({ key: 'disk', operator: 'NotIn', values: [chance.oneOf(DISKS)] }),
    () => ({ key: 'nvidia.com/gpu.product', operator: 'In', values: chance.some(MODELS, 2) }),
    () => ({ key: ZONE, operator: 'In', values: chance.some(ZONES, 2) }),
    () => ({ key: RACK, operator: 'NotIn', values: chance.some(RACKS, 2) }),
    () => ({ key: RACK, operator: 'Exists' }),
    () => ({ key: 'disk', operator: 'DoesNotExist' }),
    () => ({ key: 'generation', operator: 'Gt', values: [chance.oneOf(['1', '2', '0', '9'])] }),
    () => ({ key: 'generation', operator: 'Lt', values: [chance.oneOf(['3', '100', '0'])] }),
    () => ({ key: 'generation', operator: 'Gt', values: ['many'] }),
  ])();
}

/** Required pod affinity or anti-affinity. */
export function podTerms(chance: Chance, around: Surroundings): Json {
  const terms = Array.from({ length: chance.oneOf([1, 1, 2]) }, () => podTerm(chance, around));
  const soft = { weight: 10, podAffinityTerm: podTerm(chance, around) };
  return {
    requiredDuringSchedulingIgnoredDuringExecution: terms,
    ...chance.maybe(20, () => ({ preferredDuringSchedulingIgnoredDuringExecution: [soft] })),
  };
}

function podTerm(chance: Chance, { namespaces, isPlain }: Surroundings): Json {
  const selector = labelSelector(chance);
  const isSelecting = 'labelSelector' in selector;
  return {
    topologyKey: chance.oneOf([HOST, HOST, ZONE, RACK]),
    ...selector,
    ...(isSelecting ? chance.maybe(15, () => ({ matchLabelKeys: ['version'] })) : {}),
    ...(isSelecting ? chance.maybe(10, () => ({ mismatchLabelKeys: ['team'] })) : {}),
    ...chance.maybe(20, () => ({ namespaces: chance.some(namespaces, chance.between(1, 2)) })),
    ...chance.maybe(isPlain ? 0 : 25, () => ({ namespaceSelector: namespaceSelector(chance, namespaces) })),
  };
}

function namespaceSelector(chance: Chance, namespaces: readonly string[]): Json {
  return chance.oneOf<() => Json>([
    () => ({}),
    () => ({ matchLabels: { stage: chance.oneOf(['production', 'test']) } }),
    () => ({ matchLabels: { 'kubernetes.io/metadata.name': chance.oneOf(namespaces) } }),
    () => ({ matchExpressions: [{ key: 'stage', operator: 'NotIn', values: ['test'] }] }),
    () => ({ matchExpressions: [{ key: 'owner', operator: 'Exists' }] }),
  ])();
}

function labelSelector(chance: Chance): Json {
  const app = (): string => chance.oneOf(APPS);
  return chance.oneOf<() => Json>([
    () => ({ labelSelector: { matchLabels: { app: app() } } }),
    () => ({ labelSelector: { matchLabels: { app: app() } } }),
    () => ({ labelSelector: { matchLabels: { app: app(), tier: chance.oneOf(TIERS) } } }),
    () => ({ labelSelector: { matchExpressions: [{ key: 'app', operator: 'In', values: chance.some(APPS, 2) }] } }),
    () => ({ labelSelector: { matchExpressions: [{ key: 'app', operator: 'NotIn', values: chance.some(APPS, 3) }] } }),
    () => ({ labelSelector: { matchExpressions: [{ key: 'tier', operator: 'DoesNotExist' }] } }),
    () => (chance.percent(30) ? { labelSelector: {} } : { labelSelector: { matchLabels: { app: app() } } }),
    () => (chance.percent(30) ? {} : { labelSelector: { matchLabels: { app: app() } } }),
  ])();
}

/** Topology spread, hard for the most part. Two constraints of a pod have different keys. */
export function spreadConstraints(chance: Chance): Json[] {
  return chance.some([ZONE, RACK, HOST], chance.oneOf([1, 1, 2])).map((key) => spreadConstraint(chance, key));
}

function spreadConstraint(chance: Chance, topologyKey: string): Json {
  const isHard = chance.percent(90);
  const selector = labelSelector(chance);
  return {
    topologyKey,
    maxSkew: chance.between(1, 3),
    whenUnsatisfiable: isHard ? 'DoNotSchedule' : 'ScheduleAnyway',
    ...selector,
    ...('labelSelector' in selector ? chance.maybe(20, () => ({ matchLabelKeys: ['version'] })) : {}),
    ...(isHard ? chance.maybe(20, () => ({ minDomains: chance.between(1, 5) })) : {}),
    ...chance.maybe(40, () => ({ nodeAffinityPolicy: chance.oneOf(['Honor', 'Ignore']) })),
    ...chance.maybe(40, () => ({ nodeTaintsPolicy: chance.oneOf(['Honor', 'Ignore']) })),
  };
}
