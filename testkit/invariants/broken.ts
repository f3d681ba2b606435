import type { ClusterState } from './cluster-state.ts';

/** What must hold at any time (I1, I6): a sentence for each that does not. */
export function brokenAlways({ pods, nodes, bound, created }: ClusterState): string[] {
  const broken: string[] = [];
  for (const node of nodes) {
    const { name } = node.metadata;
    for (const [resource, held] of heldOn(name, pods)) {
      const there = Number(node.status.capacity[resource] ?? 0);
      if (held > there) broken.push(`I1: ${held} ${resource} are held on ${name}, which has ${there}`);
    }
  }
  for (const [pod, count] of bound) {
    const lives = Math.max(1, created.get(pod) ?? 1);
    if (count > lives) broken.push(`I6: ${pod} was bound ${count} times in ${lives} lives`);
  }
  return broken;
}

/** What must hold once nothing goes wrong any more (I2, I3, I5, I10): a sentence for each that does not. */
export function brokenAtRest(state: ClusterState, schedulerName: string): string[] {
  const ours = state.pods.filter((pod) => pod.spec.schedulerName === schedulerName && !isOver(pod));
  const waiting = ours.filter(isWaiting);
  return [
    ...waiting.filter((pod) => whyOf(pod) === '').map((pod) => `I2: ${pod.metadata.name} waits and nobody says why`),
    ...waiting
      // What is kept for a gang (P4) is free and not to be had.
      .filter((pod) => gangOf(pod) === null && !whyOf(pod).includes('kept for a gang') && fitsSomewhere(pod, state))
      .map((pod) => `I5: ${pod.metadata.name} waits though there is room`),
    ...halfGangs(state.pods).map((gang) => `I3: gang ${gang} is partly bound`),
    ...vainEvictions(state),
  ];
}

/** Gangs some members of which are bound, though fewer than must start together. */
export function halfGangs(pods: readonly any[]): string[] {
  const members = pods.filter((pod) => gangOf(pod) !== null && !isOver(pod));
  return [...Map.groupBy(members, gangOf)].flatMap(([gang, those]) => {
    const placed = those.filter((pod) => pod.spec.nodeName !== undefined).length;
    return placed > 0 && placed < minCountOf(those[0]) ? [String(gang)] : [];
  });
}

const GANG_LABEL = 'pod-group.scheduling.sigs.k8s.io/name';
const COUNT_LABEL = 'pod-group.scheduling.sigs.k8s.io/min-available';

/** Labels that make a pod the member of a gang. */
export function gangLabels(name: string, minCount: number): Readonly<Record<string, string>> {
  return { [GANG_LABEL]: name, [COUNT_LABEL]: String(minCount) };
}

function gangOf(pod: any): string | null {
  return pod.metadata.labels?.[GANG_LABEL] ?? null;
}

function minCountOf(pod: any): number {
  return Number(pod.metadata.labels[COUNT_LABEL]);
}

/** I10: whoever others had to leave for is placed. */
function vainEvictions({ events, pods }: ClusterState): string[] {
  const notes = events.filter(({ reason }) => reason === 'Preempted').map(({ note }) => String(note));
  const preemptors = new Set(notes.flatMap((note) => /Made room for \S+\/(\S+)/.exec(note)?.[1] ?? []));
  const waiting = pods.filter((pod) => preemptors.has(pod.metadata.name) && isWaiting(pod));
  return waiting.map((pod) => `I10: others left for ${pod.metadata.name}, which still waits`);
}

function fitsSomewhere(pod: any, { nodes, pods }: ClusterState): boolean {
  const asked = [...cardsOf(pod)];
  const isOpen = ({ spec, metadata }: any): boolean =>
    spec.unschedulable !== true &&
    (spec.taints ?? []).length === 0 &&
    Object.entries(pod.spec.nodeSelector ?? {}).every(([key, value]) => metadata.labels[key] === value);
  return nodes.filter(isOpen).some((node) => {
    const held = heldOn(node.metadata.name, pods);
    return asked.every(([resource, count]) => {
      return Number(node.status.allocatable[resource] ?? 0) - (held.get(resource) ?? 0) >= count;
    });
  });
}

function heldOn(node: string, pods: readonly any[]): Map<string, number> {
  const held = new Map<string, number>();
  for (const pod of pods) {
    if (pod.spec.nodeName !== node || isOver(pod)) continue;
    for (const [resource, count] of cardsOf(pod)) held.set(resource, (held.get(resource) ?? 0) + count);
  }
  return held;
}

/** Extended resources of all containers, and the pod itself. */
function cardsOf(pod: any): Map<string, number> {
  const cards = new Map([['pods', 1]]);
  for (const { resources } of pod.spec.containers) {
    for (const [resource, count] of Object.entries(resources?.requests ?? {})) {
      if (resource.includes('/')) cards.set(resource, (cards.get(resource) ?? 0) + Number(count));
    }
  }
  return cards;
}

function isOver(pod: any): boolean {
  return pod.status.phase === 'Succeeded' || pod.status.phase === 'Failed';
}

function isWaiting(pod: any): boolean {
  return pod.spec.nodeName === undefined && pod.metadata.deletionTimestamp === undefined && !isOver(pod);
}

function whyOf(pod: any): string {
  const verdict = (pod.status.conditions ?? []).find(({ type }: any) => type === 'PodScheduled');
  return verdict?.status === 'False' ? String(verdict.message) : '';
}
