import type { CardChoice, Slicing } from '@springtide/core/model';
import { hamiKeys } from './keys.ts';
import { goBoolean } from './register.ts';

/** Annotations by which a pod says which cards of a kind it wants. Empty: the kind's plug-in knows none. */
interface ChoiceKeys {
  readonly useIds: string;
  readonly noIds: string;
  readonly useTypes: string;
  readonly noTypes: string;
}

function byIds(useIds: string, noIds: string): ChoiceKeys {
  return { useIds, noIds, useTypes: '', noTypes: '' };
}

function byUuid(domain: string): ChoiceKeys {
  return byIds(`${domain}/use-gpuuuid`, `${domain}/nouse-gpuuuid`);
}

function byType(keys: ChoiceKeys, useTypes: string, noTypes: string): ChoiceKeys {
  return { ...keys, useTypes, noTypes };
}

const NVIDIA = byType(byUuid('nvidia.com'), 'nvidia.com/use-gputype', 'nvidia.com/nouse-gputype');

/** By HAMi's word for the kind. Chips of Huawei, Iluvatar and Kunlunxin have keys with the word in them. */
const KEYS: Readonly<Record<string, ChoiceKeys>> = {
  NVIDIA,
  AMD: byType(byIds('amd.com/use-gpu-uuid', 'amd.com/nouse-gpu-uuid'), 'amd.com/use-gputype', 'amd.com/nouse-gputype'),
  AWSNeuron: byIds('aws.amazon.com/use-neuron-uuid', 'aws.amazon.com/nouse-neuron-uuid'),
  Biren: byType(byUuid('birentech.com'), 'birentech.com/use-biren', 'birentech.com/nouse-biren'),
  DCU: byType(byUuid('hygon.com'), 'hygon.com/use-dcutype', 'hygon.com/nouse-dcutype'),
  Enflame: byUuid('enflame.com'),
  GCU: byUuid('enflame.com'),
  MLU: byType(byUuid('cambricon.com'), 'cambricon.com/use-mlutype', 'cambricon.com/nouse-mlutype'),
  'Metax-SGPU': byUuid('metax-tech.com'),
  'Metax-GPU': byUuid('metax-tech.com'),
  Mthreads: byUuid('mthreads.ai'),
  Vastai: byType(byUuid('vastaitech.com'), 'vastaitech.com/use-va', 'vastaitech.com/nouse-va'),
  XPU: byIds('hami.io/use-xpu-uuid', 'hami.io/no-use-xpu-uuid'),
  kunlun: byUuid('baidu.com'),
};

function keysOf(resource: string): ChoiceKeys | null {
  const word = hamiKeys(resource)?.word;
  if (word === undefined) return null;
  return KEYS[word] ?? byIds(`hami.io/use-${word}-uuid`, `hami.io/no-use-${word}-uuid`);
}

const MODE = 'nvidia.com/vgpu-mode';
const NUMA_BIND = 'nvidia.com/numa-bind';
/** Set on a pod: its part of an Ascend card is cut by software, on nodes that do so. */
const ASCEND_SOFT_SPLIT = ['huawei.com/vnpu-mode', 'hami-core'] as const;
const CARD_POLICY = 'hami.io/gpu-scheduler-policy';

const SLICING_OF_MODE: readonly (readonly [mode: string, slicing: Slicing])[] = [
  ['hami-core', 'memory'],
  ['mps', 'memory'],
  ['mig', 'mig'],
];

type Annotations = ReadonlyMap<string, string>;

/**
 * The cards of a kind that a pod's annotations choose; null: any. Of HAMi's policies only `mutex` limits the choice;
 * where a pod goes among what is left is the scheduler's own affair.
 */
export function cardChoice(resource: string, annotations: Annotations): CardChoice | null {
  const keys = annotations.size === 0 ? null : keysOf(resource);
  if (keys === null) return null;
  const choice: CardChoice = {
    ...wordsAt(annotations, keys.useIds, 'ids'),
    ...wordsAt(annotations, keys.noIds, 'idsDenied'),
    ...wordsAt(annotations, keys.useTypes, 'words'),
    ...wordsAt(annotations, keys.noTypes, 'wordsDenied'),
    ...(keys === NVIDIA ? nvidiaChoice(annotations) : {}),
    ...(isSoftSplit(resource, annotations) ? { slicings: ['memory'] } : {}),
    ...(wordsOf(annotations.get(CARD_POLICY) ?? '').includes('mutex') ? { isAlone: true } : {}),
  };
  return Object.keys(choice).length === 0 ? null : choice;
}

export function isSoftSplit(resource: string, annotations: Annotations): boolean {
  return resource.startsWith('huawei.com/') && annotations.get(ASCEND_SOFT_SPLIT[0]) === ASCEND_SOFT_SPLIT[1];
}

/** How the cards share, and whether several hang on one NUMA node. */
function nvidiaChoice(annotations: Annotations): CardChoice {
  const mode = annotations.get(MODE) ?? '';
  const named = SLICING_OF_MODE.filter(([word]) => mode.includes(word)).map(([, slicing]) => slicing);
  return {
    ...(mode === '' ? {} : { slicings: [...new Set(named)] }),
    ...(goBoolean(annotations.get(NUMA_BIND) ?? '') === true ? { isOneNuma: true } : {}),
  };
}

function wordsAt(annotations: Annotations, key: string, as: keyof CardChoice): CardChoice {
  const text = key === '' ? '' : (annotations.get(key) ?? '');
  return text.trim() === '' ? {} : { [as]: wordsOf(text) };
}

function wordsOf(text: string): string[] {
  return text.split(',').map((word) => word.trim());
}
