/** The annotations of HAMi and of the plug-ins it speaks to, one row a device kind. */

export interface HamiKeys {
  /** The resource that a pod names; slices and cards of the row belong to it. */
  readonly resource: string;
  /** HAMi's own word for the kind: the type field of everything that is written on a pod. */
  readonly word: string;
  /** On the node: the cards; empty: the kind has none and cards come from capacity. */
  readonly register: string;
  readonly form: 'devices' | 'metax' | 'enflame';
  /** On the pod: what it holds. */
  readonly allocated: string;
  /** On the pod, between filter and plug-in; empty: the kind does without. */
  readonly toAllocate: string;
  /** The node's annotation that keeps others off while a plug-in hands out the cards of a pod; empty: none does. */
  readonly lock: string;
}

/** Whose cards of a node are being handed out; the second is a time alone. */
export const HAMI_NODE_LOCK = 'hami.io/mutex.lock';
export const CAMBRICON_NODE_LOCK = 'cambricon.com/dsmlu.lock';

type Names = Pick<HamiKeys, 'resource' | 'word'>;

/** A kind as most are: it registers its cards, is told of a pod before it hands out, and is locked meanwhile. */
function row(names: Names, register: string, pods: string, more: Partial<HamiKeys> = {}): HamiKeys {
  const allocated = `hami.io/${pods}-devices-allocated`;
  const toAllocate = `hami.io/${pods}-devices-to-allocate`;
  return { ...names, register, form: 'devices', allocated, toAllocate, lock: HAMI_NODE_LOCK, ...more };
}

function named(resource: string, word: string): Names {
  return { resource, word };
}

const ASCEND_CHIPS = [
  'Ascend310P',
  'Ascend910A',
  'Ascend910B',
  'Ascend910B2',
  'Ascend910B3',
  'Ascend910B4',
  'Ascend910B4-1',
  'Ascend910C',
];
const ILUVATAR_CHIPS = ['MR-V100', 'MR-V50', 'BI-V150', 'BI-V100'];

/** The plug-in reads what the pod holds; nothing tells it beforehand, and nothing is locked. */
const TOLD_ONCE = { toAllocate: '', lock: '' } as const;
const UNLOCKED = { lock: '' } as const;

export const HAMI_KEYS: readonly HamiKeys[] = [
  row(named('nvidia.com/gpu', 'NVIDIA'), 'hami.io/node-nvidia-register', 'vgpu'),
  ...ASCEND_CHIPS.map((chip) => row(named(`huawei.com/${chip}`, chip), `hami.io/node-register-${chip}`, chip)),
  row(named('hygon.com/dcunum', 'DCU'), 'hami.io/node-dcu-register', 'dcu'),
  row(named('cambricon.com/vmlu', 'MLU'), 'hami.io/node-mlu-register', 'cambricon-mlu', { lock: CAMBRICON_NODE_LOCK }),
  ...ILUVATAR_CHIPS.map((chip) => row(named(`iluvatar.ai/${chip}-vgpu`, chip), `hami.io/node-${chip}-register`, chip)),
  row(named('metax-tech.com/sgpu', 'Metax-SGPU'), 'metax-tech.com/node-gpu-devices', 'metax-sgpu', { form: 'metax' }),
  row(named('metax-tech.com/gpu', 'Metax-GPU'), '', 'metax-gpu', UNLOCKED),
  row(named('mthreads.com/vgpu', 'Mthreads'), '', 'mthreads-vgpu', TOLD_ONCE),
  row(named('kunlunxin.com/vxpu', 'XPU'), 'hami.io/node-register-xpu', 'xpu'),
  row(named('kunlunxin.com/xpu', 'kunlun'), '', '', { ...TOLD_ONCE, allocated: 'hami.io/kunlun-allocated' }),
  row(named('enflame.com/drs-gcu', 'Enflame'), 'enflame.com/gcu-drs-capacity', 'enflame-vgpu', {
    ...TOLD_ONCE,
    form: 'enflame',
  }),
  row(named('enflame.com/gcu', 'GCU'), '', 'enflame-gcu', UNLOCKED),
  row(named('amd.com/gpu', 'AMD'), 'hami.io/node-amd-register', 'amd'),
  row(named('birentech.com/gpu', 'Biren'), 'hami.io/node-biren-register', 'Biren'),
  row(named('vastaitech.com/va', 'Vastai'), 'hami.io/node-va-register', 'Vastai'),
  row(named('aws.amazon.com/neuron', 'AWSNeuron'), '', 'aws-neuron', TOLD_ONCE),
];

export const HAMI_DEVICE_CORDON = 'hami.io/device-cordon';
/** On the node, `true`: its Ascend cards are cut by software, by MiB and percent. */
export const ASCEND_SOFT_NODE = 'hami-vnpu-core';
export const HAMI_MIG_ALLOCATIONS = 'hami.io/vgpu-mig-allocations';

/** On the pod, and as a label of the same name: the node whose cards it was given. */
export const HAMI_NODE = 'hami.io/vgpu-node';
/** On the pod: when that was, in seconds. */
export const HAMI_TIME = 'hami.io/vgpu-time';
/** On the pod: how far the plug-in is, and since when, in seconds. */
export const HAMI_BIND_PHASE = 'hami.io/bind-phase';
export const HAMI_BIND_TIME = 'hami.io/bind-time';

/** The keys of a card resource; null where HAMi does not know it. */
export function hamiKeys(resource: string): HamiKeys | null {
  return HAMI_KEYS.find((keys) => keys.resource === resource) ?? null;
}

/** Node annotations worth keeping. */
export const HAMI_NODE_KEYS: ReadonlySet<string> = new Set([
  HAMI_DEVICE_CORDON,
  ASCEND_SOFT_NODE,
  ...HAMI_KEYS.map((keys) => keys.register).filter((key) => key !== ''),
]);

/** Pod annotations worth keeping. */
export const HAMI_POD_KEYS: ReadonlySet<string> = new Set([
  HAMI_MIG_ALLOCATIONS,
  ...HAMI_KEYS.flatMap((keys) => [keys.allocated, keys.toAllocate]).filter((key) => key !== ''),
]);
