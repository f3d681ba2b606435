import { Election, type LeaseTimes } from '@springtide/adapters/kubernetes/lease';
import type { Cluster, ClusterOrders, EventRecord, RecordAnswer, Term } from '@springtide/ports/cluster';
import type { FakeLeases } from '@springtide/testkit/fake-api';
import { type Faults, noFaults } from './faults.ts';
import { Journeys } from './journeys.ts';
import { labOrders } from './lab-orders.ts';
import { LabView } from './lab-view.ts';
import type { LabWorld } from './lab-world.ts';

export interface LabClusterOptions {
  readonly world: LabWorld;
  /** Where the lease of all clients of the world is kept; it takes its own journeys. */
  readonly leases: FakeLeases;
  readonly holder: string;
  readonly eventsMax?: number;
  readonly leaseTimes?: LeaseTimes;
}

const EVENTS_MAX = 100_000;

/** The cluster port on a world in memory, in virtual time, with faults at will. */
export class LabCluster implements Cluster {
  readonly faults: Faults = noFaults();
  readonly holder: string;
  readonly view: LabView;
  readonly lease: Election;
  readonly #world: LabWorld;
  readonly #journeys: Journeys;
  #isStopped = false;

  constructor({ world, leases, holder, eventsMax = EVENTS_MAX, leaseTimes }: LabClusterOptions) {
    const { clock, random } = world;
    this.#world = world;
    this.holder = holder;
    this.view = new LabView(world, this.faults, eventsMax);
    this.#journeys = new Journeys(world, this.faults);
    const naming = { namespace: 'springtide', name: 'scheduler', holder };
    const times = leaseTimes === undefined ? {} : { times: leaseTimes };
    this.lease = new Election({ client: leases.clientOf(holder), clock, random, ...naming, ...times });
  }

  readonly start = (): void => this.view.start();

  readonly orders = (term: Term): ClusterOrders =>
    labOrders(term, {
      world: this.#world,
      journeys: this.#journeys,
      record: this.record,
      isStopped: () => this.#isStopped,
    });

  readonly record = (event: EventRecord): RecordAnswer => (this.#isStopped ? 'dropped' : this.#world.record(event));

  /** Cuts this client off from the world, or connects it again. */
  setCutOff(isCutOff: boolean): void {
    this.faults.isCutOff = isCutOff;
    this.view.heedCut();
  }

  readonly stop = async (): Promise<void> => {
    this.#isStopped = true;
    this.view.stop();
    await this.lease.release();
  };
}
