import { err, ok } from '@springtide/core/base';
import { clusterFailure } from '@springtide/ports/cluster';
import { VirtualClock } from '@springtide/testkit/clock';
import { describe, expect, test } from 'vitest';
import type { ApiRequest } from './api-client.ts';
import { Reviews } from './reviews.ts';

/** An API server that knows tokens `NAME` and lets names that begin with `a` get `/metrics`. */
function server() {
  const asked: ApiRequest[] = [];
  let isDown = false;
  let malformed: unknown;
  const request = async (wish: ApiRequest) => {
    asked.push(wish);
    if (isDown) return err(clusterFailure('unreachable', 'nobody answers'));
    if (malformed !== undefined) return ok(malformed);
    const { spec } = wish.body as { spec: any };
    if (wish.path.endsWith('/tokenreviews')) {
      const isKnown = spec.token !== 'unknown';
      const user = { username: spec.token, uid: '7', groups: ['g'], extra: { why: ['x'] } };
      return ok({ status: isKnown ? { authenticated: true, user } : { error: 'no' } });
    }
    const { user, nonResourceAttributes } = spec;
    return ok({ status: { allowed: user.startsWith('a') && nonResourceAttributes.path === '/metrics' } });
  };
  return {
    asked,
    client: { request },
    setDown: (value: boolean) => void (isDown = value),
    setMalformed: (value: unknown) => void (malformed = value),
  };
}

describe('the API server is asked who a token is and what he may', () => {
  test('a known one with the right, without it, for another path, and an unknown one', async () => {
    const { client, asked } = server();
    const reviews = new Reviews(client, new VirtualClock());
    expect(await reviews.mayGet('alice', '/metrics')).toEqual(ok('allowed'));
    expect(asked[1]?.body).toMatchObject({
      spec: { user: 'alice', uid: '7', groups: ['g'], extra: { why: ['x'] }, nonResourceAttributes: { verb: 'get' } },
    });
    expect(await reviews.mayGet('bob', '/metrics')).toEqual(ok('forbidden'));
    expect(await reviews.mayGet('alice', '/debug/state')).toEqual(ok('forbidden'));
    expect(await reviews.mayGet('unknown', '/metrics')).toEqual(ok('unauthenticated'));
  });

  test('an answer is believed for ten seconds, and what nobody could tell is asked again', async () => {
    const { client, asked, setDown } = server();
    const clock = new VirtualClock();
    const reviews = new Reviews(client, clock);
    await Promise.all([reviews.mayGet('alice', '/metrics'), reviews.mayGet('alice', '/metrics')]);
    expect(asked).toHaveLength(2);
    await clock.pass(9_999);
    await reviews.mayGet('alice', '/metrics');
    expect(asked).toHaveLength(2);
    await clock.pass(1);
    setDown(true);
    expect(await reviews.mayGet('alice', '/metrics')).toMatchObject({ ok: false });
    setDown(false);
    expect(await reviews.mayGet('alice', '/metrics')).toEqual(ok('allowed'));
  });

  test('so many are asked at once, and beyond that nobody', async () => {
    const { client, asked } = server();
    const reviews = new Reviews(client, new VirtualClock());
    const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => reviews.mayGet(`a${i}`, '/metrics')));
    expect(answers.filter((answer) => answer === null)).toHaveLength(12);
    expect(asked).toHaveLength(16);
    expect(await reviews.mayGet('a19', '/metrics')).toEqual(ok('allowed'));
  });

  test.each([[null], ['text'], [{ status: 'no object' }], [{ status: { authenticated: 'yes' } }], [{}]])(
    'an answer that is none says no: %j',
    async (body) => {
      const { client, setMalformed } = server();
      setMalformed(body);
      expect(await new Reviews(client, new VirtualClock()).mayGet('alice', '/metrics')).toEqual(ok('unauthenticated'));
    },
  );
});
