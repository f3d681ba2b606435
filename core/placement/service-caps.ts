import { FILTER_CODE, type Pod } from '../model/index.ts';
import type { Book, RequestClass } from '../state/index.ts';

/** P1: the share of a service's replicas that one machine, or one rack, may hold, in thousandths. */
export interface ServiceCaps {
  readonly machineMilli: number;
  readonly rackMilli: number;
}

/** No machine holds more than half of a service, no rack more than three quarters. */
export const DEFAULT_SERVICE_CAPS: ServiceCaps = { machineMilli: 500, rackMilli: 750 };

/** The most replicas allowed in one place: the share rounded up, and never less than one. */
export function replicasAllowed(replicas: number, shareMilli: number): number {
  return Math.max(1, Math.ceil((replicas * shareMilli) / 1000));
}

/**
 * The filter that refuses one more replica on a machine, or 0. A cap counts only where there is elsewhere to go: a
 * second machine, or rack, that no label, taint or kind of card keeps the pod from. O(machines) at worst to make, O(1) to ask.
 */
export function serviceCheck(
  book: Book,
  caps: ServiceCaps,
  pod: Pod,
  { staticRefusal }: RequestClass,
): (machine: number) => number {
  const { service, serviceReplicas } = pod;
  const hasMachines = hasSeveral(staticRefusal, (machine) => machine);
  const hasRacks = book.rackCount > 1 && hasSeveral(staticRefusal, (machine) => book.rackOf[machine] as number);
  const onMachine = hasMachines ? replicasAllowed(serviceReplicas, caps.machineMilli) : Infinity;
  const onRack = hasRacks ? replicasAllowed(serviceReplicas, caps.rackMilli) : Infinity;
  return (machine) => {
    if (book.replicasOnMachine(service, machine) + 1 > onMachine) return FILTER_CODE['service-machine'];
    const rack = book.rackOf[machine] as number;
    return book.replicasOnRack(service, rack) + 1 > onRack ? FILTER_CODE['service-rack'] : 0;
  };
}

/** Whether the open machines are in more than one place. It looks no further than the second place. */
function hasSeveral(staticRefusal: Uint8Array, placeOf: (machine: number) => number): boolean {
  let first = -1;
  for (let machine = 0; machine < staticRefusal.length; machine += 1) {
    if (staticRefusal[machine] !== 0) continue;
    if (first === -1) first = placeOf(machine);
    else if (placeOf(machine) !== first) return true;
  }
  return false;
}
