import { ok } from '@springtide/core/base';
import { type ClusterFailure, clusterFailure } from '@springtide/ports/cluster';
import { describe, expect, test } from 'vitest';
import type { ApiRequest } from '../client/api-client.ts';
import { announce, EXPIRY_ANNOTATION } from './configuration.ts';

const API = '/apis/admissionregistration.k8s.io/v1';
const PATHS = {
  mutating: `${API}/mutatingwebhookconfigurations/hook`,
  validating: `${API}/validatingwebhookconfigurations/hook`,
};
const ANNOUNCED = { configuration: 'hook', authorities: 'PEM', expiresAtMs: Date.UTC(2027, 0, 1) };

/** An API server that has configurations at some paths, answers what it is told at others, and notes what is written. */
function serverWith(there: readonly string[], failure: ClusterFailure = clusterFailure('not-found', 'not found')) {
  const written: ApiRequest[] = [];
  const webhooks = [{ name: 'a.example.org', clientConfig: {} }];
  const request = async (asked: ApiRequest) => {
    if (!there.includes(asked.path)) return { ok: false, error: failure } as const;
    if (asked.method !== 'GET') written.push(asked);
    return ok({ metadata: { name: 'hook' }, webhooks });
  };
  return { client: { request }, written };
}

describe('the authority is announced', () => {
  test.each([
    ['in both configurations', [PATHS.mutating, PATHS.validating]],
    ['in the one that there is, where the other part is not installed', [PATHS.validating]],
    ['in the other one alone', [PATHS.mutating]],
  ])('%s', async (_, there) => {
    const { client, written } = serverWith(there);
    expect(await announce(client, ANNOUNCED)).toEqual(ok(null));
    expect(written.map(({ path }) => path)).toEqual(there);
    for (const { body } of written) {
      expect(body).toMatchObject({
        metadata: { annotations: { [EXPIRY_ANNOTATION]: '2027-01-01T00:00:00.000Z' } },
        webhooks: [{ name: 'a.example.org', clientConfig: { caBundle: Buffer.from('PEM').toString('base64') } }],
      });
    }
  });

  test('nowhere where there is none, or one cannot be read: nothing is served before it is believed', async () => {
    expect(await announce(serverWith([]).client, ANNOUNCED)).toMatchObject({ error: { code: 'not-found' } });
    const { client } = serverWith([PATHS.mutating], clusterFailure('forbidden', 'no'));
    expect(await announce(client, ANNOUNCED)).toMatchObject({ error: { code: 'forbidden' } });
  });
});
