import type { Result } from '@springtide/core/base';
import type { ScaleInMark } from '@springtide/ports/cluster';
import type { ReplicaPod, Replicas, ReplicaSet } from '@springtide/ports/replicas';
import { beforeEach, describe, expect, test } from 'vitest';

/** A Deployment of three replicas that run, all of one ReplicaSet: in memory or on a real API server. */
export interface ReplicasWorld {
  readonly replicas: Replicas;
  readonly namespace: string;
  readonly deployment: string;
  /** Lets time pass until what was asked has been answered. */
  readonly await: <T>(asked: Promise<T>) => Promise<T>;
  /** Somebody else writes a deletion cost on a pod. */
  readonly setCost: (pod: string, cost: number) => Promise<void>;
  /** The pod is gone when this resolves. Another one may come in its place. */
  readonly deletePod: (pod: string) => Promise<void>;
}

/** What every implementation of the port of replicas has to do. */
export function replicasConformance(name: string, open: () => Promise<ReplicasWorld>): void {
  describe(`the port of replicas on ${name}`, () => {
    let world: ReplicasWorld;
    beforeEach(async () => {
      world = await open();
    });
    const set = async (): Promise<ReplicaSet> => {
      const { replicas, namespace, deployment } = world;
      const [only, ...others] = valueOf(await world.await(replicas.ofDeployment(namespace, deployment)));
      expect(others).toEqual([]);
      return only as ReplicaSet;
    };
    const pods = async (): Promise<readonly ReplicaPod[]> =>
      valueOf(await world.await(world.replicas.pods(await set())));
    const mark = async (pod: ReplicaPod, wanted: ScaleInMark | null): Promise<string> => {
      const { ref, resourceVersion } = pod;
      return (await world.await(world.replicas.mark({ pod: ref, resourceVersion, mark: wanted }))).answer;
    };
    const markOf = async (): Promise<ScaleInMark> => ({
      replicaSet: (await set()).uid,
      to: 2,
      atMs: 1_767_225_600_000,
    });
    const known = async ({ ref }: ReplicaPod): Promise<ReplicaPod | undefined> =>
      (await pods()).find((pod) => pod.ref.uid === ref.uid);

    test('a ReplicaSet is found by its Deployment and by its name, and so are its pods', async () => {
      const found = await set();
      expect(found).toMatchObject({ namespace: world.namespace, replicas: 3 });
      expect(valueOf(await world.await(world.replicas.replicaSet(found.namespace, found.name)))).toEqual(found);
      const all = await pods();
      expect(all.map(({ replica, mark: own }) => [replica.cost, own])).toEqual(all.map(() => [null, null]));
      expect(all.every(({ ref, replica }) => ref.uid === replica.uid && replica.machine !== null)).toBe(true);
      expect(all).toHaveLength(3);
    });

    test('P6: a mark is read back as it was written, once, and taken back', async () => {
      const [pod] = (await pods()) as [ReplicaPod];
      const wanted = await markOf();
      expect(await mark(pod, wanted)).toBe('written');
      const marked = (await known(pod)) as ReplicaPod;
      // The cost beside it is ours: nobody else has set one.
      expect([marked.mark, marked.replica.cost]).toEqual([wanted, null]);
      expect(await mark(pod, null)).toBe('changed');
      expect((await known(pod))?.mark).toEqual(wanted);
      expect(await mark(marked, null)).toBe('written');
      expect((await known(pod))?.mark).toBeNull();
    });

    test('whoever wrote a cost since a pod was read is not overruled, and what is gone says so', async () => {
      const [first, second] = (await pods()) as [ReplicaPod, ReplicaPod];
      await world.setCost(first.ref.name, 7);
      expect(await mark(first, await markOf())).toBe('changed');
      expect((await known(first))?.replica.cost).toBe(7);
      await world.deletePod(second.ref.name);
      expect(await mark(second, await markOf())).toBe('gone');
      expect(await known(second)).toBeUndefined();
    });
  });
}

function valueOf<T>(result: Result<T, unknown>): T {
  if (!result.ok) throw new Error(JSON.stringify(result.error));
  return result.value;
}
