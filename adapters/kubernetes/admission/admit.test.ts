import { VirtualClock } from '@springtide/testkit/clock';
import { describe, expect, test } from 'vitest';
import { ADMIT_MS_MAX, type Admit, admitted, pointer, UNCHANGED } from './index.ts';

const clock = new VirtualClock();

function review(request: object = {}): Buffer {
  const asked = {
    uid: 'u-1',
    operation: 'CREATE',
    kind: { group: '', version: 'v1', kind: 'Pod' },
    resource: { group: '', version: 'v1', resource: 'pods' },
    namespace: 'team-a',
    userInfo: { username: 'jane' },
    object: { metadata: { name: 'p' }, spec: {} },
    oldObject: null,
    ...request,
  };
  return Buffer.from(JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request: asked }));
}

async function responseTo(admit: Admit, posted = review()): Promise<any> {
  const { status, body } = await admitted(posted, admit, clock, ADMIT_MS_MAX);
  expect(status).toBe(200);
  return JSON.parse(body).response;
}

describe('an AdmissionReview', () => {
  test('is read in full, and answered under its uid', async () => {
    let seen: unknown;
    const response = await responseTo((request) => {
      seen = request;
      return UNCHANGED;
    });
    expect(seen).toMatchObject({
      operation: 'CREATE',
      kind: 'Pod',
      resource: 'pods',
      namespace: 'team-a',
      user: 'jane',
    });
    expect(seen).toMatchObject({ isDryRun: false, oldObject: null, object: { path: null, values: { spec: {} } } });
    expect(response).toEqual({ uid: 'u-1', allowed: true });
  });

  test('a change is a JSON patch, and warnings are cut to what kubectl shows', async () => {
    const step = { op: 'add', path: pointer('limits', 'nvidia.com/gpu', 0), value: '1' } as const;
    const response = await responseTo(() => ({ answer: 'allowed', patch: [step], warnings: ['w'.repeat(300)] }));
    expect(response.patchType).toBe('JSONPatch');
    expect(JSON.parse(Buffer.from(response.patch, 'base64').toString())).toEqual([
      { op: 'add', path: '/limits/nvidia.com~1gpu/0', value: '1' },
    ]);
    expect(response.warnings).toEqual(['w'.repeat(256)]);
  });

  test('a denial says why', async () => {
    const response = await responseTo(() => ({ answer: 'denied', message: 'no' }));
    expect(response).toMatchObject({ allowed: false, status: { code: 403, message: 'no' } });
  });

  test.each([
    ['no JSON', 'expected JSON'],
    ['3', 'expected an object, found 3'],
    ['{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1beta1"}', 'apiVersion: expected an AdmissionReview'],
    ['{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{}}', 'request.operation: expected'],
  ])('what is none is refused: %s', async (text, why) => {
    const { status, outcome, body } = await admitted(Buffer.from(text), () => UNCHANGED, clock, ADMIT_MS_MAX);
    expect([status, outcome]).toEqual([400, 'malformed']);
    expect(body).toContain(why);
  });

  test('a bug, and an answer that takes too long, are no answer to the API server', async () => {
    const bug = await admitted(review(), () => Promise.reject(new Error('bug')), clock, ADMIT_MS_MAX);
    expect(bug).toEqual({ status: 500, outcome: 'failed', body: 'Error: bug' });
    const slow = admitted(review(), () => new Promise(() => {}), clock, ADMIT_MS_MAX);
    await clock.pass(ADMIT_MS_MAX);
    expect(await slow).toMatchObject({ status: 504, outcome: 'late' });
  });
});
