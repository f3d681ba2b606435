import * as fc from 'fast-check';
import type { CardHealth, Machine, Taint } from '@springtide/core/model';
import { aMachine, type MachineBuilder, PRODUCTS, type Product } from '../builders/index.ts';

export interface FleetOptions {
  readonly machinesMax?: number;
  /** Groups of up to four equal cards a machine. */
  readonly groupsMax?: number;
  readonly products?: readonly Product[];
  /** No taints, no cordons, no faults, CPU and memory for everything: for what is about cards alone. */
  readonly plain?: boolean;
}

const HEALTH: readonly CardHealth[] = [...Array<'ok'>(9).fill('ok'), 'degraded', 'fault', 'unknown'];

const TAINTS: readonly (Taint | null)[] = [
  ...Array<null>(9).fill(null),
  { key: 'gpu', value: 'a100', effect: 'NoSchedule' },
  { key: 'gpu', value: '', effect: 'PreferNoSchedule' },
  { key: 'draining', value: 'yes', effect: 'NoExecute' },
];

/** What machines of one make have in common. */
interface Make {
  readonly groups: readonly { product: Product; count: number }[];
  readonly islandSize: number;
  readonly sharesMax: number | null;
  readonly health: readonly CardHealth[];
  readonly cpuMilli: number;
  readonly memoryGiB: number;
  readonly podsMax: number;
  readonly adapters: number;
}

/** Small numbers on purpose: machines fill up within a few placements, and shrunk cases can be read. */
function makes(products: readonly Product[], groupsMax: number): fc.Arbitrary<Make> {
  const groups = fc.record({ product: fc.constantFrom(...products), count: fc.integer({ min: 1, max: 4 }) });
  return fc.record({
    groups: fc.array(groups, { maxLength: groupsMax }),
    islandSize: fc.constantFrom(1, 2, 4),
    sharesMax: fc.constantFrom(null, null, null, 1, 2, 3),
    health: fc.array(fc.constantFrom(...HEALTH), { minLength: 8, maxLength: 8 }),
    cpuMilli: fc.constantFrom(1000, 4000, 8000, 16_000, 64_000),
    memoryGiB: fc.constantFrom(2, 8, 64, 64),
    podsMax: fc.constantFrom(2, 4, 110, 110),
    adapters: fc.constantFrom(0, 0, 1, 2),
  });
}

/** What is said of a single machine. */
interface Site {
  readonly make: number;
  readonly place: readonly [zone: string, rack: string];
  readonly labels: readonly (readonly [key: string, value: string])[];
  readonly isNamed: boolean;
  readonly taint: Taint | null;
  readonly isCordoned: boolean;
  /** Empty: in the common pool. */
  readonly pool: string;
}

const LABELS = fc.constantFrom<readonly [string, string]>(
  ['disk', 'ssd'],
  ['disk', 'hdd'],
  ['generation', '3'],
  ['generation', '12'],
  ['generation', 'new'],
);

const SITES: fc.Arbitrary<Site> = fc.record({
  make: fc.nat(11),
  place: fc.constantFrom(['', ''], ['za', 'r1'], ['za', 'r2'], ['zb', 'r1']) as fc.Arbitrary<Site['place']>,
  labels: fc.array(LABELS, { maxLength: 2 }),
  isNamed: fc.boolean(),
  taint: fc.constantFrom(...TAINTS),
  isCordoned: fc.integer({ min: 0, max: 15 }).map((die) => die === 15),
  pool: fc.constantFrom(...Array<string>(14).fill(''), 'red', 'blue'),
});

function made(id: string, make: Make, isPlain: boolean): MachineBuilder {
  let machine = aMachine(id);
  for (const { product, count } of make.groups) {
    const shares = make.sharesMax === null ? {} : { sharesMax: make.sharesMax };
    machine = machine.cards(product, count, { islandSize: make.islandSize, ...shares });
  }
  if (isPlain) return machine;
  make.health.forEach((health, card) => (machine = machine.health(card, health)));
  machine = machine.cpuMilli(make.cpuMilli).memoryGiB(make.memoryGiB).podsMax(make.podsMax);
  return make.adapters > 0 ? machine.offering('rdma/hca', make.adapters) : machine;
}

function sited(machine: MachineBuilder, site: Site, isPlain: boolean): MachineBuilder {
  const [zone, rack] = site.place;
  let placed = machine.inRack(rack, zone);
  if (zone !== '') placed = placed.labelled('zone', zone);
  for (const [key, value] of site.labels) placed = placed.labelled(key, value);
  if (site.isNamed) placed = placed.labelled('kubernetes.io/hostname', machine.build().id);
  if (isPlain) return placed;
  if (site.pool !== '') placed = placed.inPool(site.pool);
  if (site.taint !== null) placed = placed.tainted(site.taint.key, site.taint.value, site.taint.effect);
  return site.isCordoned ? placed.cordoned() : placed;
}

/** Fleets of a few machines of up to three makes, each with up to two kinds of card, ranked by their names. */
export function fleets(options: FleetOptions = {}): fc.Arbitrary<readonly Machine[]> {
  const { machinesMax = 5, groupsMax = 2, products = Object.values(PRODUCTS), plain = false } = options;
  const someMakes = fc.array(makes(products, groupsMax), { minLength: 1, maxLength: 3 });
  const sites = fc.array(SITES, { minLength: 1, maxLength: machinesMax });
  return fc.tuple(someMakes, sites).map(([all, named]) =>
    named.map((site, index) => {
      const machine = made(`m${index}`, all[site.make % all.length] as Make, plain);
      return sited(machine, site, plain).build();
    }),
  );
}
