import { NO_CONSTRAINTS, type Request } from '../model/index.ts';
import { copiesOn } from '../placement/index.ts';
import type { Book, RequestClass } from '../state/index.ts';
import { machineNoun } from './loss.ts';
import { isMachineUsable } from './usable.ts';

/** A kind of card by the name it goes by in reports. */
export interface CardFamily {
  readonly resource: string;
  readonly model: string;
}

/** What a card comes with: the medians over the pods that hold whole cards of the family, 0 when none does. */
export interface CardDiet {
  readonly cpuMilli: number;
  readonly memoryBytes: number;
}

export interface GangSize {
  readonly cardsPerPod: number;
  /** Pods of that size that fit at once. */
  readonly pods: number;
}

export interface LargestGang {
  readonly diet: CardDiet;
  /** The most cards that one new pod or gang finds on a single machine, and the machine; empty when none. */
  readonly onOneMachine: { readonly cards: number; readonly machine: string };
  /** Over all machines, by size of pod: 1, 2, 4, ... up to the widest machine. */
  readonly inCluster: readonly GangSize[];
}

const WIDEST_POD = 1024;

/** The largest gangs of whole cards that usable machines could start now, whatever their taints. O(machines x sizes). */
export function largestGang(book: Book, family: CardFamily): LargestGang {
  const diet = dietOf(book, family);
  const usable = [...book.machines.keys()].filter((machine) => isMachineUsable(machineNoun(book, machine)));
  const one = classOf(book, family, diet, 1);
  const onOneMachine = { cards: 0, machine: '' };
  for (const machine of usable) {
    const cards = copiesOn(book, one, machine);
    if (cards > onOneMachine.cards) Object.assign(onOneMachine, { cards, machine: machineNoun(book, machine).id });
  }
  const inCluster: GangSize[] = [];
  for (let size = 1; size <= widest(book, one) && size <= WIDEST_POD; size *= 2) {
    const requestClass = classOf(book, family, diet, size);
    const fit = usable.reduce((sum, machine) => sum + copiesOn(book, requestClass, machine), 0);
    inCluster.push({ cardsPerPod: size, pods: fit });
  }
  return { diet, onOneMachine, inCluster };
}

function widest(book: Book, requestClass: RequestClass): number {
  let most = 0;
  for (let machine = 0; machine < book.machines.length; machine += 1) {
    const kinds = book.cardKind.subarray(book.cardStart[machine], book.cardStart[machine + 1]);
    most = Math.max(most, kinds.filter((kind) => requestClass.kindRefusal[kind] === 0).length);
  }
  return most;
}

const EVERYWHERE = [{ key: '', operator: 'Exists', value: '', effect: '' }] as const;

function classOf(book: Book, family: CardFamily, diet: CardDiet, count: number): RequestClass {
  const request: Request = {
    cpuMilli: count * diet.cpuMilli,
    memoryBytes: count * diet.memoryBytes,
    resources: new Map(),
    cards: { kind: 'whole', resource: family.resource, models: [family.model], count },
    constraints: { ...NO_CONSTRAINTS, tolerations: EVERYWHERE },
    isolation: 'none',
  };
  return book.classOf(request);
}

function dietOf(book: Book, { resource, model }: CardFamily): CardDiet {
  const cpu: number[] = [];
  const memory: number[] = [];
  for (const { pod, cards } of book.holdings.values()) {
    const { request } = pod;
    const kind = book.kinds[book.cardKind[cards[0] ?? 0] as number];
    if (request.cards.kind !== 'whole' || request.cards.resource !== resource || kind?.model !== model) continue;
    cpu.push(Math.ceil(request.cpuMilli / request.cards.count));
    memory.push(Math.ceil(request.memoryBytes / request.cards.count));
  }
  return { cpuMilli: median(cpu), memoryBytes: median(memory) };
}

/** The lower of the two middle values; 0 for none. */
function median(values: readonly number[]): number {
  return values.toSorted((left, right) => left - right)[Math.floor((values.length - 1) / 2)] ?? 0;
}
