import * as fc from 'fast-check';
import type { Constraints, Pod, Request } from '@springtide/core/model';
import { aPod, evenly, exists, isIn } from '../builders/index.ts';
import { constrainedBy } from './requests.ts';

/** Pods of three tenants, some of them replicas of two services, that ask for any of a few requests. */
export function pods(asked: fc.Arbitrary<Request>, podsMax = 12): fc.Arbitrary<readonly Pod[]> {
  const shape = fc.record({
    request: fc.nat(3),
    tenant: fc.constantFrom('', '', 'a', 'b'),
    namespace: fc.constantFrom('default', 'default', 'other'),
    app: fc.constantFrom('', 'x', 'x', 'y'),
    service: fc.constantFrom('', 'web', 'web', 'chat'),
    replicas: fc.integer({ min: 0, max: 4 }),
  });
  const pool = fc.array(asked, { minLength: 1, maxLength: 4 });
  return fc.tuple(pool, fc.array(shape, { minLength: 1, maxLength: podsMax })).map(([requestsOfPool, shapes]) =>
    shapes.map(({ request, tenant, namespace, app, service, replicas }, index) => {
      const pod = aPod(`${namespace}/p${index}`)
        .inNamespace(namespace)
        .ofTenant(tenant)
        .asking(requestsOfPool[request % requestsOfPool.length] as Request);
      const named = app === '' ? pod : pod.labelled('app', app);
      return (service === '' ? named : named.replicaOf(service, replicas)).build();
    }),
  );
}

const KEYS = fc.constantFrom('zone', 'kubernetes.io/hostname', 'disk');

/** Constraints on other pods, over the labels that `fleets` and `pods` give. */
export function neighbourConstraints(): fc.Arbitrary<Constraints> {
  const selector = fc.constantFrom([isIn('app', 'x')], [exists('app')], [isIn('app', 'y', 'z')], [], null);
  const namespaces = fc.constantFrom(['default'], ['other'], ['default', 'other'], ['*']);
  const term = fc.record({ topologyKey: KEYS, selector, namespaces });
  const spread = fc.record({
    topologyKey: KEYS,
    selector: fc.constantFrom([isIn('app', 'x')], [exists('app')], null),
    maxSkew: fc.integer({ min: 1, max: 2 }),
    minDomains: fc.integer({ min: 1, max: 3 }),
    nodeAffinityPolicy: fc.constantFrom('Honor', 'Ignore'),
    nodeTaintsPolicy: fc.constantFrom('Honor', 'Ignore'),
  });
  const port = fc.record({
    ip: fc.constantFrom('0.0.0.0', '10.0.0.1', '10.0.0.2'),
    port: fc.constantFrom(80, 443),
    protocol: fc.constantFrom('TCP', 'UDP'),
  });
  const limit = fc.record({
    resource: fc.constantFrom('nvidia.com/gpu', 'huawei.com/Ascend910B4'),
    of: fc.constantFrom('memoryMiB', 'computeMilli'),
    max: fc.constantFrom(0, 1000, 20_000, 100_000),
  });
  const few = <T>(each: fc.Arbitrary<T>): fc.Arbitrary<T[]> =>
    fc.oneof(
      { weight: 2, arbitrary: fc.constant<T[]>([]) },
      { weight: 1, arbitrary: fc.array(each, { maxLength: 2 }) },
    );
  return fc
    .record({
      podAffinity: few(term),
      podAntiAffinity: few(term),
      topologySpread: few(spread.map((part) => evenly(part.topologyKey, part))),
      hostPorts: few(port),
      nodeSelector: fc.constantFrom(new Map(), new Map(), new Map([['disk', 'ssd']])),
      exclusiveClaims: fc.constantFrom([], [], ['default/a'], ['default/a', 'default/b']),
      cardLimits: few(limit),
    })
    .map(constrainedBy);
}
