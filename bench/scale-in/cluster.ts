import type { ControlPlane } from '@springtide/testkit/controlplane';
import { podObject, type Space, until } from '@springtide/testkit/controlplane/fixtures';
import { hamiPart, hamiRegister } from '@springtide/testkit/kubectl';
import { CARD_MEMORY_MIB, CARDS_PER_MACHINE, type Layout, type Place } from './layouts.ts';

const ALLOCATED = 'hami.io/vgpu-devices-allocated';
const REGISTER = 'hami.io/node-nvidia-register';
export const DEPLOYMENT = 'x';

/** What is read of a pod. */
export interface KubePod {
  readonly metadata: {
    readonly name: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly deletionTimestamp?: string;
  };
  readonly spec: {
    readonly nodeName?: string;
    readonly containers: readonly { readonly resources: { readonly limits?: Readonly<Record<string, string>> } }[];
  };
  readonly status: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

/** A layout on a control plane: nodes, pods of others, and a Deployment whose pods run where the layout says. */
export async function furnish(plane: ControlPlane, space: Space, layout: Layout): Promise<readonly string[]> {
  const nodes = await addNodes(plane, space, layout);
  const other = { labels: { app: 'other' }, ...podOf(layout) };
  const addOther = async (place: Place, index: number): Promise<void> => {
    await space.addPod(`other-${index}`, { ...other, annotations: heldBy(layout, nodes, place) });
    await space.bind(`other-${index}`, nodes[place.machine] as string);
  };
  await Promise.all(layout.others.map(addOther));
  await addDeployment(plane, space, layout);
  const pods = await replicasOf(space, layout.replicas.length);
  const place = async (at: Place, index: number): Promise<void> => {
    const { name } = (pods[index] as KubePod).metadata;
    const annotations = heldBy(layout, nodes, at);
    if (Object.keys(annotations).length > 0)
      await plane.api.patch(`${space.path}/pods/${name}`, { metadata: { annotations } });
    await space.bind(name, nodes[at.machine] as string);
  };
  await Promise.all(layout.replicas.map(place));
  await until('all pods are ready', async () => {
    const all: KubePod[] = await space.pods();
    return all.every(isReady);
  });
  return nodes;
}

function isReady(pod: KubePod): boolean {
  return (pod.status.conditions ?? []).some((each) => each.type === 'Ready' && each.status === 'True');
}

async function addNodes(plane: ControlPlane, space: Space, { machines, asks }: Layout): Promise<string[]> {
  const isSliced = asks.parts > 1;
  const nodes = await space.addNodes(machines, { cards: isSliced ? 10 * CARDS_PER_MACHINE : CARDS_PER_MACHINE });
  if (isSliced)
    for (const node of nodes) {
      const annotations = { [REGISTER]: hamiRegister(node, CARDS_PER_MACHINE, CARD_MEMORY_MIB) };
      await plane.api.patch(`/api/v1/nodes/${node}`, { metadata: { annotations } });
    }
  return nodes;
}

function memoryMiB({ asks }: Layout): number {
  return CARD_MEMORY_MIB / asks.parts;
}

/** What the device plug-in would write on the pod. */
function heldBy(layout: Layout, nodes: readonly string[], { machine, card }: Place): Record<string, string> {
  if (layout.asks.parts === 1) return {};
  const part = hamiPart(`GPU-${nodes[machine]}-${card}`, memoryMiB(layout), 0);
  return { [ALLOCATED]: `${part};`, 'hami.io/vgpu-node': nodes[machine] as string, 'hami.io/bind-phase': 'success' };
}

function podOf(layout: Layout): object {
  const { cards, parts } = layout.asks;
  if (parts === 1) return { cards };
  const limits = { 'nvidia.com/gpu': '1', 'nvidia.com/gpumem': String(memoryMiB(layout)) };
  const resources = { requests: { cpu: '1', memory: '1Gi' }, limits };
  return { spec: { containers: [{ name: 'main', image: 'none.invalid/none', resources }] } };
}

async function addDeployment(plane: ControlPlane, space: Space, layout: Layout): Promise<void> {
  const pod = podObject('', { ...podOf(layout), labels: { app: DEPLOYMENT }, nodeSelector: space.nodeLabels }) as {
    readonly spec: object;
  };
  await plane.api.create(`/apis/apps/v1/namespaces/${space.namespace}/deployments`, {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: DEPLOYMENT },
    spec: {
      replicas: layout.replicas.length,
      selector: { matchLabels: { app: DEPLOYMENT } },
      template: { metadata: { labels: { app: DEPLOYMENT } }, spec: pod.spec },
    },
  });
}

/** The pods of the Deployment, by name, once there are so many. */
export async function replicasOf(space: Space, count: number): Promise<KubePod[]> {
  let pods: KubePod[] = [];
  await until(`there are ${count} replicas`, async () => {
    pods = (await space.pods()).filter(
      (pod) => pod.metadata.labels?.['app'] === DEPLOYMENT && !pod.metadata.deletionTimestamp,
    );
    return pods.length === count;
  });
  return pods.toSorted((left, right) => (left.metadata.name < right.metadata.name ? -1 : 1));
}

/** By `scale`, as kubectl, HPA and KEDA do it. */
export async function scale(plane: ControlPlane, space: Space, to: number): Promise<void> {
  const path = `/apis/apps/v1/namespaces/${space.namespace}/deployments/${DEPLOYMENT}/scale`;
  await plane.api.patch(path, { spec: { replicas: to } });
}

/** What is free, counted from the objects alone. */
export interface FreeCards {
  readonly cards: number;
  readonly machines: number;
}

export function freeCards(nodes: readonly string[], pods: readonly KubePod[]): FreeCards {
  const held = nodes.map((node) => {
    const own = pods.filter((pod) => pod.spec.nodeName === node);
    const named = own.flatMap((pod) => /GPU-[^,]+/.exec(pod.metadata.annotations?.[ALLOCATED] ?? '')?.[0] ?? []);
    const whole = own
      .filter((pod) => pod.metadata.annotations?.[ALLOCATED] === undefined)
      .reduce((sum, pod) => sum + Number(pod.spec.containers[0]?.resources.limits?.['nvidia.com/gpu'] ?? 0), 0);
    return new Set(named).size + whole;
  });
  return {
    cards: held.reduce((sum, cards) => sum + CARDS_PER_MACHINE - cards, 0),
    machines: held.filter((cards) => cards === 0).length,
  };
}
