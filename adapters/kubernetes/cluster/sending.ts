import type { Clock } from '@springtide/ports/clock';
import { type ClusterFailure, clusterFailure, type Term } from '@springtide/ports/cluster';
import type { ApiClient, ApiRequest } from '../client/api-client.ts';
import type { Gate, Urgency } from '../client/gate.ts';

export interface SendTools {
  readonly client: Pick<ApiClient, 'request'>;
  readonly gate: Gate;
  readonly clock: Clock;
}

export type Answer = Awaited<ReturnType<ApiClient['request']>>;

/** How one order is sent. */
export interface Sending<T> {
  readonly urgency: Urgency;
  readonly key?: string;
  /** False: it changes nothing, or only takes back what was done in office. */
  readonly needsOffice?: boolean;
  /** False: being busy with it says nothing about other requests. */
  readonly mayPause?: boolean;
  /** Made when it is sent. */
  readonly request: () => ApiRequest;
  readonly read: (answer: Answer) => T;
  readonly refused: (failure: ClusterFailure) => T;
  readonly replaced?: T;
}

export type Send = <T>(sending: Sending<T>) => Promise<T>;

/** Sends through the gate. Whether the term still holds is asked when it is sent, not when it is given. */
export function sendUnder<T>(term: Term, { client, gate }: SendTools, sending: Sending<T>): Promise<T> {
  return new Promise((settle) => {
    gate.enter({
      urgency: sending.urgency,
      key: sending.key ?? '',
      send: async () => {
        if (sending.needsOffice !== false && !term.isValid())
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
