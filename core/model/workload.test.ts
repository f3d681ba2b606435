import { describe, expect, test } from 'vitest';
import { aRequest, aWorkload } from '@springtide/testkit/builders';
import { podsOf } from './workload.ts';

const server = aRequest().cpuMilli(4000).build();
const worker = aRequest().whole(2).build();

describe('the pods of a workload', () => {
  test('come set by set, numbered within the set, each with the request of its set', () => {
    const workload = aWorkload('default/train').pods('ps', 1, server, 'server').pods('worker', 2, worker).build();
    const pods = podsOf(workload);
    expect(pods.map(({ id }) => id)).toEqual([
      'default/train-ps-0',
      'default/train-worker-0',
      'default/train-worker-1',
    ]);
    expect(pods.map(({ request }) => request)).toEqual([server, worker, worker]);
  });

  test('know the replicas of their service over all sets, and none when there is no service', () => {
    const twoSets = aWorkload('default/chat').pods('big', 2, worker).pods('small', 3, server);
    expect(podsOf(twoSets.service('chat').build()).map(({ serviceReplicas }) => serviceReplicas)).toEqual(
      Array(5).fill(5),
    );
    expect(podsOf(twoSets.build()).every(({ serviceReplicas }) => serviceReplicas === 0)).toBe(true);
  });
});
