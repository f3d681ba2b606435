import { ok, type Result } from '@springtide/core/base';
import { newRecord } from '@springtide/core/model';
import { type ClusterFailure, clusterFailure, type Term } from '@springtide/ports/cluster';
import type { SeenWorkload } from '@springtide/ports/queueing';
import { VirtualClock } from '@springtide/testkit/clock';
import { expect, test } from 'vitest';
import type { ApiRequest } from '../client/api-client.ts';
import { Gate } from '../client/gate.ts';
import { fieldsOf } from '../fields.ts';
import { queueingOrders } from './orders.ts';
import { QueuedObjects } from './queued-objects.ts';
import { workloadObjectOf } from './workload.ts';
import { WorkloadVersions } from './workload-versions.ts';

const TERM: Term = { holder: 'a', transitions: 1, cameBy: 'free', isValid: () => true, validUntilMs: () => Infinity };

/** An API server with one Workload, which a change for another version does not change. */
function stage(): {
  readonly versions: WorkloadVersions;
  readonly orders: ReturnType<typeof queueingOrders>;
  version: () => number;
  touch: () => void;
} {
  let version = 1;
  const request = async ({ body }: ApiRequest): Promise<Result<unknown, ClusterFailure>> => {
    const { resourceVersion } = (body as { metadata: { resourceVersion?: string } }).metadata;
    if (resourceVersion !== undefined && resourceVersion !== String(version)) {
      return { ok: false, error: clusterFailure('conflict', 'the object has been modified') };
    }
    version += 1;
    return ok({ metadata: { resourceVersion: String(version) } });
  };
  const clock = new VirtualClock();
  const versions = new WorkloadVersions();
  const tools = { client: { request }, clock, gate: new Gate(clock), objects: new QueuedObjects(() => {}), versions };
  return { versions, orders: queueingOrders(TERM, tools), version: () => version, touch: () => (version += 1) };
}

function seenAt(resourceVersion: string): SeenWorkload {
  const metadata = { name: 'x', namespace: 'a', uid: 'u', resourceVersion };
  return workloadObjectOf(fieldsOf({ metadata, spec: { queue: 'q' } }, null));
}

test('a decision is written for the Workload as it was taken, or as it was written since', async () => {
  const { orders, versions } = stage();
  const taken = seenAt('1');
  expect(await orders.keep(taken, newRecord(1), null)).toEqual({ answer: 'done' });
  expect(versions.isNews('u', '1')).toBe(false);
  expect(await orders.keep(taken, newRecord(2), null)).toEqual({ answer: 'done' });
});

test('what its maker wrote meanwhile, seen or not, is not overruled: not even by way of telling why it waits', async () => {
  const { orders, touch, version } = stage();
  const taken = seenAt('1');
  touch();
  const note = { position: 1, waiting: 1, reason: 'quota', message: '', promisedStartMs: null, forecast: null };
  expect(await orders.tell(taken, note)).toEqual({ answer: 'done' });
  expect(await orders.keep(taken, newRecord(1), null)).toMatchObject({
    answer: 'later',
    failure: { code: 'conflict' },
  });
  expect(await orders.keep(seenAt(String(version())), newRecord(1), null)).toEqual({ answer: 'done' });
});
