import { cardResource, isInstanceResource, VENDORS } from '@springtide/core/vendors';
import { said } from '@springtide/wire/messages';
import { InputFault } from '../fault.ts';
import type { Fields } from '../fields.ts';
import { listAll } from '../list-all.ts';
import { type NodeDraft, RACK_LABELS, readNode } from '../node.ts';
import { type Client, type Finding, finding, someOf, unread } from './finding.ts';

/** What the nodes offer. */
export interface Offer {
  readonly nodes: number;
  /** Allocatable, by resource. */
  readonly cards: ReadonlyMap<string, number>;
  /** Nodes whose labels tell of cards while nobody can be given one. */
  readonly silent: readonly string[];
  /** Nodes with cards that their plug-in says are sick. */
  readonly sick: readonly string[];
  readonly unreadable: readonly string[];
}

export async function checkCards(client: Client): Promise<{ findings: Finding[]; resources: readonly string[] }> {
  const nodes: NodeDraft[] = [];
  const unreadable: string[] = [];
  const listed = await listAll(client, '/api/v1/nodes', (node) => {
    addNode(node, nodes, unreadable);
    return true;
  });
  if (!listed.ok) return { findings: [unread('cards', 'nodes', listed.error)], resources: [] };
  const offer = offerOf(nodes, unreadable);
  return { findings: cardFindings(offer), resources: [...offer.cards.keys()] };
}

function addNode(node: Fields, nodes: NodeDraft[], unreadable: string[]): void {
  try {
    nodes.push(readNode(node, { rackLabels: RACK_LABELS, cluster: '' }));
  } catch (error) {
    if (!(error instanceof InputFault)) throw error;
    unreadable.push(`${String((node.values['metadata'] as { name?: unknown } | undefined)?.name)} (${error.expected})`);
  }
}

function isCard(resource: string): boolean {
  return cardResource(resource) !== null || isInstanceResource(resource);
}

export function offerOf(nodes: readonly NodeDraft[], unreadable: readonly string[]): Offer {
  const cards = new Map<string, number>();
  const [silent, sick]: [string[], string[]] = [[], []];
  for (const { name, labels, capacity, allocatable } of nodes) {
    const offered = [...capacity].filter(([resource, amount]) => isCard(resource) && amount > 0);
    if (offered.length === 0 && tellsOfCards(labels)) silent.push(name);
    if (offered.some(([resource, amount]) => (allocatable.get(resource) ?? 0) < amount)) sick.push(name);
    for (const [resource] of offered) {
      cards.set(resource, (cards.get(resource) ?? 0) + (allocatable.get(resource) ?? 0));
    }
  }
  return { nodes: nodes.length, cards, silent, sick, unreadable };
}

const MODEL_LABELS = VENDORS.flatMap(({ modelLabels }) => modelLabels);

/** As node feature discovery sees it on the bus: displays and accelerators of NVIDIA, Huawei and Cambricon. */
const BUS_LABEL = /^feature\.node\.kubernetes\.io\/pci-(?:(?:03|12)\d\d_)?(?:10de|19e5|cabc)\.present$/;

function tellsOfCards(labels: ReadonlyMap<string, string>): boolean {
  if (MODEL_LABELS.some((label) => (labels.get(label) ?? '') !== '')) return true;
  return [...labels].some(([key, value]) => {
    return value === 'true' && (key === 'nvidia.com/gpu.present' || BUS_LABEL.test(key));
  });
}

export function cardFindings({ nodes, cards, silent, sick, unreadable }: Offer): Finding[] {
  const findings: Finding[] = [];
  const told = [...cards].map(([resource, count]) => `${count} ${resource}`);
  if (told.length > 0)
    findings.push(finding('cards', 'ok', said('doctor.cards.offered', { cards: someOf(told), nodes })));
  else findings.push(finding('cards', 'warning', said('doctor.cards.none', { nodes }), said('doctor.cards.noneTodo')));
  const about = (names: readonly string[]): { nodes: string; count: number } => ({
    nodes: someOf(names),
    count: names.length,
  });
  if (silent.length > 0) {
    findings.push(
      finding('cards', 'problem', said('doctor.cards.silent', about(silent)), said('doctor.cards.silentTodo')),
    );
  }
  if (sick.length > 0) {
    findings.push(finding('cards', 'warning', said('doctor.cards.sick', about(sick)), said('doctor.cards.sickTodo')));
  }
  if (unreadable.length > 0) {
    const found = said('doctor.cards.unreadable', about(unreadable));
    findings.push(finding('cards', 'problem', found, said('doctor.cards.unreadableTodo')));
  }
  return findings;
}
