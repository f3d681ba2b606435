import { mulberry32 } from '@springtide/core/base';
import type { Json } from '../objects.ts';
import { Chance } from './chance.ts';
import { randomNode } from './nodes.ts';
import { placedPod, waitingPod } from './pods.ts';
import { VolumeMaker } from './volumes.ts';

export interface RandomClusterOptions {
  readonly seed: number;
  readonly machines?: number;
  readonly placed?: number;
  readonly waiting?: number;
  /** Without volumes, and without namespaces chosen by label: all that is said is said in nodes and pods. */
  readonly isPlain?: boolean;
  /** Of the pods that wait. */
  readonly schedulerName: string;
}

/**
 * A cluster as Kubernetes objects, in an order in which they can be made: namespaces, nodes, volumes, pods with a
 * machine, pods that wait. Everything a scheduler looks at occurs: affinities, taints, spread, volumes, sidecars,
 * host ports, and what people get wrong in each. The same seed gives the same cluster; names carry the seed, so that
 * clusters made one after the other do not meet.
 */
export function randomCluster(options: RandomClusterOptions): Json[] {
  const { seed, machines = 20, placed = 60, waiting = 15, isPlain = false, schedulerName } = options;
  const chance = new Chance(mulberry32(seed));
  const prefix = `${isPlain ? 'p' : 'c'}${seed}`;
  const nodes = Array.from({ length: machines }, (_, index) => `${prefix}-n${String(index).padStart(2, '0')}`);
  const namespaces = ['red', 'blue', 'green'].map((name) => `${prefix}-${name}`);
  const volumes = new VolumeMaker(chance, prefix, nodes);
  const place = { nodes, namespaces, volumes, isPlain, schedulerName };
  const nodeObjects = nodes.map((name) => randomNode(name, chance));
  const pods = [
    ...Array.from({ length: placed }, (_, index) => placedPod(chance, { ...place, name: `placed-${index}` })),
    ...Array.from({ length: waiting }, (_, index) => waitingPod(chance, { ...place, name: `waiting-${index}` })),
  ];
  return [
    ...namespaces.map((name, index) => namespaceObject(name, index)),
    ...nodeObjects,
    ...volumes.objects,
    ...pods,
  ];
}

function namespaceObject(name: string, index: number): Json {
  const labels = [{ stage: 'production', owner: 'a' }, { stage: 'test' }, {}][index];
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } };
}
