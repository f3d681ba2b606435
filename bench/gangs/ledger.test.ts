import { expect, test } from 'vitest';
import { GangLedger, type PodSight } from './ledger.ts';

const plan = [{ name: 'g', members: 2, cardsPerMember: 4, runsForSeconds: 1 }];

function pod(name: string, isBound: boolean, hasRun = false): PodSight {
  return { gang: 'g', name, isBound, hasRun };
}

test('time in part, cards held meanwhile, and when all have run', () => {
  const ledger = new GangLedger(plan);
  ledger.see(pod('a', false), 0);
  ledger.see(pod('a', true), 1000);
  ledger.look();
  ledger.see(pod('a', true, true), 1500);
  ledger.see(pod('b', true), 3000);
  ledger.look();
  expect(ledger.isOver).toBe(false);
  ledger.see(pod('b', true, true), 3500);
  expect(ledger.isOver).toBe(true);
  expect(ledger.figures(500, 9000)).toEqual({
    allRunningMs: 3000,
    gangsStarted: 1,
    cardSecondsIncomplete: 8,
    longestPartMs: 2000,
    gangsPartASecond: 1,
    mostPartAtALook: 1,
    looks: 2,
    podsLost: 0,
  });
});

test('a gang that gives back is in part no longer; one that is in part at the end counts up to then', () => {
  const ledger = new GangLedger(plan);
  ledger.see(pod('a', true), 0);
  ledger.lose(pod('a', true), 1000);
  ledger.see(pod('b', true), 5000);
  expect(ledger.figures(0, 8000)).toMatchObject({
    allRunningMs: null,
    cardSecondsIncomplete: 16,
    longestPartMs: 3000,
    podsLost: 1,
  });
});
