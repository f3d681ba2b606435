import { describe, expect, test } from 'vitest';
import type { GangMembership, SchedulerEvent } from '@springtide/core/scheduler';
import type { ClusterEvent, GangMembership as Told, GangObject } from '@springtide/ports/cluster';
import { aClusterPod, aPod } from '@springtide/testkit/builders';
import { Translator } from './translator.ts';

function podIn(gang: Partial<Told>): ClusterEvent {
  const told: Told = {
    id: 'pod-group:team/g',
    object: 'pod-group:team/g',
    source: 'pod-group',
    name: 'g',
    minCount: null,
    topology: null,
    ...gang,
  };
  return { kind: 'pod-seen', pod: aClusterPod(aPod('team/a').build(), { uid: 'u', gang: told }) };
}

function objectOf(part: Partial<GangObject>): ClusterEvent {
  const gang: GangObject = {
    uid: 'o',
    id: 'pod-group:team/g',
    source: 'pod-group',
    namespace: 'team',
    name: 'g',
    minCount: 3,
    isStaged: false,
    topologyKey: '',
    topologyLevel: null,
    isEvictedWhole: false,
    priorityClassName: '',
    ...part,
  };
  return { kind: 'gang-seen', gang };
}

/** The gang of the pod as the scheduler hears it last. */
function heard(...batches: readonly ClusterEvent[][]): GangMembership | null | undefined {
  const translator = new Translator('springtide');
  const told: SchedulerEvent[] = batches.flatMap((events) => translator.translate(events));
  return told.flatMap((event) => (event.kind === 'pod' ? [event.seen.gang] : [])).at(-1);
}

describe('P5: the gang of a pod', () => {
  test('is as large as its object says, whichever comes first', () => {
    expect(heard([podIn({})])?.minCount).toBe(Infinity);
    expect(heard([podIn({})], [objectOf({})])?.minCount).toBe(3);
    expect(heard([objectOf({})], [podIn({})])?.minCount).toBe(3);
    expect(heard([objectOf({}), podIn({})], [{ kind: 'gang-gone', gang: 'pod-group:team/g' }])?.minCount).toBe(
      Infinity,
    );
  });

  test('is told of members that run as well, when it changes', () => {
    const running = (): ClusterEvent => {
      const event = podIn({});
      return event.kind === 'pod-seen' ? { ...event, pod: { ...event.pod, machine: 'm0' } } : event;
    };
    expect(heard([running()], [objectOf({})])?.minCount).toBe(3);
    expect(heard([objectOf({}), running()], [objectOf({ minCount: 2 })])?.minCount).toBe(2);
  });

  test('is as large as the pod itself says, where it does', () => {
    expect(heard([objectOf({}), podIn({ minCount: 8 })])?.minCount).toBe(8);
  });

  test('is none where one may start alone', () => {
    expect(heard([objectOf({ minCount: 1 }), podIn({})])).toBeNull();
    expect(heard([objectOf({ isStaged: true }), podIn({ minCount: 8 })])).toBeNull();
  });

  test('P4: has the topology of its object, else of the pod, and names a label that is no level', () => {
    const zone = objectOf({ topologyKey: 'topology.kubernetes.io/zone', topologyLevel: 'zone' });
    expect(heard([zone, podIn({})])?.topology).toEqual({ level: 'zone', mode: 'required', pattern: 'all-reduce' });
    const rack = { level: 'rack', mode: 'preferred', pattern: 'all-reduce' } as const;
    expect(heard([objectOf({ minCount: 1 }), podIn({ topology: rack })])?.topology).toEqual(rack);
    expect(heard([objectOf({ topologyKey: 'example.com/block' }), podIn({})])).toMatchObject({
      topology: null,
      unknownTopology: 'example.com/block',
    });
  });
});
