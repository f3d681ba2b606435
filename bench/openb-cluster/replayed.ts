import { parseDump } from '@springtide/adapters/kubernetes';
import { compareText } from '@springtide/core/base';
import type { Machine, Pod, SliceHeld } from '@springtide/core/model';
import { DEFAULT_SERVICE_CAPS, Placer, Tide } from '@springtide/core/placement';
import { Book } from '@springtide/core/state';
import type { ControlPlane } from '@springtide/testkit/controlplane';

/** What a cluster has placed, and what the engine alone makes of the same objects. */

const NAME = 'openb-';

export function nameOf(index: number): string {
  return `${NAME}${String(index).padStart(5, '0')}`;
}

export function indexOf({ id }: Pod): number {
  return Number(id.slice(id.indexOf(NAME) + NAME.length));
}

/** Pods that have neither a place nor a reason why not. */
export async function undecided({ api }: ControlPlane): Promise<number> {
  const { items } = await api.get('/api/v1/namespaces/default/pods?fieldSelector=spec.nodeName%3D');
  const pods = items as { readonly status: { readonly conditions?: readonly unknown[] } }[];
  return pods.filter(({ status }) => (status.conditions ?? []).length === 0).length;
}

interface Item {
  readonly metadata: { readonly name: string; readonly creationTimestamp: string };
}

/** Machines and pods as our own reader of dumps sees them in the end; pods in the order in which they are tried. */
export async function dumpOf({ api }: ControlPlane): Promise<{ machines: readonly Machine[]; observed: Observed[] }> {
  const nodes = await api.get('/api/v1/nodes');
  const pods: readonly Item[] = (await api.get('/api/v1/namespaces/default/pods')).items;
  const kinds = (items: readonly object[], kind: string): object[] =>
    items.map((item) => ({ apiVersion: 'v1', kind, ...item }));
  const list = { apiVersion: 'v1', kind: 'List', items: [...kinds(nodes.items, 'Node'), ...kinds(pods, 'Pod')] };
  const dump = parseDump([['cluster', Buffer.from(JSON.stringify(list))]]);
  if (!dump.ok) throw new Error(`the dump cannot be read: ${JSON.stringify(dump.error)}`);
  const madeAt = new Map(pods.map(({ metadata }) => [`default/${metadata.name}`, metadata.creationTimestamp]));
  const keyOf = ({ pod }: Observed): string => `${madeAt.get(pod.id)} ${pod.id}`;
  const observed = dump.value.pods.toSorted((left, right) => compareText(keyOf(left), keyOf(right)));
  return { machines: dump.value.machines, observed };
}

export interface Observed {
  readonly pod: Pod;
  readonly machine: string | null;
  /** What a plug-in's annotation says that it holds; null: none names it. */
  readonly held: readonly SliceHeld[] | null;
}

/** Where a pod is, and on which cards. */
export interface Place {
  readonly machine: string;
  readonly cards: readonly string[];
}

/** The engine alone, pods in order; null: it fits nowhere. */
export function replayed(machines: readonly Machine[], pods: readonly Pod[]): (Place | null)[] {
  const book = new Book(machines);
  const placer = new Placer({ book, policy: new Tide(book), serviceCaps: DEFAULT_SERVICE_CAPS });
  return pods.map((pod) => {
    const decision = placer.place(pod);
    if (!decision.ok) return null;
    const { machine, cards } = decision.holding;
    return { machine: book.machines[machine]?.id ?? '', cards: cards.map((card) => book.cardIds[card] ?? '') };
  });
}
