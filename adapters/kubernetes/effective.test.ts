import { type Json, kubePod } from '@springtide/testkit/kubectl';
import { describe, expect, test } from 'vitest';
import { containersOf, effectiveAmounts } from './effective.ts';
import { fieldsAt, fieldsOf } from './fields.ts';

function amounts(spec: Json, status: Json = {}, isBound = false): Record<string, number> {
  const pod = fieldsOf(kubePod('a/b', null, { spec, status }), null);
  return Object.fromEntries(effectiveAmounts(pod, containersOf(fieldsAt(pod, 'spec')), isBound));
}

function container(cpu: string, more: Json = {}): Json {
  return { name: 'c', resources: { requests: { cpu } }, ...more };
}

const sidecar = { restartPolicy: 'Always' };

describe('what the scheduler counts for a pod', () => {
  test('containers add up', () => {
    expect(amounts({ containers: [container('1'), container('500m')] })).toEqual({ cpu: 1500 });
  });

  test('the hungriest init container counts when it is more than the containers', () => {
    const initContainers = [container('1'), container('4'), container('2')];
    expect(amounts({ containers: [container('3')], initContainers })).toEqual({ cpu: 4000 });
  });

  test('a sidecar runs beside the containers and beside the init containers after it', () => {
    const initContainers = [container('5'), container('2', sidecar), container('4')];
    expect(amounts({ containers: [container('3')], initContainers })).toEqual({ cpu: 6000 });
  });

  test('an init container before the sidecar runs without it', () => {
    const initContainers = [container('6'), container('2', sidecar)];
    expect(amounts({ containers: [container('1')], initContainers })).toEqual({ cpu: 6000 });
  });

  test('each resource has its own peak', () => {
    const init = { name: 'i', resources: { requests: { cpu: '8', memory: '1Gi' } } };
    const app = { name: 'a', resources: { requests: { cpu: '1', memory: '4Gi', 'nvidia.com/gpu': '1' } } };
    expect(amounts({ containers: [app], initContainers: [init] })).toEqual({
      cpu: 8000,
      memory: 4 * 1024 ** 3,
      'nvidia.com/gpu': 1,
    });
  });

  test('a limit without a request is the request', () => {
    const resources = { requests: { cpu: '1' }, limits: { cpu: '2', 'nvidia.com/gpu': '1' } };
    expect(amounts({ containers: [{ name: 'c', resources }] })).toEqual({ cpu: 1000, 'nvidia.com/gpu': 1 });
  });

  test('overhead is added', () => {
    expect(amounts({ containers: [container('1')], overhead: { cpu: '250m' } })).toEqual({ cpu: 1250 });
  });

  test('pod-level requests replace those of the containers, and only for cpu, memory and hugepages', () => {
    const resources = { requests: { cpu: '2', 'nvidia.com/gpu': '9' }, limits: { cpu: '5', memory: '1Gi' } };
    const containers = [{ name: 'c', resources: { requests: { cpu: '1', 'nvidia.com/gpu': '1' } } }];
    expect(amounts({ containers, resources, overhead: { cpu: '1' } })).toEqual({
      cpu: 3000,
      memory: 1024 ** 3,
      'nvidia.com/gpu': 1,
    });
  });
});

describe('a pod on a machine', () => {
  const shrinking = {
    containerStatuses: [{ name: 'c', allocatedResources: { cpu: '2' }, resources: { requests: { cpu: '4' } } }],
  };

  test('counts the most of what is asked, allotted and in force', () => {
    expect(amounts({ containers: [container('1')] }, shrinking, true)).toEqual({ cpu: 4000 });
    expect(amounts({ containers: [container('7')] }, shrinking, true)).toEqual({ cpu: 7000 });
  });

  test('does not count what a machine cannot give it', () => {
    const conditions = [{ type: 'PodResizePending', reason: 'Infeasible' }];
    expect(amounts({ containers: [container('7')] }, { ...shrinking, conditions }, true)).toEqual({ cpu: 4000 });
  });

  test('does not look at the status before it is on one', () => {
    expect(amounts({ containers: [container('1')] }, shrinking, false)).toEqual({ cpu: 1000 });
  });
});
