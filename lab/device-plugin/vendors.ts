/** How a plug-in learns which cards it gives. */
export type Protocol =
  /** HAMi's own: the lock or the annotations tell the pod, `-devices-to-allocate` the cards, `bind-phase` the end. */
  | 'hami'
  /** Cambricon's: the pod that is not yet assigned; a lock of its own. */
  | 'cambricon'
  /** Moore Threads': an index on the pod that the kubelet starts; no lock. */
  | 'index';

/** A vendor's plug-in, as it shows itself on a node. */
export interface PluginVendor {
  readonly name: string;
  /** HAMi's word for the kind. */
  readonly word: string;
  /** By which a pod asks for cards. */
  readonly resource: string;
  readonly protocol: Protocol;
  /** The annotation with the cards still to give. */
  readonly toAllocate: string;
  /** The node's lock that it takes away. */
  readonly lock: string;
  readonly cardMiB: number;
  readonly coresPerCard: number;
  readonly slotsPerCard: number;
  /** The node's annotation that names the cards; empty: capacity tells them. */
  readonly registerKey: string;
  readonly register: (node: string, cards: number) => string;
  /** What the kubelet counts. */
  readonly capacity: (cards: number) => Readonly<Record<string, string>>;
  /** What a container asks for that wants so much of a card. */
  readonly ask: (memoryMiB: number, cores: number) => Readonly<Record<string, string>>;
}

type Json = Readonly<Record<string, unknown>>;

function registerOf(cards: number, card: (index: number) => Json): string {
  return JSON.stringify(Array.from({ length: cards }, (_, index) => card(index)));
}

const HAMI_LOCK = 'hami.io/mutex.lock';

const nvidia: PluginVendor = {
  name: 'nvidia',
  word: 'NVIDIA',
  resource: 'nvidia.com/gpu',
  protocol: 'hami',
  toAllocate: 'hami.io/vgpu-devices-to-allocate',
  lock: HAMI_LOCK,
  cardMiB: 46_068,
  coresPerCard: 100,
  slotsPerCard: 10,
  registerKey: 'hami.io/node-nvidia-register',
  register: (node, cards) =>
    registerOf(cards, (index) => ({
      id: `GPU-${node}-${index}`,
      ...(index === 0 ? {} : { index }),
      count: 10,
      devmem: 46_068,
      devcore: 100,
      type: 'NVIDIA-NVIDIA L20',
      mode: 'hami-core',
      health: true,
    })),
  capacity: (cards) => ({ 'nvidia.com/gpu': String(cards * 10) }),
  ask: (memoryMiB, cores) => ({
    'nvidia.com/gpu': '1',
    'nvidia.com/gpumem': String(memoryMiB),
    'nvidia.com/gpucores': String(cores),
  }),
};

const ascend: PluginVendor = {
  name: 'ascend',
  word: 'Ascend910B4',
  resource: 'huawei.com/Ascend910B4',
  protocol: 'hami',
  toAllocate: 'hami.io/Ascend910B4-devices-to-allocate',
  lock: HAMI_LOCK,
  cardMiB: 32_768,
  coresPerCard: 20,
  slotsPerCard: 4,
  registerKey: 'hami.io/node-register-Ascend910B4',
  register: (node, cards) =>
    registerOf(cards, (index) => ({
      id: `NPU-${node}-${index}`,
      index,
      count: 4,
      devmem: 32_768,
      devcore: 20,
      type: 'Ascend910B4',
      health: true,
    })),
  capacity: (cards) => ({ 'huawei.com/Ascend910B4': String(cards * 4) }),
  ask: (memoryMiB) => ({ 'huawei.com/Ascend910B4': '1', 'huawei.com/Ascend910B4-memory': String(memoryMiB) }),
};

const hygon: PluginVendor = {
  name: 'hygon',
  word: 'DCU',
  resource: 'hygon.com/dcunum',
  protocol: 'hami',
  toAllocate: 'hami.io/dcu-devices-to-allocate',
  lock: HAMI_LOCK,
  cardMiB: 65_520,
  coresPerCard: 100,
  slotsPerCard: 4,
  registerKey: 'hami.io/node-dcu-register',
  register: (node, cards) =>
    Array.from({ length: cards }, (_, index) => `DCU-${node}-${index},4,65520,100,DCU-K100_AI,0,true:`).join(''),
  capacity: (cards) => ({ 'hygon.com/dcunum': String(cards * 4) }),
  ask: (memoryMiB, cores) => ({
    'hygon.com/dcunum': '1',
    'hygon.com/dcumem': String(memoryMiB),
    'hygon.com/dcucores': String(cores),
  }),
};

const MLU_UNIT_MIB = 256;

const cambricon: PluginVendor = {
  name: 'cambricon',
  word: 'MLU',
  resource: 'cambricon.com/vmlu',
  protocol: 'cambricon',
  toAllocate: 'hami.io/cambricon-mlu-devices-to-allocate',
  lock: 'cambricon.com/dsmlu.lock',
  cardMiB: 49_152,
  coresPerCard: 100,
  slotsPerCard: 100,
  registerKey: '',
  register: () => '',
  capacity: (cards) => ({
    'cambricon.com/vmlu': String(cards * 100),
    'cambricon.com/mlu.smlu.vcore': String(cards * 100),
    'cambricon.com/mlu.smlu.vmemory': String((cards * 49_152) / MLU_UNIT_MIB),
  }),
  ask: (memoryMiB, cores) => ({
    'cambricon.com/vmlu': '1',
    'cambricon.com/mlu.smlu.vcore': String(cores),
    'cambricon.com/mlu.smlu.vmemory': String(Math.ceil(memoryMiB / MLU_UNIT_MIB)),
  }),
};

const MTHREADS_UNIT_MIB = 512;

const mooreThreads: PluginVendor = {
  name: 'moore-threads',
  word: 'Mthreads',
  resource: 'mthreads.com/vgpu',
  protocol: 'index',
  toAllocate: '',
  lock: '',
  cardMiB: 49_152,
  coresPerCard: 16,
  slotsPerCard: 100,
  registerKey: '',
  register: () => '',
  capacity: (cards) => ({
    'mthreads.com/vgpu': String(cards * 100),
    'mthreads.com/sgpu-core': String(cards * 16),
    'mthreads.com/sgpu-memory': String((cards * 49_152) / MTHREADS_UNIT_MIB),
  }),
  ask: (memoryMiB, cores) => ({
    'mthreads.com/vgpu': '1',
    'mthreads.com/sgpu-core': String(Math.ceil((cores * 16) / 100)),
    'mthreads.com/sgpu-memory': String(Math.ceil(memoryMiB / MTHREADS_UNIT_MIB)),
  }),
};

export const PLUGIN_VENDORS: readonly PluginVendor[] = [nvidia, ascend, hygon, cambricon, mooreThreads];

/** Throws where there is no plug-in of that name. */
export function pluginVendor(name: string): PluginVendor {
  const found = PLUGIN_VENDORS.find((vendor) => vendor.name === name);
  if (found === undefined) throw new Error(`there is no plug-in of ${name}`);
  return found;
}
