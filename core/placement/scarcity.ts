import type { Book, RequestClass } from '../state/index.ts';
import { cardsAsked, countCards } from './demand.ts';
import type { MixEntry } from './mix.ts';

/** A class is restricted when only machines with at most this part of the fleet's cards could ever hold it. */
const RESTRICTED_MAX = 0.5;

/** Whether a machine could hold a class if it were empty. Machines of one shape answer alike. */
function couldHold(book: Book, requestClass: RequestClass, machine: number): boolean {
  const { cpuMilli, memoryBytes, count, request, kindRefusal } = requestClass;
  const { cpuMilli: cpu, memoryBytes: memory, resources } = book.machines[machine] as Book['machines'][number];
  if (cpuMilli > cpu || memoryBytes > memory) return false;
  for (const [name, amount] of request.resources) if (amount > (resources.get(name) ?? 0)) return false;
  let cards = 0;
  for (let card = book.cardStart[machine] as number; card < (book.cardStart[machine + 1] as number); card += 1) {
    if (book.cardUsable[card] === 1 && kindRefusal[book.cardKind[card] as number] === 0) cards += 1;
  }
  return cards >= count;
}

/** The machines that could hold a class, and how many cards they have. */
function openMachines(book: Book, requestClass: RequestClass): { machines: number[]; cards: number } {
  const byShape = new Map<number, boolean>();
  const machines: number[] = [];
  let cards = 0;
  for (let machine = 0; machine < book.machines.length; machine += 1) {
    if (requestClass.staticRefusal[machine] !== 0) continue;
    const shape = book.shapeOf[machine] as number;
    const isOpen = byShape.get(shape) ?? couldHold(book, requestClass, machine);
    byShape.set(shape, isOpen);
    if (!isOpen) continue;
    machines.push(machine);
    cards += (book.cardStart[machine + 1] as number) - (book.cardStart[machine] as number);
  }
  return { machines, cards };
}

/**
 * For each machine the demand of restricted classes that could run there, a card of the machines open to them:
 * 1 when a class by itself could fill every machine it may use, were the fleet just full. Classes are restricted
 * by the models they name, by labels and taints, and by size: few machines have the CPU for eight hungry cards.
 * Requests that could go elsewhere should. O(classes x machines). Source: ours; the price on named models alone
 * is in shared/design/packing.md 3.
 */
export function scarcity(book: Book, mix: readonly MixEntry[]): Float64Array {
  const counts = countCards(book);
  const total = counts.reduce((sum, count) => sum + count, 0);
  const asked = mix.map(({ requestClass, share }) => share * cardsAsked(book, requestClass, counts));
  const all = asked.reduce((sum, part) => sum + part, 0);
  const pressure = new Float64Array(book.machines.length);
  mix.forEach(({ requestClass }, i) => {
    if (asked[i] === 0) return;
    const { machines, cards } = openMachines(book, requestClass);
    const { cards: request } = requestClass.request;
    const namesModels = request.kind !== 'none' && request.models !== null;
    if (cards === 0 || (!namesModels && cards > RESTRICTED_MAX * total)) return;
    const demand = (total * (asked[i] as number)) / all;
    for (const machine of machines) pressure[machine]! += demand / cards;
  });
  return pressure;
}
