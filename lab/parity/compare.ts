import type { ControlPlane } from '@springtide/testkit/controlplane';
import {
  clearObjects,
  type KubeVerdict,
  kubeVerdicts,
  loadObjects,
  NOTED,
} from '@springtide/testkit/controlplane/verdicts';
import type { Json } from '@springtide/testkit/kubectl';
import { dumpVerdicts, liveVerdicts, type OurVerdicts } from './ours.ts';

/** The `schedulerName` of the pods that both are asked about. */
export const ASKED = 'asked';

/** How a cluster comes to our engine: by watches, as the scheduler has it, or by a dump of nodes and pods. */
export type Way = 'live' | 'dump';

/** One pod on one machine about which the two do not agree. */
export interface Difference {
  readonly pod: string;
  readonly machine: string;
  readonly way: Way;
  /** What keeps it off as we see it; null: we find it feasible, kube-scheduler does not. */
  readonly ours: readonly string[] | null;
  /** `feasible`, or what kube-scheduler says of the pod. */
  readonly theirs: string;
}

export interface Comparison {
  readonly pods: number;
  readonly machines: number;
  /** Pairs of pod and machine that were compared, and those that kube-scheduler finds feasible. */
  readonly answers: number;
  readonly feasible: number;
  /** Nodes by each reason for which kube-scheduler refused them, in its own words. */
  readonly reasons: ReadonlyMap<string, number>;
  readonly differences: readonly Difference[];
}

/** Asks kube-scheduler and us about the same cluster. It is removed from the quiet plane afterwards. */
export async function compareCluster(
  plane: ControlPlane,
  objects: readonly Json[],
  ways: readonly Way[],
): Promise<Comparison> {
  const namespaces = new Set(objects.map((object) => metadataOf(object).namespace ?? ''));
  namespaces.delete('');
  try {
    await loadObjects(plane.api, objects);
    const ours = new Map<Way, OurVerdicts>();
    for (const way of ways) ours.set(way, await verdictsBy(way, plane));
    const theirs = await kubeVerdicts(plane, ASKED);
    const nodes = objects.filter(({ kind }) => kind === 'Node').map((node) => metadataOf(node).name);
    return comparisonOf(ours, theirs, nodes);
  } finally {
    await clearObjects(plane.api, [...namespaces]);
  }
}

function metadataOf({ metadata }: Json): { readonly namespace?: string; readonly name: string } {
  return metadata as { readonly namespace?: string; readonly name: string };
}

async function verdictsBy(way: Way, plane: ControlPlane): Promise<OurVerdicts> {
  if (way === 'live') return liveVerdicts(plane.adminKubeconfig, ASKED);
  return dumpVerdicts(await plane.kubectl(['get', 'nodes,pods', '-A', '-o', 'json']));
}

function comparisonOf(
  ours: ReadonlyMap<Way, OurVerdicts>,
  theirs: ReadonlyMap<string, KubeVerdict>,
  machines: readonly string[],
): Comparison {
  const differences: Difference[] = [];
  let feasible = 0;
  for (const [pod, verdict] of theirs) {
    feasible += verdict.feasible.size;
    for (const [way, verdicts] of ours) differences.push(...differencesOf({ pod, way, machines }, verdict, verdicts));
  }
  return {
    pods: theirs.size,
    machines: machines.length,
    answers: theirs.size * machines.length,
    feasible,
    reasons: reasonsOf([...theirs.values()]),
    differences,
  };
}

/** From `0/20 nodes are available: 3 Insufficient cpu, 2 node(s) were unschedulable.`, or what is wrong everywhere. */
function reasonsOf(verdicts: readonly KubeVerdict[]): Map<string, number> {
  const reasons = new Map<string, number>();
  for (const { message } of verdicts) {
    const [, nodes = '0', told = ''] = /^0\/(\d+) nodes are available: (.*?)\.?$/.exec(message) ?? [];
    for (const part of told.split(', ')) {
      const [, count = nodes, why = part] = /^(\d+) (.*)$/.exec(part) ?? [];
      // Names differ from cluster to cluster.
      const reason = why.replace(/"[^"]*"/g, '"..."');
      if (reason !== NOTED) reasons.set(reason, (reasons.get(reason) ?? 0) + Number(count));
    }
  }
  return reasons;
}

interface Asked {
  readonly pod: string;
  readonly way: Way;
  readonly machines: readonly string[];
}

function differencesOf({ pod, way, machines }: Asked, verdict: KubeVerdict, ours: OurVerdicts): Difference[] {
  const feasible = ours.feasible(pod);
  return machines
    .filter((machine) => feasible.has(machine) !== verdict.feasible.has(machine))
    .map((machine) => {
      if (feasible.has(machine)) return { pod, machine, way, ours: null, theirs: verdict.message };
      return { pod, machine, way, ours: ours.why(pod, machine), theirs: 'feasible' };
    });
}
