import { HAMI_MIG_ALLOCATIONS, HAMI_NODE, HAMI_TIME, type HamiKeys, hamiKeys } from './keys.ts';
import { encodePodDevices } from './pods.ts';
import { vendorAnnotations } from './vendor-annotations.ts';

/** A part of one card that a container gets, as the plug-in counts it. */
export interface CardPart {
  /** The plug-in's own name of the card. */
  readonly uuid: string;
  readonly memoryMiB: number;
  /** In the vendor's own units: percent of the card's compute, for most. */
  readonly cores: number;
  /** The card's number on its node, counted from 0. */
  readonly index: number;
  /** The MIG instance, where the card is cut into such. */
  readonly mig?: MigPart;
}

export interface MigPart {
  readonly profile: string;
  /** First memory slice, and how many. */
  readonly start: number;
  readonly size: number;
}

export interface ContainerCards {
  readonly name: string;
  /** None: the container has no card. */
  readonly cards: readonly CardPart[];
}

export interface AllocationAsk {
  /** The card resource, such as `nvidia.com/gpu`. */
  readonly resource: string;
  readonly machine: string;
  /** Every container of the pod: the init containers first, in the order of the pod. */
  readonly containers: readonly ContainerCards[];
  readonly initCount: number;
  /** Annotations of the pod as it is. */
  readonly annotations: ReadonlyMap<string, string>;
  /** The node's register annotation of the kind, where it has one. */
  readonly register: string | null;
  /** Milliseconds since 1970. */
  readonly nowMs: number;
}

export interface HamiAllocation {
  /** Keys and values to write on the pod. */
  readonly annotations: ReadonlyMap<string, string>;
  readonly labels: ReadonlyMap<string, string>;
  /** The annotation of the node that keeps others off while the plug-in hands out; empty: none is taken. */
  readonly lock: string;
}

/**
 * What HAMi's scheduler writes on a pod whose cards are chosen, for the kind's plug-in to read; null where HAMi does
 * not know the resource. Containers without a card keep their empty entry: a plug-in tells containers by position.
 */
export function hamiAllocation(ask: AllocationAsk): HamiAllocation | null {
  const keys = hamiKeys(ask.resource);
  if (keys === null) return null;
  const annotations = new Map([
    [HAMI_NODE, ask.machine],
    [HAMI_TIME, String(Math.floor(ask.nowMs / 1000))],
    ...cardAnnotations(ask, keys),
  ]);
  return { annotations, labels: new Map([[HAMI_NODE, ask.machine]]), lock: hasAppCards(ask) ? keys.lock : '' };
}

/** All that names cards, without the node and the time. */
export function cardAnnotations(ask: AllocationAsk, keys: HamiKeys): [key: string, value: string][] {
  const { word } = keys;
  const entries = ask.containers.map(({ cards }) => cards.map((card) => ({ ...card, type: word })));
  const value = encodePodDevices(entries);
  const written: [string, string][] = [[keys.allocated, value]];
  if (keys.toAllocate !== '') written.push([keys.toAllocate, value]);
  const migs = migAllocations(ask.containers);
  if (migs !== '') written.push([HAMI_MIG_ALLOCATIONS, migs]);
  return [...written, ...vendorAnnotations(ask, word)];
}

/** The instances of all containers as JSON, by container and by place in it; empty text: none. */
function migAllocations(containers: readonly ContainerCards[]): string {
  const allocations = containers.flatMap(({ cards }, containerIndex) =>
    cards.flatMap(({ uuid, mig }, deviceIndex) => {
      if (mig === undefined) return [];
      const { profile, start, size } = mig;
      return [{ containerIndex, deviceIndex, gpuUUID: uuid, profile, placement: { start, size } }];
    }),
  );
  return allocations.length === 0 ? '' : JSON.stringify(allocations);
}

/** A card of an init container alone is not locked: the plug-in finds such a pod by its annotations. */
function hasAppCards({ containers, initCount }: AllocationAsk): boolean {
  return containers.slice(initCount).some(({ cards }) => cards.length > 0);
}
