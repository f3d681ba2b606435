import { FILTER_CODE, type Pod } from '../model/index.ts';
import type { Book } from '../state/index.ts';

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

/** The filter that refuses one more replica on a machine, or 0. Racks count only where the fleet has several. */
export function serviceRefusal(book: Book, caps: ServiceCaps, pod: Pod, machine: number): number {
  const { service, serviceReplicas } = pod;
  if (book.replicasOnMachine(service, machine) + 1 > replicasAllowed(serviceReplicas, caps.machineMilli)) {
    return FILTER_CODE['service-machine'];
  }
  const rack = book.rackOf[machine] as number;
  if (book.rackCount > 1 && book.replicasOnRack(service, rack) + 1 > replicasAllowed(serviceReplicas, caps.rackMilli)) {
    return FILTER_CODE['service-rack'];
  }
  return 0;
}
