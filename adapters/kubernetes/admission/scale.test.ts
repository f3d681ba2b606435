import { expect, test } from 'vitest';
import { fieldsOf } from '../fields.ts';
import type { AdmissionRequest } from './request.ts';
import { scaleInOf } from './scale.ts';

function change(from: object, to: object, more: Partial<AdmissionRequest> = {}): AdmissionRequest {
  return {
    uid: 'u',
    operation: 'UPDATE',
    kind: 'Scale',
    group: 'apps',
    resource: 'deployments',
    subresource: 'scale',
    namespace: 't',
    name: 'x',
    user: 'jane',
    isDryRun: false,
    object: fieldsOf({ spec: to }, null),
    oldObject: fieldsOf({ spec: from }, null),
    ...more,
  };
}

test('fewer replicas, by a Scale, which leaves out a 0, or by the object itself, which leaves out a 1', () => {
  const x = { kind: 'Deployment', namespace: 't', name: 'x', isDryRun: false };
  expect(scaleInOf(change({ replicas: 3 }, { replicas: 2 }))).toEqual({ ...x, to: 2 });
  expect(scaleInOf(change({ replicas: 3 }, {}))).toEqual({ ...x, to: 0 });
  const own = { subresource: '', resource: 'replicasets', isDryRun: true };
  expect(scaleInOf(change({ replicas: 3 }, {}, own))).toEqual({ ...x, kind: 'ReplicaSet', to: 1, isDryRun: true });
});

test.each([
  ['more', change({ replicas: 3 }, { replicas: 4 })],
  ['as many', change({ replicas: 3 }, { replicas: 3 })],
  ['another kind', change({ replicas: 3 }, { replicas: 2 }, { resource: 'daemonsets' })],
  ['another group', change({ replicas: 3 }, { replicas: 2 }, { group: 'example.com' })],
  ['a new object', change({}, { replicas: 2 }, { operation: 'CREATE', oldObject: null })],
])('%s is no scale-in', (_, request) => {
  expect(scaleInOf(request)).toBeNull();
});
