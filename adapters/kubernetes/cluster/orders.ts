import type { Clock } from '@springtide/ports/clock';
import {
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
import type { ApiClient, ApiRequest } from '../client/api-client.ts';
import type { Gate, Urgency } from '../client/gate.ts';
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
import { poolStatusRequest } from './pools.ts';

export interface OrderTools {
  readonly client: Pick<ApiClient, 'request'>;
  readonly gate: Gate;
  readonly clock: Clock;
  readonly record: (event: EventRecord) => void;
  /** The condition `PodScheduled=False` is on the object, as far as has been seen. */
  readonly hasVerdict: (uid: string) => boolean;
}

type Answer = Awaited<ReturnType<ApiClient['request']>>;

/** How one order is sent. */
interface Sending<T> {
  readonly urgency: Urgency;
  readonly key?: string;
  /** It changes nothing, so that it needs no office. */
  readonly isRead?: boolean;
  /** False: being busy with it says nothing about other requests. */
  readonly mayPause?: boolean;
  /** Made when it is sent. */
  readonly request: () => ApiRequest;
  readonly read: (answer: Answer) => T;
  readonly refused: (failure: ClusterFailure) => T;
  readonly replaced?: T;
}

type Send = <T>(sending: Sending<T>) => Promise<T>;

/** Orders under one time in office. Whether it still holds is asked when an order is sent, not when it is given. */
export function ordersUnder(term: Term, tools: OrderTools): ClusterOrders {
  const send: Send = (sending) => sendUnder(term, tools, sending);
  const write = (urgency: Urgency, key: string, request: () => ApiRequest): Promise<WriteAnswer> =>
    send<WriteAnswer>({ urgency, key, request, read: writeAnswer, refused, replaced: { answer: 'replaced' } });
  return {
    bind: (order) => {
      // Why it waited must not be written once it is bound.
      for (const what of ['report', 'nominate']) tools.gate.withdraw('status', `${what} ${order.pod.uid}`);
      return send({ urgency: 'bind', request: () => bindRequest(order), read: bindAnswer, refused });
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
    keepVolume: (order) => write('bind', `volume ${order.volume}`, () => keepVolumeRequest(order)),
  };
}

function refused(failure: ClusterFailure): { readonly answer: 'refused'; readonly failure: ClusterFailure } {
  return { answer: 'refused', failure };
}

function lookUp(pod: PodRef, send: Send): ReturnType<ClusterOrders['lookUp']> {
  return send({
    urgency: 'bind',
    isRead: true,
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

function sendUnder<T>(term: Term, tools: OrderTools, sending: Sending<T>): Promise<T> {
  const { client, gate } = tools;
  return new Promise((settle) => {
    gate.enter({
      urgency: sending.urgency,
      key: sending.key ?? '',
      send: async () => {
        if (sending.isRead !== true && !term.isValid())
          return settle(sending.refused(clusterFailure('fenced', `${term.holder} no longer leads`)));
        const answer = await client.request(sending.request());
        const isThrottled = !answer.ok && answer.error.code === 'throttled';
        if (isThrottled && sending.mayPause !== false) gate.pause(answer.error.retryAfterMs ?? 1000);
        settle(sending.read(answer));
      },
      refuse: (failure) => settle(sending.refused(failure)),
      replace: () => {
        if (sending.replaced !== undefined) settle(sending.replaced);
      },
    });
  });
}
