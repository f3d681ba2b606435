import * as fc from 'fast-check';
import type { CardHealth, Machine, Taint } from '@springtide/core/model';
import { aMachine, PRODUCTS, type Product } from '../builders/index.ts';

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

interface Shape {
  readonly groups: readonly { product: Product; count: number }[];
  readonly islandSize: number;
  readonly sharesMax: number | null;
  readonly health: readonly CardHealth[];
  readonly cpuMilli: number;
  readonly memoryGiB: number;
  readonly podsMax: number;
  readonly adapters: number;
  readonly place: readonly [zone: string, rack: string];
  readonly disk: string;
  readonly generation: string;
  readonly taint: Taint | null;
  readonly isCordoned: boolean;
}

/** Small numbers on purpose: machines fill up within a few placements, and shrunk cases can be read. */
function shapes(products: readonly Product[], groupsMax: number): fc.Arbitrary<Shape> {
  return fc.record({
    groups: fc.array(fc.record({ product: fc.constantFrom(...products), count: fc.integer({ min: 1, max: 4 }) }), {
      maxLength: groupsMax,
    }),
    islandSize: fc.constantFrom(1, 2, 4),
    sharesMax: fc.constantFrom(null, null, null, 1, 2, 3),
    health: fc.array(fc.constantFrom(...HEALTH), { minLength: 8, maxLength: 8 }),
    cpuMilli: fc.constantFrom(1000, 4000, 8000, 16_000, 64_000),
    memoryGiB: fc.constantFrom(2, 8, 64, 64),
    podsMax: fc.constantFrom(2, 4, 110, 110),
    adapters: fc.constantFrom(0, 0, 1, 2),
    place: fc.constantFrom(['', ''], ['za', 'r1'], ['za', 'r2'], ['zb', 'r1']) as fc.Arbitrary<Shape['place']>,
    disk: fc.constantFrom('', 'ssd', 'hdd'),
    generation: fc.constantFrom('', '3', '12', 'new'),
    taint: fc.constantFrom(...TAINTS),
    isCordoned: fc.integer({ min: 0, max: 15 }).map((die) => die === 15),
  });
}

function machineOf(id: string, shape: Shape, isPlain: boolean): Machine {
  let machine = aMachine(id).inRack(shape.place[1], shape.place[0]).labelled('host', id);
  for (const { product, count } of shape.groups) {
    const shares = shape.sharesMax === null ? {} : { sharesMax: shape.sharesMax };
    machine = machine.cards(product, count, { islandSize: shape.islandSize, ...shares });
  }
  if (shape.place[0] !== '') machine = machine.labelled('zone', shape.place[0]);
  if (shape.disk !== '') machine = machine.labelled('disk', shape.disk);
  if (shape.generation !== '') machine = machine.labelled('generation', shape.generation);
  if (isPlain) return machine.build();
  shape.health.forEach((health, card) => (machine = machine.health(card, health)));
  machine = machine.cpuMilli(shape.cpuMilli).memoryGiB(shape.memoryGiB).podsMax(shape.podsMax);
  if (shape.adapters > 0) machine = machine.offering('rdma/hca', shape.adapters);
  if (shape.taint !== null) machine = machine.tainted(shape.taint.key, shape.taint.value, shape.taint.effect);
  return (shape.isCordoned ? machine.cordoned() : machine).build();
}

/** Fleets of a few machines, each of up to two kinds of card, in rank order of their names. */
export function fleets(options: FleetOptions = {}): fc.Arbitrary<readonly Machine[]> {
  const { machinesMax = 5, groupsMax = 2, products = Object.values(PRODUCTS), plain = false } = options;
  return fc
    .array(shapes(products, groupsMax), { minLength: 1, maxLength: machinesMax })
    .map((all) => all.map((shape, index) => machineOf(`m${index}`, shape, plain)));
}
