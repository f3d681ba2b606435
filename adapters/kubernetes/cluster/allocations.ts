import { err, ok, type Result } from '@springtide/core/base';
import type { BindOrder } from '@springtide/ports/cluster';
import { type Containers, containersOf } from '../effective.ts';
import { type Fields, fieldsAt, textMapAt } from '../fields.ts';
import type { HamiAllocation } from '../hami/allocation.ts';
import { HAMI_BIND_PHASE, HAMI_BIND_TIME, hamiKeys } from '../hami/keys.ts';
import { podAllocation } from '../hami/pod-allocation.ts';
import type { MadeMachine } from '../make-machine.ts';
import type { NodeDraft } from '../node.ts';

/** What has to be known of a pod that waits, to tell a plug-in which cards it gets. */
export interface WaitingPod {
  readonly containers: Containers;
  readonly annotations: ReadonlyMap<string, string>;
}

export function waitingPod(object: Fields): WaitingPod {
  const annotations = textMapAt(fieldsAt(object, 'metadata'), 'annotations');
  return { containers: containersOf(fieldsAt(object, 'spec')), annotations };
}

export interface Place {
  readonly node: NodeDraft;
  readonly made: MadeMachine;
}

/**
 * What is written with the binding where HAMi's plug-in gives the cards; null where none does, so that nobody would
 * read it. An error says which card is no longer there. `nowMs` is by the wall clock.
 */
export function allocationOf(
  { slices }: BindOrder,
  pod: WaitingPod,
  { node, made }: Place,
  nowMs: number,
): Result<HamiAllocation | null, string> {
  const { cards } = made;
  const gone = slices.find(({ cardId }) => !cards.byId.has(cardId));
  if (gone !== undefined) return err(`there is no card ${gone.cardId} on ${node.name}`);
  const resources = new Set(slices.map(({ cardId }) => cards.byId.get(cardId)?.resource));
  if (!cards.groups.some(({ kind, resource }) => kind === 'hami' && resources.has(resource))) return ok(null);
  const register = (resource: string): string | null =>
    node.annotations.get(hamiKeys(resource)?.register ?? '') ?? null;
  const allocation = podAllocation({ cards, slices, register, nowMs, ...pod });
  if (allocation === null) return ok(null);
  const annotations = new Map([
    ...allocation.annotations,
    [HAMI_BIND_PHASE, 'allocating'],
    [HAMI_BIND_TIME, String(Math.floor(nowMs / 1000))],
  ]);
  return ok({ ...allocation, annotations });
}
