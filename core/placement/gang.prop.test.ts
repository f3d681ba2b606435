import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Scene, scenes, type Step, steps } from '@springtide/testkit/generators';
import { forAll } from '@springtide/testkit/property';
import { bookStates, copiesTwin, Stage, violations, type World } from '@springtide/testkit/twin';
import { mulberry32 } from '../base/index.ts';
import { NO_CONSTRAINTS, type Pod, TOPOLOGY_LEVELS, type TopologyRequest } from '../model/index.ts';
import type { Holding } from '../state/index.ts';
import { type Gang, type GangDecision, placeGang } from './gang.ts';
import { Placer } from './placer.ts';
import { POLICIES } from './policies/index.ts';

const names = { tenants: ['', 'a', 'b'], resources: ['rdma/hca'] };

const topologies: fc.Arbitrary<TopologyRequest | null> = fc.oneof(
  fc.constant(null),
  fc.record({
    level: fc.constantFrom(...TOPOLOGY_LEVELS),
    mode: fc.constantFrom('required', 'preferred'),
    pattern: fc.constantFrom('all-reduce', 'parameter-server', 'pipeline'),
  }),
);

interface Case {
  readonly scene: Scene;
  readonly todo: readonly Step[];
  readonly topology: TopologyRequest | null;
  readonly size: number;
  readonly isMixed: boolean;
}

const cases: fc.Arbitrary<Case> = fc.record({
  scene: scenes({ machinesMax: 4, groupsMax: 1, podsMax: 6, constraints: fc.constant(NO_CONSTRAINTS) }),
  todo: steps(['place', 'place', 'release'], 8),
  topology: topologies,
  size: fc.integer({ min: 1, max: 4 }),
  isMixed: fc.boolean(),
});

/** Members of a gang: copies of one pod, or of the last pods of the scene in turn. */
function gangOf({ scene: { pods }, size, topology, isMixed }: Case): Gang {
  const members = Array.from({ length: size }, (_, i) => {
    const pod = pods[isMixed ? i % pods.length : 0] as Pod;
    const role = topology?.pattern === 'parameter-server' && i === 0 ? 'server' : 'worker';
    return { pod: { ...pod, id: `member-${i}`, service: '', serviceReplicas: 0 }, role } as const;
  });
  return { id: 'gang', topology, members };
}

interface Run {
  readonly stage: Stage;
  readonly gang: Gang;
  readonly was: unknown;
  readonly decision: GangDecision;
}

function run(each: Case): Run {
  const stage = new Stage(each.scene.machines, each.scene.pods);
  const { book } = stage;
  const placer = new Placer({ book, policy: POLICIES.tide({ book, chance: mulberry32(1) }) });
  for (const step of each.todo) stage.take(step, [placer]);
  const gang = gangOf(each);
  const was = bookStates(book, names);
  return { stage, gang, was, decision: placeGang(placer, gang) };
}

interface Part {
  readonly machines: readonly number[];
  readonly island: number | null;
}

/** The parts of the fleet at a level. */
function partsAt({ machines }: World, level: TopologyRequest['level']): Part[] {
  const keyOf = (machine: number, island: number): string => {
    const { id, location } = machines[machine] as World['machines'][number];
    const { region, zone, rack } = location;
    const wide = level === 'zone' ? [region, zone] : [region, zone, rack];
    return JSON.stringify(level === 'island' ? [id, island] : level === 'machine' ? [id] : wide);
  };
  const parts = new Map<string, Part>();
  machines.forEach(({ cards }, machine) => {
    const islands = level === 'island' ? [...new Set(cards.map(({ island }) => island))] : [null];
    for (const island of islands) {
      const known = parts.get(keyOf(machine, island ?? 0));
      parts.set(keyOf(machine, island ?? 0), { machines: [...(known?.machines ?? []), machine], island });
    }
  });
  return [...parts.values()];
}

function isInside(world: World, part: Part, holdings: readonly Holding[]): boolean {
  const islands = world.machines.flatMap(({ cards }) => cards.map(({ island }) => island));
  return holdings.every(
    ({ machine, cards }) =>
      part.machines.includes(machine) && (part.island === null || cards.every((card) => islands[card] === part.island)),
  );
}

describe('P5: a gang', () => {
  test('is placed whole, beside what is there and where its topology says, or not at all', () => {
    forAll(cases, (each) => {
      const { stage, gang, was, decision } = run(each);
      const { topology } = each;
      if (!decision.ok) {
        expect(bookStates(stage.book, names)).toEqual(was);
        return;
      }
      const { holdings } = decision;
      expect(holdings.map(({ pod }) => pod.id).toSorted()).toEqual(gang.members.map(({ pod }) => pod.id));
      expect(holdings.every((holding) => stage.book.holdings.get(holding.pod.id) === holding)).toBe(true);
      expect(violations({ ...stage.world, holdings: [...stage.world.holdings, ...holdings] })).toEqual([]);
      if (topology?.mode !== 'required') return;
      expect(partsAt(stage.world, topology.level).some((part) => isInside(stage.world, part, holdings))).toBe(true);
    });
  });

  test('of equal members starts exactly where some part of the fleet has room for all of them', () => {
    forAll(cases, (drawn) => {
      const each = { ...drawn, isMixed: false, size: Math.min(3, drawn.size) };
      const { stage, gang, decision } = run(each);
      const [{ pod }] = gang.members as [Gang['members'][number]];
      const { topology, size } = each;
      if (topology?.level === 'island' && pod.request.cards.kind === 'none') return;
      const roomIn = ({ machines, island }: Part): number =>
        machines.reduce((sum, machine) => sum + copiesTwin(stage.world, pod, { machine, island, copiesMax: size }), 0);
      const everywhere = { machines: [...each.scene.machines.keys()], island: null };
      const parts = topology?.mode === 'required' ? partsAt(stage.world, topology.level) : [everywhere];
      const hasRoom = parts.some((part) => roomIn(part) >= size);
      if (isPodByPod(pod, topology)) expect(decision.ok && !hasRoom).toBe(false);
      else expect(decision.ok).toBe(hasRoom);
    });
  });
});

/** Without a topology each member goes where the policy likes; several slices may then leave the last one none. */
function isPodByPod({ request: { cards } }: Pod, topology: TopologyRequest | null): boolean {
  return topology === null && cards.kind !== 'none' && cards.kind !== 'whole' && cards.count > 1;
}
