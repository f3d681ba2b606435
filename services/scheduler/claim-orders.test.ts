import { describe, expect, test } from 'vitest';
import { aClusterPod, aPod } from '@springtide/testkit/builders';
import {
  type ClaimAnswer,
  clusterFailure,
  type ClusterOrders,
  type ClusterPod,
  type DeviceClaim,
} from '@springtide/ports/cluster';
import { ClaimOrders } from './claim-orders.ts';
import { DeviceClaims } from './device-claims.ts';

/** Claims as an API server keeps them: who has which version, and what comes of a write as it is wished. */
class Claims {
  readonly log: string[] = [];
  /** What comes of the next writes of a claim, by id; nothing: it is written. */
  readonly wishes = new Map<string, ClaimAnswer['answer'][]>();
  #version = 1;

  #write(what: string, id: string): Promise<ClaimAnswer> {
    const answer = this.wishes.get(id)?.shift() ?? 'written';
    this.log.push(`${what} ${id}: ${answer}`);
    this.#version += 1;
    if (answer === 'written') return Promise.resolve({ answer, resourceVersion: `${this.#version}` });
    return Promise.resolve({ answer, failure: clusterFailure('server', 'as wished') });
  }

  get orders(): ClusterOrders {
    const known = {
      reserveClaim: ({ claim, allocation, pod }: Parameters<ClusterOrders['reserveClaim']>[0]) =>
        this.#write(allocation === null ? `reserve for ${pod.name}` : `allocate for ${pod.name}`, claim.id),
      unreserveClaim: ({ claim }: Parameters<ClusterOrders['unreserveClaim']>[0]) => this.#write('unreserve', claim.id),
      freeClaim: ({ claim }: Parameters<ClusterOrders['freeClaim']>[0]) =>
        this.#write(`free as of ${claim.resourceVersion}`, claim.id),
    };
    return known as ClusterOrders;
  }

  readonly refresh = (): Promise<void> => {
    this.log.push('refresh');
    return Promise.resolve();
  };
}

function aClaim(name: string, more: Partial<DeviceClaim> = {}): DeviceClaim {
  const nothing = { requests: [], constraints: [], allocation: null, reservedFor: [], isFull: false, owner: '' };
  const rest = { isDeleting: false, trouble: null, failing: null };
  return { uid: `uid-${name}`, id: `ns/${name}`, resourceVersion: '1', ...nothing, ...rest, ...more };
}

function aUser(name: string, ...claims: string[]): ClusterPod {
  const deviceClaims = claims.map((claim) => ({ name: claim, claim, isOwn: false }));
  return aClusterPod(aPod(`ns/${name}`).build(), { deviceClaims });
}

function setUp(...claims: readonly DeviceClaim[]): { world: Claims; known: DeviceClaims; writer: ClaimOrders } {
  const world = new Claims();
  const known = new DeviceClaims();
  for (const claim of claims) known.take({ kind: 'device-claim-seen', claim });
  return { world, known, writer: new ClaimOrders(known, world.refresh) };
}

const chosen = (name: string) => ({ claim: `ns/${name}`, devices: [], places: null });

describe('claims of a pod before its bind', () => {
  test('all are written, those that it may use already left alone', async () => {
    const { world, writer } = setUp(
      aClaim('new'),
      aClaim('old', { allocation: chosen('old') }),
      aClaim('own', { allocation: chosen('own'), reservedFor: ['ns/p'] }),
    );
    const pod = aUser('p', 'new', 'old', 'own');
    const orders = writer.ordersFor(pod, [chosen('new')]) ?? [];
    expect(await writer.reserve(world.orders, pod, orders)).toHaveLength(2);
    expect(world.log).toEqual(['allocate for p ns/new: written', 'reserve for p ns/old: written']);
  });

  test('what was written is given back where another cannot be: freed as it was written, else left to its others', async () => {
    const { world, writer } = setUp(aClaim('a'), aClaim('b'), aClaim('c'));
    const pod = aUser('p', 'a', 'b', 'c');
    world.wishes.set('ns/c', ['conflict']);
    world.wishes.set('ns/b', ['written', 'conflict']);
    const orders = writer.ordersFor(pod, ['a', 'b', 'c'].map(chosen)) ?? [];
    expect(await writer.reserve(world.orders, pod, orders)).toBeNull();
    expect(world.log.slice(2)).toEqual([
      'allocate for p ns/c: conflict',
      'free as of 2 ns/a: written',
      'free as of 3 ns/b: conflict',
      'unreserve ns/b: written',
    ]);
  });

  test('a write whose answer was lost has the claims listed before anything else is decided', async () => {
    const { world, writer } = setUp(aClaim('a'));
    const pod = aUser('p', 'a');
    world.wishes.set('ns/a', ['unknown']);
    expect(await writer.reserve(world.orders, pod, writer.ordersFor(pod, [chosen('a')]) ?? [])).toBeNull();
    expect(world.log).toEqual(['allocate for p ns/a: unknown', 'refresh']);
  });

  test('pods that share a claim do not overtake the one that gives it devices', async () => {
    const { world, writer } = setUp(aClaim('shared'));
    const [first, second] = [aUser('p', 'shared'), aUser('q', 'shared')];
    const done = await Promise.all([
      writer.reserve(world.orders, first, writer.ordersFor(first, [chosen('shared')]) ?? []),
      writer.reserve(world.orders, second, writer.ordersFor(second, []) ?? []),
    ]);
    expect(done.map((each) => each?.length)).toEqual([1, 1]);
    expect(world.log).toEqual(['allocate for p ns/shared: written', 'reserve for q ns/shared: written']);
  });

  test('a claim that is gone keeps its pod from being bound, and only claims with devices are freed', async () => {
    const { world, known, writer } = setUp(aClaim('a'), aClaim('b', { allocation: chosen('b') }));
    known.take({ kind: 'device-claim-gone', claim: 'ns/a' });
    expect(writer.ordersFor(aUser('p', 'a'), [chosen('a')])).toBeNull();
    await writer.free(world.orders, ['ns/a', 'ns/b']);
    expect(world.log).toEqual(['free as of 1 ns/b: written']);
  });
});

test('what a pod is told of its claims', () => {
  const { known } = setUp(
    aClaim('going', { isDeleting: true }),
    aClaim('other', { owner: 'somebody' }),
    aClaim('full', { isFull: true }),
    aClaim('mine', { allocation: chosen('mine'), reservedFor: ['ns/p'] }),
  );
  const deviceClaims = ['gone', '', 'going', 'other', 'full', 'mine'].map((claim) => {
    return { name: `as ${claim}`, claim, isOwn: claim === 'other' || claim === '' };
  });
  const needs = known.needsOf(aClusterPod(aPod('ns/p').build(), { deviceClaims }));
  expect(needs.map(({ trouble, isLoose }) => trouble?.kind ?? `loose: ${isLoose}`)).toEqual([
    'missing',
    'not-made',
    'going',
    'foreign',
    'full',
    'loose: true',
  ]);
});
