import type { Json } from '../objects.ts';
import type { Chance } from './chance.ts';

export const ZONES = ['z1', 'z2', 'z3'];
export const RACKS = ['r1', 'r2', 'r3', 'r4', 'r5'];
export const DISKS = ['ssd', 'hdd', 'nvme'];
export const MODELS = ['NVIDIA-A100-SXM4-80GB', 'NVIDIA-H100-80GB-HBM3', 'Tesla-T4'];

const TAINTS: readonly (readonly [string, string])[] = [
  ['dedicated', 'train'],
  ['dedicated', 'serve'],
  ['nvidia.com/gpu', 'present'],
  ['maintenance', ''],
];
const EFFECTS = ['NoSchedule', 'NoSchedule', 'NoExecute', 'PreferNoSchedule'];

/** A node as its kubelet, its cloud and its owner would have it, with what each may have forgotten. */
export function randomNode(name: string, chance: Chance): Json {
  const { capacity, allocatable } = sizes(chance);
  const isCordoned = chance.percent(8);
  const cordon = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' };
  // The controller that puts the taint there comes a moment after the cordon.
  const taints = [...taintsOf(chance), ...(isCordoned && chance.percent(50) ? [cordon] : [])];
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels: labelsOf(name, chance) },
    spec: { taints, unschedulable: isCordoned },
    status: { capacity, allocatable, conditions: [{ type: 'Ready', status: 'True', reason: 'KubeletReady' }] },
  };
}

function labelsOf(name: string, chance: Chance): Record<string, string> {
  const zone = chance.oneOf(ZONES);
  const region = zone === 'z3' ? 'east' : 'west';
  const hasPlace = chance.percent(85);
  const isOld = chance.percent(15);
  return {
    ...chance.maybe(95, () => ({ 'kubernetes.io/hostname': chance.percent(90) ? name : `${name}.local` })),
    ...(hasPlace && !isOld ? { 'topology.kubernetes.io/zone': zone, 'topology.kubernetes.io/region': region } : {}),
    ...(hasPlace && isOld ? { 'failure-domain.beta.kubernetes.io/zone': zone } : {}),
    ...chance.maybe(80, () => ({ 'topology.kubernetes.io/rack': chance.oneOf(RACKS) })),
    ...chance.maybe(70, () => ({ disk: chance.oneOf(DISKS) })),
    ...chance.maybe(70, () => ({ generation: chance.oneOf(['1', '2', '3', '10', '40', '007', 'x7', '']) })),
    'nvidia.com/gpu.product': chance.oneOf(MODELS),
  };
}

function taintsOf(chance: Chance): Json[] {
  if (chance.percent(70)) return [];
  const taints = chance.some(TAINTS, chance.between(1, 2)).map(([key, value]) => {
    return { key, value, effect: chance.oneOf(EFFECTS) };
  });
  // A key may stand there once with each effect.
  return [...new Map(taints.map((taint) => [`${taint.key} ${taint.effect}`, taint])).values()];
}

type Amounts = Record<string, string>;

function sizes(chance: Chance): { capacity: Amounts; allocatable: Amounts } {
  const cards = chance.oneOf([0, 2, 4, 8, 8]);
  const resource = chance.percent(80) ? 'nvidia.com/gpu' : 'huawei.com/Ascend910';
  const capacity: Amounts = {
    cpu: chance.oneOf(['12', '24', '32', '15910m', '64']),
    memory: chance.oneOf(['32Gi', '64Gi', '130000Mi', '256Gi', '33G']),
    ...chance.maybe(97, () => ({ pods: chance.oneOf(['110', '110', '110', '110', '6', '4']) })),
    'ephemeral-storage': chance.oneOf(['100Gi', '1Ti']),
    ...chance.maybe(30, () => ({ 'rdma/hca': chance.oneOf(['1', '4', '8']) })),
    ...chance.maybe(25, () => ({ 'hugepages-2Mi': chance.oneOf(['512Mi', '2Gi']) })),
    ...chance.maybe(15, () => ({ 'nvidia.com/mig-1g.10gb': '7' })),
    ...chance.maybe(25, () => ({ 'example.com/widget': chance.oneOf(['1', '3']) })),
    ...(cards > 0 ? { [resource]: String(cards) } : {}),
  };
  // Some cards are ill, and all nodes keep something for themselves.
  const ill = cards > 0 && chance.percent(25) ? chance.between(1, cards) : 0;
  return { capacity, allocatable: { ...capacity, ...(ill > 0 ? { [resource]: String(cards - ill) } : {}) } };
}
