/** The annotations of HAMi and of the plug-ins it speaks to, one row a device kind. */

export interface HamiKeys {
  /** The resource that a pod names; slices and cards of the row belong to it. */
  readonly resource: string;
  /** On the node: the cards; empty: the kind has none and cards come from capacity. */
  readonly register: string;
  readonly form: 'devices' | 'metax' | 'enflame';
  /** On the pod: what it holds. */
  readonly allocated: string;
  /** On the pod, between filter and plug-in; empty: the kind does without. */
  readonly toAllocate: string;
}

function row(resource: string, register: string, pods: string, form: HamiKeys['form'] = 'devices'): HamiKeys {
  const allocated = `hami.io/${pods}-devices-allocated`;
  return { resource, register, form, allocated, toAllocate: `hami.io/${pods}-devices-to-allocate` };
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

export const HAMI_KEYS: readonly HamiKeys[] = [
  row('nvidia.com/gpu', 'hami.io/node-nvidia-register', 'vgpu'),
  ...ASCEND_CHIPS.map((chip) => row(`huawei.com/${chip}`, `hami.io/node-register-${chip}`, chip)),
  row('hygon.com/dcunum', 'hami.io/node-dcu-register', 'dcu'),
  row('cambricon.com/vmlu', 'hami.io/node-mlu-register', 'cambricon-mlu'),
  ...ILUVATAR_CHIPS.map((chip) => row(`iluvatar.ai/${chip}-vgpu`, `hami.io/node-${chip}-register`, chip)),
  row('metax-tech.com/sgpu', 'metax-tech.com/node-gpu-devices', 'metax-sgpu', 'metax'),
  row('metax-tech.com/gpu', '', 'metax-gpu'),
  row('mthreads.com/vgpu', '', 'mthreads-vgpu'),
  row('kunlunxin.com/vxpu', 'hami.io/node-register-xpu', 'xpu'),
  { ...row('kunlunxin.com/xpu', '', ''), allocated: 'hami.io/kunlun-allocated', toAllocate: '' },
  row('enflame.com/drs-gcu', 'enflame.com/gcu-drs-capacity', 'enflame-vgpu', 'enflame'),
  row('enflame.com/gcu', '', 'enflame-gcu'),
  row('amd.com/gpu', 'hami.io/node-amd-register', 'amd'),
  row('birentech.com/gpu', 'hami.io/node-biren-register', 'Biren'),
  row('vastaitech.com/va', 'hami.io/node-va-register', 'Vastai'),
  row('aws.amazon.com/neuron', '', 'aws-neuron'),
];

export const HAMI_DEVICE_CORDON = 'hami.io/device-cordon';
export const HAMI_MIG_ALLOCATIONS = 'hami.io/vgpu-mig-allocations';

/** Node annotations worth keeping. */
export const HAMI_NODE_KEYS: ReadonlySet<string> = new Set([
  HAMI_DEVICE_CORDON,
  ...HAMI_KEYS.map((keys) => keys.register).filter((key) => key !== ''),
]);

/** Pod annotations worth keeping. */
export const HAMI_POD_KEYS: ReadonlySet<string> = new Set([
  HAMI_MIG_ALLOCATIONS,
  ...HAMI_KEYS.flatMap((keys) => [keys.allocated, keys.toAllocate]).filter((key) => key !== ''),
]);
