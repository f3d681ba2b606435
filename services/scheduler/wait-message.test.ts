import { describe, expect, test } from 'vitest';
import { EMPTY_REQUEST, type Request } from '@springtide/core/model';
import type { GangReport, WaitReason } from '@springtide/core/scheduler';
import { waitMessage } from './wait-message.ts';

function gangMessage(reason: WaitReason, part: Partial<GangReport>): string {
  const gang: GangReport = {
    id: 'indexed-job:team/j',
    members: 4,
    membersWanted: 8,
    topology: null,
    unknownTopology: '',
    refusal: null,
    cardsAsked: 0,
    cardsThere: 0,
    cardsFree: 0,
    ...part,
  };
  return waitMessage({ uid: 'u', pod: 'team/j-0', reason, explanation: null, gang, claims: [] }, EMPTY_REQUEST);
}

describe('why a gang waits', () => {
  test('members are missing', () => {
    expect(gangMessage('gang-incomplete', {})).toBe('Its gang has 4 of 8 members; none starts before all can.');
    expect(gangMessage('gang-incomplete', { membersWanted: Infinity })).toBe(
      'Nothing says how many members its gang indexed-job:team/j has: make the object that describes it.',
    );
  });

  test('it is larger than the cluster', () => {
    const topology = { level: 'rack', mode: 'required', pattern: 'all-reduce' } as const;
    expect(gangMessage('gang-too-large', { cardsAsked: 1000, cardsThere: 8 })).toBe(
      'Its gang asks for 1000 cards at once, and machines that may take it have 8 even when they are empty: ask for fewer, or add machines.',
    );
    expect(gangMessage('gang-too-large', { cardsAsked: 64, cardsThere: 32, topology })).toContain(
      'asks for 64 cards at once within one rack,',
    );
  });

  test('there is no room now', () => {
    const refusals = [{ filter: 'cards', machines: 3 } as const];
    const refusal = { membersPlaced: 5, members: 8, nearest: '', pod: 'team/j-5', refusals };
    expect(gangMessage('gang-no-room', { refusal })).toBe(
      'No room for all members of its gang at once: 5 of 8 find a place, and then none is left for team/j-5: 3 machines: too few free cards. It starts when there is room for all.',
    );
  });

  test('there are not as many free cards', () => {
    expect(gangMessage('gang-no-room', { cardsAsked: 34, cardsThere: 64, cardsFree: 12 })).toBe(
      'Its gang asks for 34 cards at once, and its members would find only 12 free: it starts when there is room for all.',
    );
  });

  test('its topology is unknown', () => {
    expect(gangMessage('gang-topology', { unknownTopology: 'example.com/block' })).toContain(
      'start it with --rack-label example.com/block',
    );
  });
});

test('a pod that asks for cards of two kinds is told which', () => {
  const report = { uid: 'u', pod: 'team/a', reason: 'no-machine', explanation: null, gang: null, claims: [] } as const;
  const cards = { kind: 'whole', resource: 'nvidia.com/gpu', count: 1, models: null } as const;
  const request: Request = { ...EMPTY_REQUEST, cards, resources: new Map([['cambricon.com/vmlu', 1]]) };
  expect(waitMessage(report, request)).toBe(
    'It asks for cards of two kinds, nvidia.com/gpu and cambricon.com/vmlu, and a pod is given cards of one kind: ask for one of them.',
  );
});
