import { mulberry32 } from '@springtide/core/base';
import type { Term } from '@springtide/ports/cluster';
import { VirtualClock } from '@springtide/testkit/clock';
import { FakeLeases } from '@springtide/testkit/fake-api';
import { describe, expect, test } from 'vitest';
import { Election, LEASE_TIMES } from './election.ts';

function candidate(leases: FakeLeases, clock: VirtualClock, holder: string): Election {
  const client = leases.clientOf(holder);
  return new Election({ client, clock, random: mulberry32(1), namespace: 'springtide', name: 'scheduler', holder });
}

function termOf(election: Election): Term | null {
  const state = election.state();
  return state.state === 'leading' ? state.term : null;
}

describe('a lease', () => {
  test('goes to the first who asks, and stays with it', async () => {
    const clock = new VirtualClock();
    const leases = new FakeLeases(clock);
    const [a, b] = [candidate(leases, clock, 'a'), candidate(leases, clock, 'b')];
    a.start();
    await clock.pass(100);
    b.start();
    await clock.pass(60_000);
    expect(termOf(a)).toMatchObject({ holder: 'a', transitions: 0, cameBy: 'free' });
    expect(b.state()).toEqual({ state: 'following', holder: 'a' });
    expect(leases.spec).toMatchObject({ holderIdentity: 'a', leaseDurationSeconds: 10, leaseTransitions: 0 });
    // A read at the beginning, then renewals alone.
    expect(leases.requests.filter((method) => method === 'PUT').length).toBeGreaterThan(35);
  });

  test('that somebody deletes stays with its holder, and makes no second one', async () => {
    const clock = new VirtualClock();
    const leases = new FakeLeases(clock);
    const [a, b] = [candidate(leases, clock, 'a'), candidate(leases, clock, 'b')];
    a.start();
    await clock.pass(100);
    b.start();
    await clock.pass(5000);
    leases.lease = null;
    let most = 0;
    for (let step = 0; step < 400; step += 1) {
      await clock.pass(50);
      most = Math.max(most, [a, b].filter((election) => termOf(election)?.isValid() === true).length);
    }
    expect(most).toBe(1);
    expect(termOf(a)).toMatchObject({ cameBy: 'own', transitions: 1 });
    expect(termOf(b)).toBeNull();
  });

  test('goes on within the duration and a retry when its holder dies', async () => {
    const clock = new VirtualClock();
    let isDead = false;
    const leases = new FakeLeases(clock, (client) => ({
      thereMs: 5,
      backMs: 5,
      loses: isDead && client === 'a' ? 'request' : 'nothing',
    }));
    const [a, b] = [candidate(leases, clock, 'a'), candidate(leases, clock, 'b')];
    a.start();
    await clock.pass(50);
    b.start();
    await clock.pass(20_000);
    isDead = true;
    const diedAtMs = clock.nowMs();
    let tookOverAtMs = 0;
    b.onChange((state) => {
      if (state.state === 'leading') tookOverAtMs = clock.nowMs();
    });
    const term = termOf(a);
    await clock.pass(LEASE_TIMES.deadlineMs + 1);
    expect(term?.isValid()).toBe(false);
    await clock.pass(20_000);
    expect(termOf(b)).toMatchObject({ transitions: 1, cameBy: 'expired' });
    expect(tookOverAtMs - diedAtMs).toBeLessThan(LEASE_TIMES.durationMs + 2 * LEASE_TIMES.retryMs);
  });

  test('goes on at once when it is given up', async () => {
    const clock = new VirtualClock();
    const leases = new FakeLeases(clock);
    const [a, b] = [candidate(leases, clock, 'a'), candidate(leases, clock, 'b')];
    a.start();
    await clock.pass(50);
    b.start();
    await clock.pass(5000);
    const released = a.release();
    await clock.pass(LEASE_TIMES.retryMs + 50);
    await released;
    expect(a.state()).toEqual({ state: 'stopped' });
    expect(termOf(b)).toMatchObject({ transitions: 1, cameBy: 'released' });
  });

  test('survives answers that are lost, and says what went wrong', async () => {
    const clock = new VirtualClock();
    let loses: 'answer' | 'nothing' = 'nothing';
    const leases = new FakeLeases(clock, () => ({ thereMs: 1, backMs: 1, loses }));
    const a = candidate(leases, clock, 'a');
    a.start();
    await clock.pass(5000);
    const term = termOf(a);
    loses = 'answer';
    await clock.pass(3000);
    expect(a.failure()).toMatchObject({ code: 'interrupted' });
    loses = 'nothing';
    await clock.pass(10_000);
    expect(termOf(a)).toBe(term);
    expect(a.failure()).toBeNull();
  });

  test('does not heed wall clocks: neither its own nor the times in the object', async () => {
    const clock = new VirtualClock();
    const leases = new FakeLeases(clock);
    const [a, b] = [candidate(leases, clock, 'a'), candidate(leases, clock, 'b')];
    a.start();
    await clock.pass(50);
    b.start();
    await clock.pass(5000);
    clock.jumpWall(3_600_000);
    await clock.pass(30_000);
    clock.jumpWall(-7_200_000);
    await clock.pass(30_000);
    expect([termOf(a)?.transitions, termOf(b)]).toEqual([0, null]);
  });

  test('an office that has ended never becomes valid again', async () => {
    const clock = new VirtualClock();
    let loses: 'request' | 'nothing' = 'nothing';
    const leases = new FakeLeases(clock, () => ({ thereMs: 1, backMs: 1, loses }));
    const a = candidate(leases, clock, 'a');
    a.start();
    await clock.pass(1000);
    const first = termOf(a);
    loses = 'request';
    await clock.pass(9000);
    expect(a.state().state).toBe('following');
    loses = 'nothing';
    await clock.pass(5000);
    expect(termOf(a)).toMatchObject({ cameBy: 'own', transitions: 1 });
    expect([first?.isValid(), termOf(a)?.isValid()]).toEqual([false, true]);
  });
});

/** One random history of three candidates on a bad network, looked at every 50 ms. */
async function history(seed: number): Promise<{ leaders: number; most: number; tokens: number[] }> {
  const random = mulberry32(seed);
  const clock = new VirtualClock();
  const cutOff = new Set<string>();
  const lossPerMille = random.below(300);
  const slowMs = 1 + random.below(2500);
  const leases = new FakeLeases(clock, (client) => {
    const draw = random.below(1000);
    const loses =
      cutOff.has(client) || draw < lossPerMille / 2 ? 'request' : draw < lossPerMille ? 'answer' : 'nothing';
    return { thereMs: random.below(slowMs), backMs: random.below(slowMs), loses };
  });
  const names = ['a', 'b', 'c'];
  const elections = names.map((name) => candidate(leases, clock, name));
  const tokens: number[] = [];
  for (const election of elections) {
    election.onChange((state) => {
      if (state.state === 'leading') tokens.push(state.term.transitions);
    });
    election.start();
  }
  let [most, leaders] = [0, 0];
  for (let step = 0; step < 1200; step += 1) {
    await clock.pass(50);
    if (random.below(40) === 0) {
      const name = names[random.below(3)] ?? '';
      if (!cutOff.delete(name)) cutOff.add(name);
    }
    const valid = elections.filter((election) => termOf(election)?.isValid() === true).length;
    most = Math.max(most, valid);
    leaders += valid;
  }
  return { leaders, most, tokens };
}

test('never do two hold office, whatever the network does, and later terms have larger tokens', async () => {
  let led = 0;
  for (let seed = 1; seed <= 60; seed += 1) {
    const { leaders, most, tokens } = await history(seed);
    expect(most, `seed ${seed}`).toBeLessThanOrEqual(1);
    expect(new Set(tokens).size, `seed ${seed}`).toBe(tokens.length);
    expect(tokens, `seed ${seed}`).toEqual(tokens.toSorted((left, right) => left - right));
    led += leaders;
  }
  expect(led).toBeGreaterThan(60 * 200);
});
