import { EMPTY_REQUEST } from '@springtide/core/model';
import { type Book, MIXED, NOBODY } from '@springtide/core/state';
import type { World } from './world.ts';
import { statesOf } from './world.ts';

/** What the book says, in the words of the twin, so that the two can be compared as they are. */
export function bookStates(book: Book, names: { tenants: readonly string[]; resources: readonly string[] }): unknown {
  const tenantNames = new Map(names.tenants.map((name) => [book.classOf(EMPTY_REQUEST, name).tenant, name]));
  const tenant = (number: number | undefined): string => {
    if (number === NOBODY) return 'nobody';
    return number === MIXED ? 'several' : (tenantNames.get(number ?? NaN) ?? `unknown tenant ${number}`);
  };
  return book.machines.map((machine, m) => ({
    id: machine.id,
    cpuFreeMilli: book.cpuFreeMilli[m],
    memoryFreeBytes: book.memoryFreeBytes[m],
    podsFree: book.podsFree[m],
    cardsFree: book.cardsFree[m],
    resourcesFree: names.resources.map((name) => columnOf(book, name)[m]),
    tenant: tenant(book.machineTenant[m]),
    isolated: book.machineIsolated[m],
    pods: Array.from(book.podsOn(m), ({ pod }) => pod.id).toSorted(),
    cards: machine.cards.map(({ id }) => {
      const c = book.cardOf(id);
      return {
        id,
        memoryFreeMiB: book.cardMemoryFreeMiB[c],
        computeFreeMilli: book.cardComputeFreeMilli[c],
        sharedFreeMilli: book.cardSharedFreeMilli[c],
        cpusFree: book.cardCpusFree[c],
        takesMore: (book.cardSharesFree[c] as number) > 0,
        holders: book.cardHolders[c],
        bits: book.cardBits[c],
        tenant: tenant(book.cardTenant[c]),
        isolated: book.cardIsolated[c],
      };
    }),
  }));
}

function columnOf(book: Book, resource: string): Float64Array {
  const requestClass = book.classOf({ ...EMPTY_REQUEST, resources: new Map([[resource, 1]]) });
  return book.columnFree(requestClass.resourceColumns[0] as number);
}

/** The same of a world, from scratch. */
export function twinStates(world: World, names: { resources: readonly string[] }): unknown {
  const tenant = (tenants: readonly string[]): string => {
    if (tenants.length === 0) return 'nobody';
    return tenants.length > 1 ? 'several' : (tenants[0] as string);
  };
  return statesOf(world).map((state) => ({
    id: state.machine.id,
    cpuFreeMilli: state.cpuFreeMilli,
    memoryFreeBytes: state.memoryFreeBytes,
    podsFree: state.podsFree,
    cardsFree: state.cardsFree,
    resourcesFree: names.resources.map((name) => state.resourcesFree.get(name) ?? 0),
    tenant: tenant(state.tenants),
    isolated: state.isolated,
    pods: state.pods.toSorted(),
    cards: state.cards.map((card) => ({
      id: card.card.id,
      memoryFreeMiB: card.memoryFreeMiB,
      computeFreeMilli: card.computeFreeMilli,
      sharedFreeMilli: card.sharedFreeMilli,
      cpusFree: card.cpusFree,
      takesMore: card.takesMore,
      holders: card.holders,
      bits: card.slicesTaken.reduce((bits, slice) => bits + 2 ** slice, 0),
      tenant: tenant(card.tenants),
      isolated: card.isolated,
    })),
  }));
}
