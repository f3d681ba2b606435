import type { Result } from '@springtide/core/base';
import {
  type BindAnswer,
  type BindOrder,
  type ClaimAnswer,
  type ClusterFailure,
  clusterFailure,
  type ClusterOrders,
  type EventRecord,
  type EvictAnswer,
  type EvictOrder,
  type PodRef,
  type Term,
  type WriteAnswer,
} from '@springtide/ports/cluster';
import type { ApiRequest } from '../client/api-client.ts';
import type { Urgency } from '../client/gate.ts';
import type { HamiAllocation } from '../hami/allocation.ts';
import type { LockedBinds } from './locked-binds.ts';
import {
  bindAnswer,
  bindRequest,
  evictAnswer,
  evictRequest,
  lookUpRequest,
  nominateRequest,
  reportRequest,
  keepVolumeRequest,
  selectMachineRequest,
  whereabouts,
  writeAnswer,
} from './pod-orders.ts';
import {
  allocationBody,
  claimAnswer,
  freeRequest,
  protectRequest,
  reserveRequest,
  unreserveRequest,
} from '../devices/claim-requests.ts';
import type { DeviceObjects } from '../devices/device-objects.ts';
import { poolStatusRequest } from './pools.ts';
import { type Send, type SendTools, sendUnder } from './sending.ts';

export interface OrderTools extends SendTools {
  readonly record: (event: EventRecord) => void;
  /** The condition `PodScheduled=False` is on the object, as far as has been seen. */
  readonly hasVerdict: (uid: string) => boolean;
  /** What a plug-in is told with a binding; null: nothing. An error: a card of the order is not there. */
  readonly allocationOf: (order: BindOrder, nowMs: number) => Result<HamiAllocation | null, string>;
  readonly lockedBinds: Pick<LockedBinds, 'bind'>;
  readonly devices: Pick<DeviceObjects, 'written'>;
}

/** Orders under one time in office. Whether it still holds is asked when an order is sent, not when it is given. */
export function ordersUnder(term: Term, tools: OrderTools): ClusterOrders {
  const send: Send = (sending) => sendUnder(term, tools, sending);
  const write = (urgency: Urgency, key: string, request: () => ApiRequest): Promise<WriteAnswer> =>
    send<WriteAnswer>({ urgency, key, request, read: writeAnswer, refused, replaced: { answer: 'replaced' } });
  return {
    bind: (order) => {
      // Why it waited must not be written once it is bound.
      for (const what of ['report', 'nominate']) tools.gate.withdraw('status', `${what} ${order.pod.uid}`);
      return bind(order, tools, send);
    },
    evict: (order) => evict(order, tools, send),
    report: (order) => {
      const { uid } = order.pod;
      const request = (): ApiRequest => reportRequest(order, tools.hasVerdict(uid) ? null : tools.clock.wallMs());
      return write('status', `report ${uid}`, request);
    },
    nominate: (order) => write('status', `nominate ${order.pod.uid}`, () => nominateRequest(order)),
    lookUp: (pod) => lookUp(pod, send),
    writePoolStatus: (order) => write('status', `pool ${order.pool.name}`, () => poolStatusRequest(order)),
    selectMachine: (claim, machine) => write('bind', `claim ${claim}`, () => selectMachineRequest(claim, machine)),
    ...claimOrders(tools, send),
    keepVolume: (order) => write('bind', `volume ${order.volume}`, () => keepVolumeRequest(order)),
  };
}

type ClaimOrders = Pick<ClusterOrders, 'reserveClaim' | 'unreserveClaim' | 'freeClaim'>;

function claimOrders({ devices }: OrderTools, send: Send): ClaimOrders {
  const write = (key: string, request: () => ApiRequest): Promise<ClaimAnswer> =>
    send<ClaimAnswer>({ urgency: 'bind', key, request, read: claimAnswer, refused });
  return {
    reserveClaim: async ({ claim, allocation, pod }) => {
      const { uid, id } = claim;
      const key = `reserve ${uid} ${pod.uid}`;
      if (allocation === null) return write(key, () => reserveRequest({ uid, id }, pod, null));
      const written = devices.written(id);
      if (written?.claim.uid !== uid) return { answer: 'gone', failure: clusterFailure('not-found', `no claim ${id}`) };
      const body = allocationBody(allocation, written.claim, written.classes);
      const protectedClaim = await write(`protect ${uid}`, () => protectRequest(claim));
      if (protectedClaim.answer !== 'written') return protectedClaim;
      const { resourceVersion } = protectedClaim;
      return write(key, () => reserveRequest({ uid, id, resourceVersion }, pod, body));
    },
    unreserveClaim: ({ claim, pod }) => write(`unreserve ${claim.uid} ${pod.uid}`, () => unreserveRequest(claim, pod)),
    freeClaim: ({ claim }) => write(`free ${claim.uid}`, () => freeRequest(claim)),
  };
}

function refused(failure: ClusterFailure): { readonly answer: 'refused'; readonly failure: ClusterFailure } {
  return { answer: 'refused', failure };
}

/** Where a plug-in gives the cards it is told which, and some have to be locked for that. */
async function bind(order: BindOrder, tools: OrderTools, send: Send): Promise<BindAnswer> {
  const allocate = (): ReturnType<OrderTools['allocationOf']> => tools.allocationOf(order, tools.clock.wallMs());
  const allocation = allocate();
  if (!allocation.ok) return refused(clusterFailure('conflict', allocation.error));
  const words = allocation.value;
  const annotation = words?.lock ?? '';
  if (annotation !== '') return tools.lockedBinds.bind({ order, annotation, allocate, send });
  return send<BindAnswer>({ urgency: 'bind', request: () => bindRequest(order, words), read: bindAnswer, refused });
}

function lookUp(pod: PodRef, send: Send): ReturnType<ClusterOrders['lookUp']> {
  return send({
    urgency: 'bind',
    needsOffice: false,
    request: () => lookUpRequest(pod),
    read: (answer) => whereabouts(answer, pod),
    refused: (failure) => ({ answer: 'unknown', failure }),
  });
}

async function evict(order: EvictOrder, tools: OrderTools, send: Send): Promise<EvictAnswer> {
  const request = (): ApiRequest => evictRequest(order);
  const answer = await send<EvictAnswer>({ urgency: 'evict', mayPause: false, request, read: evictAnswer, refused });
  if (answer.answer === 'evicted') tools.record(evictionEvent(order));
  // For a pod that was made anew the API server tries for a while and then says no more than that it is busy.
  if (answer.answer !== 'refused' || !['throttled', 'conflict'].includes(answer.failure.code)) return answer;
  const where = await lookUp(order.pod, send);
  return where.answer === 'gone' ? { answer: 'gone', failure: answer.failure } : answer;
}

function evictionEvent({ pod, reason, message }: EvictOrder): EventRecord {
  return { about: { kind: 'pod', pod }, type: 'Normal', reason, action: 'Evicting', note: message };
}
