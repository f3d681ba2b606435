import { describe, expect, test } from 'vitest';
import { aMachine, aPod, aRequest, podsWith, isIn, PRODUCTS, type PodBuilder } from '@springtide/testkit/builders';
import { mulberry32 } from '../base/index.ts';
import type { TopologyRequest } from '../model/index.ts';
import { Book } from '../state/index.ts';
import { type Gang, type GangDecision, placeGang } from './gang.ts';
import { Placer } from './placer.ts';
import { POLICIES } from './policies/index.ts';

/** Two zones of two racks of two machines of eight cards on two islands. */
function placerOf(): Placer {
  const machines = Array.from({ length: 8 }, (_, i) =>
    aMachine(`m${i}`)
      .inRack(`r${Math.floor(i / 2)}`, i < 4 ? 'za' : 'zb')
      .labelled('host', `m${i}`)
      .cards(PRODUCTS.a100, 8, { islandSize: 4 })
      .build(),
  );
  const book = new Book(machines);
  return new Placer({ book, policy: POLICIES.tide({ book, chance: mulberry32(1) }) });
}

function gangOf(pods: readonly PodBuilder[], topology: TopologyRequest | null): Gang {
  const members = pods.map((pod, i) => ({ pod: { ...pod.build(), id: `p${i}` }, role: 'worker' as const }));
  return { id: 'gang', members, topology };
}

function near(level: TopologyRequest['level'], mode: TopologyRequest['mode'] = 'required'): TopologyRequest {
  return { level, mode, pattern: 'all-reduce' };
}

const worker = (cards: number): PodBuilder => aPod('').asking(aRequest().cpuMilli(1000).whole(cards));

function spots(decision: GangDecision): string[] | string {
  if (!decision.ok) return 'refused';
  return decision.holdings.map(({ machine, cards }) => `m${machine}:${cards.map((card) => card % 8).join('')}`);
}

describe('a gang', () => {
  test('goes to the tightest part of its level that holds all of it', () => {
    const placer = placerOf();
    placer.place(aPod('taken').asking(aRequest().whole(2).onMachine('m5')).build());
    expect(spots(placeGang(placer, gangOf([worker(2)], near('island'))))).toEqual(['m5:23']);
  });

  test('of two machines goes to one rack', () => {
    expect(spots(placeGang(placerOf(), gangOf([worker(8), worker(8)], near('rack'))))).toEqual([
      'm0:01234567',
      'm1:01234567',
    ]);
  });

  test('leaves a required level never, and a preferred one level by level', () => {
    const three = [worker(8), worker(8), worker(8)];
    expect(spots(placeGang(placerOf(), gangOf(three, near('rack'))))).toBe('refused');
    const decision = placeGang(placerOf(), gangOf(three, near('rack', 'preferred')));
    expect(decision.ok && [decision.domain.level, decision.domain.name]).toEqual(['zone', 'za']);
    const nine = Array.from({ length: 5 }, () => worker(8));
    const wide = placeGang(placerOf(), gangOf(nine, near('island', 'preferred')));
    expect(wide.ok && wide.domain.level).toBe('fleet');
  });

  test('says how many members found a place, who did not, and who refused', () => {
    const decision = placeGang(
      placerOf(),
      gangOf(
        Array.from({ length: 9 }, () => worker(8)),
        null,
      ),
    );
    expect(!decision.ok && decision.refusal).toMatchObject({
      membersPlaced: 8,
      members: 9,
      pod: 'p8',
      refusals: [{ filter: 'cards', machines: 8 }],
    });
  });

  test('keeps parameter servers on different machines while it can', () => {
    const server = aPod('').asking(aRequest().cpuMilli(1000));
    const gang = gangOf([server, server, worker(4), worker(4)], { ...near('rack'), pattern: 'parameter-server' });
    const members = gang.members.map((member, i) => ({
      pod: member.pod,
      role: i < 2 ? ('server' as const) : ('worker' as const),
    }));
    const decision = placeGang(placerOf(), { ...gang, members });
    const servers = decision.ok ? decision.holdings.filter(({ cards }) => cards.length === 0) : [];
    expect(new Set(servers.map(({ machine }) => machine)).size).toBe(2);
  });

  test('sets the members of a pipeline along zones, racks and machines in order, however full they are', () => {
    const placer = placerOf();
    for (const [machine, cards] of [
      ['m0', 5],
      ['m3', 4],
      ['m6', 1],
    ] as const) {
      placer.place(aPod(`on-${machine}`).asking(aRequest().whole(cards).onMachine(machine)).build());
    }
    const stages = Array.from({ length: 20 }, () => worker(2));
    const decision = placeGang(placer, gangOf(stages, { ...near('zone', 'preferred'), pattern: 'pipeline' }));
    const machines = decision.ok ? decision.holdings.map(({ machine }) => machine) : [];
    expect(machines).toHaveLength(20);
    expect(machines).toEqual(machines.toSorted((left, right) => left - right));
    expect(decision.ok && decision.holdings.map(({ pod }) => pod.id)).toEqual(stages.map((_, i) => `p${i}`));
  });

  test('honours anti-affinity between its own members', () => {
    const apart = aRequest()
      .whole(1)
      .awayFrom(podsWith('host', isIn('app', 'x')));
    const member = aPod('').labelled('app', 'x').asking(apart);
    const decision = placeGang(placerOf(), gangOf([member, member, member], null));
    expect(decision.ok && new Set(decision.holdings.map(({ machine }) => machine)).size).toBe(3);
  });

  test('stays off a machine that another tenant has to itself, whatever the level', () => {
    const placer = placerOf();
    for (let i = 0; i < 8; i += 1) {
      const alone = aRequest().whole(1).isolated('machine').onMachine(`m${i}`);
      placer.place(aPod(`alone-${i}`).ofTenant('a').asking(alone).build());
    }
    for (const topology of [null, near('island'), near('machine'), near('zone')]) {
      expect(spots(placeGang(placer, gangOf([worker(1).ofTenant('b')], topology)))).toBe('refused');
    }
  });

  test('of nobody is placed at once', () => {
    expect(spots(placeGang(placerOf(), gangOf([], near('rack'))))).toEqual([]);
  });

  test('that is undone is gone, with all that it held', () => {
    const placer = placerOf();
    const savepoint = placer.book.savepoint();
    expect(placeGang(placer, gangOf([worker(8)], near('rack'))).ok).toBe(true);
    placer.book.rollBack(savepoint);
    expect(placer.book.holdings.size).toBe(0);
    expect(placeGang(placer, gangOf([worker(8)], near('rack'))).ok).toBe(true);
  });
});
