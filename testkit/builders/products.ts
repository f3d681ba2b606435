import type { Card } from '@springtide/core/model';

/** What a cluster tells of a product, whichever machine its cards are in. */
export type Product = Omit<Card, 'id' | 'island' | 'health' | 'sharesMax'>;

export const NVIDIA = 'nvidia.com/gpu';

function nvidia(model: string, memoryMiB: number, slicing: Card['slicing']): Product {
  return { vendor: 'nvidia', resource: NVIDIA, model, memoryMiB, computeMilli: 1000, slicing };
}

function ascend(chip: string, memoryMiB: number): Product {
  const resource = `huawei.com/${chip}`;
  return { vendor: 'ascend', resource, model: chip, memoryMiB, computeMilli: 1000, slicing: 'template' };
}

/** Whole, by memory, oversubscribed, of unknown size, by MIG with seven and with four slices, by templates. */
export const PRODUCTS = {
  t4: nvidia('Tesla-T4', 15_360, 'none'),
  a100: nvidia('NVIDIA-A100-SXM4-80GB', 81_920, 'memory'),
  l40s: nvidia('NVIDIA-L40S', 46_068, 'memory'),
  /** Promised to shared pods beyond their size: memory and compute, and compute alone. */
  a100Shared: {
    ...nvidia('NVIDIA-A100-SXM4-80GB', 81_920, 'memory'),
    shared: { memoryMiB: 122_880, computeMilli: 2000 },
  },
  l40sShared: { ...nvidia('NVIDIA-L40S', 46_068, 'memory'), shared: { memoryMiB: 46_068, computeMilli: 4000 } },
  unknown: nvidia('', 0, 'memory'),
  a100Mig: nvidia('NVIDIA-A100-SXM4-80GB', 81_920, 'mig'),
  /** The driver reports a little less than the 80 GiB its profiles are named after. */
  h100Mig: nvidia('NVIDIA-H100-80GB-HBM3', 81_559, 'mig'),
  a30Mig: nvidia('NVIDIA-A30', 24_576, 'mig'),
  rtxPro6000Mig: nvidia('NVIDIA-RTX-PRO-6000', 97_887, 'mig'),
  ascend310P: ascend('Ascend310P', 21_527),
  ascend910A: ascend('Ascend910A', 32_768),
  ascend910B2: ascend('Ascend910B2', 65_536),
  ascend910B3: ascend('Ascend910B3', 65_536),
  ascend910B4: ascend('Ascend910B4', 32_768),
} as const satisfies Readonly<Record<string, Product>>;
