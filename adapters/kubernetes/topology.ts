import type { TopologyLevel, TopologyRequest } from '@springtide/core/model';
import { RACK_LABELS } from './node.ts';

/** What Kueue and KAI write on a pod template about how near its pods must be: a node label, by annotation. */
const REQUIRED = ['kueue.x-k8s.io/podset-required-topology', 'kai.scheduler/topology-required-placement'];
const PREFERRED = ['kueue.x-k8s.io/podset-preferred-topology', 'kai.scheduler/topology-preferred-placement'];

const LEVELS: ReadonlyMap<string, TopologyLevel> = new Map([
  ['kubernetes.io/hostname', 'machine'],
  ['topology.kubernetes.io/zone', 'zone'],
  ['failure-domain.beta.kubernetes.io/zone', 'zone'],
]);

/** Null: nothing is asked, or a level that the house does not know. */
export function topologyOf(
  annotations: ReadonlyMap<string, string>,
  rackLabels: readonly string[],
): TopologyRequest | null {
  for (const [keys, mode] of [
    [REQUIRED, 'required'],
    [PREFERRED, 'preferred'],
  ] as const) {
    const label = keys.map((key) => annotations.get(key)).find((value) => value !== undefined);
    const level = label === undefined ? undefined : levelOf(label, rackLabels);
    if (level !== undefined) return { level, mode, pattern: 'all-reduce' };
  }
  return null;
}

/** Undefined: a label that is no level of the house. */
export function levelOf(label: string, rackLabels: readonly string[]): TopologyLevel | undefined {
  return rackLabels.includes(label) || RACK_LABELS.includes(label) ? 'rack' : LEVELS.get(label);
}
