import type { Isolation, Pod } from '@springtide/core/model';
import { type CardAsk, cardAsk } from './card-request.ts';
import { constraintsOf } from './constraints.ts';
import { containersOf, effectiveAmounts } from './effective.ts';
import { type Fields, fieldsAt, has, integerAt, textAt } from './fields.ts';
import { fractionOf } from './kai.ts';
import { isExtended } from './resources.ts';

/** What the reader of a pod is told by its caller. */
export interface PodContext {
  readonly name: string;
  readonly namespace: string;
  readonly labels: ReadonlyMap<string, string>;
  readonly annotations: ReadonlyMap<string, string>;
  readonly service: string;
  readonly tenant: string;
  /** It is on a machine: what the kubelet has allotted counts too. */
  readonly isBound: boolean;
  /** An annotation of ours or of another tool cannot be read. A dump names it, a request is refused. */
  readonly complain: (annotation: string, expected: string) => void;
}

const ISOLATION = 'springtide.io/isolation';

/** The pod whose `spec` (and perhaps `status`) is in `item`, in the nouns of core. */
export function podOf(item: Fields, context: PodContext): Pod {
  const spec = fieldsAt(item, 'spec');
  const containers = containersOf(spec);
  const amounts = effectiveAmounts(item, containers, context.isBound);
  const ask = withFraction(cardAsk(amounts, containers, context.annotations), context);
  const resources = new Map([...ask.others].filter(([name, amount]) => isCounted(name) && amount > 0));
  return {
    id: `${context.namespace}/${context.name}`,
    namespace: context.namespace,
    labels: context.labels,
    service: context.service,
    serviceReplicas: 0,
    tenant: context.tenant,
    priority: priorityOf(spec),
    request: {
      cpuMilli: amounts.get('cpu') ?? 0,
      memoryBytes: amounts.get('memory') ?? 0,
      resources,
      cards: ask.cards,
      constraints: constraintsOf(spec, context),
      isolation: isolationOf(context),
    },
  };
}

/** CPU and memory have fields of their own; storage, hugepages and extended resources are other resources. */
function isCounted(name: string): boolean {
  return name === 'ephemeral-storage' || name.startsWith('hugepages-') || isExtended(name);
}

/** Fractions are told by annotations; a pod that names whole cards as well gets those. */
function withFraction(ask: CardAsk, context: PodContext): CardAsk {
  if (ask.cards.kind !== 'none') return ask;
  const fraction = fractionOf(context.annotations);
  if (fraction.kind === 'malformed') context.complain(fraction.annotation, fraction.expected);
  return fraction.kind === 'slice' ? { ...ask, cards: fraction.cards } : ask;
}

const SYSTEM_CLASSES: ReadonlyMap<string, number> = new Map([
  ['system-cluster-critical', 2_000_000_000],
  ['system-node-critical', 2_000_001_000],
]);

function priorityOf(spec: Fields): number {
  const range = { absent: 0, min: -(2 ** 31), max: 2 ** 31 - 1 };
  if (has(spec, 'priority')) return integerAt(spec, 'priority', range);
  return SYSTEM_CLASSES.get(textAt(spec, 'priorityClassName')) ?? 0;
}

function isolationOf(context: PodContext): Isolation {
  const text = context.annotations.get(ISOLATION) ?? context.labels.get(ISOLATION) ?? 'none';
  if (text === 'none' || text === 'card' || text === 'machine') return text;
  context.complain(ISOLATION, 'card, machine or none');
  return 'none';
}
