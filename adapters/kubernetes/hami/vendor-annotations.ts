import { templateFor } from '@springtide/core/vendors';
import type { AllocationAsk, CardPart } from './allocation.ts';
import { isSoftSplit } from './choice.ts';
import { enflameRegister } from './others.ts';

/** What the plug-ins of single vendors read beside HAMi's own annotations. */

type Written = [key: string, value: string][];
type Writer = (ask: AllocationAsk, word: string) => Written;

const WRITERS: Readonly<Record<string, Writer>> = {
  MLU: cambricon,
  'Metax-SGPU': metax,
  Mthreads: mooreThreads,
  kunlun: kunlunxin,
  Enflame: enflame,
  AWSNeuron: neuron,
};

export function vendorAnnotations(ask: AllocationAsk, word: string): Written {
  if (ask.containers.every(({ cards }) => cards.length === 0)) return [];
  const write = word.startsWith('Ascend') ? ascend : WRITERS[word];
  return write === undefined ? [] : write(ask, word);
}

function seconds({ nowMs }: AllocationAsk): string {
  return String(Math.floor(nowMs / 1000));
}

function nanoseconds({ nowMs }: AllocationAsk): string {
  return String(BigInt(nowMs) * 1_000_000n);
}

/** The template that has the memory; a whole card has none. Zero cores are left out. */
function ascend(ask: AllocationAsk, word: string): Written {
  const isSoft = isSoftSplit(ask.resource, ask.annotations);
  const cards = ask.containers.flatMap((container) => container.cards);
  const parts = cards.map(({ uuid, memoryMiB, cores }) => {
    const template = isSoft ? null : templateFor(word, memoryMiB);
    // What is undefined is left out when it is written.
    const [temp, core] = [template?.name, cores === 0 ? undefined : cores];
    return { UUID: uuid, temp, memory: memoryMiB, core };
  });
  return [
    [`huawei.com/${word}`, JSON.stringify(parts)],
    ['predicate-time', seconds(ask)],
  ];
}

/** The first card of the pod as `index_cores_units`, a unit being 256 MiB. */
function cambricon(ask: AllocationAsk): Written {
  const [card] = firstCards(ask);
  if (card === undefined) return [];
  return [
    ['CAMBRICON_DSMLU_ASSIGNED', 'false'],
    ['CAMBRICON_DSMLU_PROFILE', `${card.index}_${card.cores}_${Math.floor(card.memoryMiB / 256)}`],
  ];
}

function metax(ask: AllocationAsk): Written {
  const parts = ask.containers.map(({ cards }) =>
    cards.map(({ uuid, cores, memoryMiB }) => ({ uuid, compute: cores, vRam: memoryMiB })),
  );
  return [
    ['metax-tech.com/gpu-devices-allocated', JSON.stringify(parts)],
    ['metax-tech.com/predicate-time', nanoseconds(ask)],
  ];
}

/** Of several containers with cards the last is told: the plug-in serves one only. */
function lastCards({ containers }: AllocationAsk): readonly CardPart[] {
  return containers.findLast(({ cards }) => cards.length > 0)?.cards ?? [];
}

function firstCards({ containers }: AllocationAsk): readonly CardPart[] {
  return containers.find(({ cards }) => cards.length > 0)?.cards ?? [];
}

function indexes(cards: readonly CardPart[]): string {
  return cards.map((card) => card.index).join(',');
}

function mooreThreads(ask: AllocationAsk): Written {
  return [
    ['mthreads.com/gpu-index', indexes(lastCards(ask))],
    ['mthreads.com/predicate-node', ask.machine],
    ['mthreads.com/predicate-time', nanoseconds(ask)],
  ];
}

function kunlunxin(ask: AllocationAsk): Written {
  return [['BAIDU_COM_DEVICE_IDX', indexes(lastCards(ask))]];
}

const GCU = 'enflame.com/gcu';

/** Slices of one card, by the profile that has the memory; the node's register tells profiles and numbers. */
function enflame(ask: AllocationAsk): Written {
  const { profiles, slots } = enflameRegister(ask.register ?? '');
  const assigned = ask.containers.flatMap(({ name, cards: [card] }) => {
    if (card === undefined) return [];
    const profile = profiles.find(({ memoryMiB }) => memoryMiB >= card.memoryMiB);
    const { slices = 1, id = '', name: profileName = '' } = profile ?? {};
    return [{ card, slices, told: [name, { allocated: false, request: slices, profileID: id, profileName }] as const }];
  });
  const [first] = assigned;
  if (first === undefined) return [];
  const { index = String(first.card.index), minor = '' } = slots[first.card.index] ?? {};
  return [
    ['assigned-containers', JSON.stringify(Object.fromEntries(assigned.map(({ told }) => told)))],
    [`${GCU}-assigned`, 'false'],
    [`${GCU}-assigned-id`, index],
    [`${GCU}-assigned-index`, index],
    [`${GCU}-assigned-minor`, minor],
    [`${GCU}-assigned-time`, nanoseconds(ask)],
    [`${GCU}-request-size`, String(first.slices)],
  ];
}

/** Whole devices by number. The plug-in's way to hand out single cores is not used: a card is a device. */
function neuron(ask: AllocationAsk): Written {
  return [
    ['AWS_NEURON_IDS', indexes(ask.containers.flatMap((container) => container.cards))],
    ['NEURON_ALLOCATED', 'false'],
    ['NEURON_ALLOC_TIME', nanoseconds(ask)],
    ['aws.amazon.com/predicate-node', ask.machine],
  ];
}
