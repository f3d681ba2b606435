import {
  type BindAnswer,
  type BindOrder,
  type ClusterErrorCode,
  type ClusterFailure,
  clusterFailure,
  type ClusterOrders,
  type ClusterPod,
  type EventRecord,
  type EvictAnswer,
  type PodRef,
  type PodWhereabouts,
  type Term,
  type WriteAnswer,
} from '@springtide/ports/cluster';
import type { Journeys } from './journeys.ts';
import type { LabWorld } from './lab-world.ts';

export interface LabTools {
  readonly world: LabWorld;
  readonly journeys: Journeys;
  readonly record: (event: EventRecord) => void;
  readonly isStopped: () => boolean;
}

/** What may come of any order. */
type Failed = { readonly answer: 'refused' | 'unknown'; readonly failure: ClusterFailure };

function failedAnswer(failure: ClusterFailure): Failed {
  return { answer: failure.retry === 'read-back' ? 'unknown' : 'refused', failure };
}

function no<T extends string>(
  answer: T,
  code: ClusterErrorCode,
  message: string,
  retryAfterMs: number | null = null,
): { readonly answer: T; readonly failure: ClusterFailure } {
  return { answer, failure: clusterFailure(code, message, retryAfterMs) };
}

/** How long the API server asks to wait for a budget. */
const BUDGET_RETRY_MS = 10_000;

/** Orders under one term, as `adapters/kubernetes` gives them to an API server. */
export function labOrders(term: Term, tools: LabTools): ClusterOrders {
  const { world, journeys } = tools;
  const send = <T extends { readonly answer: string }>(act: () => T): Promise<T | Failed> => {
    if (tools.isStopped()) return Promise.resolve(failedAnswer(clusterFailure('stopped', 'the client was stopped')));
    if (!term.isValid())
      return Promise.resolve(failedAnswer(clusterFailure('fenced', `${term.holder} no longer leads`)));
    return journeys.send<T | Failed>(act, failedAnswer);
  };
  const onPod = (ref: PodRef, write: (pod: ClusterPod) => void): Promise<WriteAnswer> =>
    send<WriteAnswer>(() => {
      const pod = world.find(ref);
      if (pod === null) return no('gone', 'not-found', `there is no pod ${ref.name}`);
      write(pod);
      return { answer: 'written' };
    });
  return {
    bind: (order) => send(() => bindIn(world, order)),
    evict: async (order) => {
      const answer = await send(() => evictIn(world, order.pod, order.graceMs ?? undefined));
      const { pod, reason, message: note } = order;
      if (answer.answer === 'evicted') {
        tools.record({ about: { kind: 'pod', pod }, type: 'Normal', reason, action: 'Evicting', note });
      }
      return answer;
    },
    report: ({ pod, reason, message }) => onPod(pod, ({ uid }) => world.change(uid, { verdict: { reason, message } })),
    nominate: ({ pod, machine }) => onPod(pod, ({ uid }) => world.change(uid, { nominatedMachine: machine })),
    lookUp: (pod) => lookUp(pod, tools),
    writePoolStatus: ({ pool, status }) =>
      send<WriteAnswer>(() => {
        const known = world.poolOf(pool.name);
        if (known?.uid !== pool.uid) return no('gone', 'not-found', `there is no pool ${pool.name}`);
        world.putPool({ ...known, status });
        return { answer: 'written' };
      }),
    selectMachine: () => Promise.resolve(no('refused', 'unsupported', 'the lab has no volumes')),
    keepVolume: () => Promise.resolve(no('refused', 'unsupported', 'the lab has no volumes')),
    reserveClaim: () => Promise.resolve(no('refused', 'unsupported', 'the lab has no devices')),
    unreserveClaim: () => Promise.resolve(no('refused', 'unsupported', 'the lab has no devices')),
    freeClaim: () => Promise.resolve(no('refused', 'unsupported', 'the lab has no devices')),
  };
}

function bindIn(world: LabWorld, { pod: ref, machine, slices }: BindOrder): BindAnswer {
  const pod = world.find(ref);
  if (pod === null) return no('gone', 'not-found', `there is no pod ${ref.name}`);
  if (pod.machine !== null) return no('conflict', 'conflict', `it is already assigned to node "${pod.machine}"`);
  if (pod.isDeleting) return no('conflict', 'conflict', 'it is being deleted');
  // The machine need not exist: the API server does not look.
  world.bind(ref.uid, machine, slices);
  return { answer: 'bound' };
}

function evictIn(world: LabWorld, ref: PodRef, graceMs?: number): EvictAnswer {
  const pod = world.find(ref);
  if (pod === null) return no('gone', 'not-found', `there is no pod ${ref.name}`);
  if (!pod.isDeleting && !world.allowsEviction(pod)) {
    return no('blocked', 'budget', 'it would violate its disruption budget', BUDGET_RETRY_MS);
  }
  world.deletePod(ref.uid, graceMs);
  return { answer: 'evicted' };
}

function lookUp(ref: PodRef, { world, journeys }: LabTools): Promise<PodWhereabouts> {
  const look = (): PodWhereabouts => {
    const pod = world.find(ref);
    return pod === null ? { answer: 'gone' } : { answer: 'found', machine: pod.machine, isDeleting: pod.isDeleting };
  };
  return journeys.send<PodWhereabouts>(look, (failure) => ({ answer: 'unknown', failure }));
}
