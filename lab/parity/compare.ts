import type { ControlPlane } from '@springtide/testkit/controlplane';
import { clearObjects, type KubeVerdict, kubeVerdicts, loadObjects } from '@springtide/testkit/controlplane/verdicts';
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
  readonly differences: readonly Difference[];
}

/** Asks kube-scheduler and us about the same cluster. It is removed from the quiet plane afterwards. */
export async function compareCluster(
  plane: ControlPlane,
  objects: readonly Json[],
  ways: readonly Way[],
): Promise<Comparison> {
  const namespaces = new Set(
    objects.flatMap((object) => (metadataOf(object)['namespace'] as string | undefined) ?? []),
  );
  try {
    await loadObjects(plane.api, objects);
    const ours = new Map<Way, OurVerdicts>();
    for (const way of ways) ours.set(way, await verdictsBy(way, plane));
    const theirs = await kubeVerdicts(plane, ASKED);
    const nodes = objects.filter(({ kind }) => kind === 'Node').map((node) => String(metadataOf(node)['name']));
    return comparisonOf(ours, theirs, nodes);
  } finally {
    await clearObjects(plane.api, [...namespaces]);
  }
}

function metadataOf({ metadata }: Json): Json {
  return metadata as Json;
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
    differences,
  };
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
