import { describe, expect, test } from 'vitest';
import {
  cardModel,
  cardResource,
  isInstanceResource,
  isNetworkResource,
  isVendorResource,
  migProfile,
  migTable,
  sliceOwner,
  template,
  templateFor,
  templateTable,
  VENDORS,
} from './index.ts';
import { NVIDIA } from './nvidia.ts';

describe('resources', () => {
  test.each([
    ['nvidia.com/gpu', 'nvidia', 'cards'],
    ['huawei.com/Ascend910', 'ascend', 'cards'],
    ['huawei.com/Ascend910B4-1', 'ascend', 'cards'],
    ['hygon.com/dcu', 'hygon', 'cards'],
    ['hygon.com/dcunum', 'hygon', 'shares'],
    ['cambricon.com/mlu', 'cambricon', 'cards'],
    ['mthreads.com/vgpu', 'moore-threads', 'cards'],
    ['metax-tech.com/gpu', 'metax', 'cards'],
    ['iluvatar.ai/gpu', 'iluvatar', 'cards'],
    ['iluvatar.ai/BI-V150-vgpu', 'iluvatar', 'shares'],
    ['kunlunxin.com/xpu', 'kunlunxin', 'cards'],
    ['enflame.com/gcu', 'enflame', 'cards'],
    ['birentech.com/gpu', 'biren', 'cards'],
    ['amd.com/gpu', 'amd', 'cards'],
    ['vastaitech.com/va', 'vastai', 'cards'],
    ['aws.amazon.com/neuron', 'neuron', 'cards'],
  ])('%s is a card of %s and counts %s', (name, vendor, counts) => {
    const card = cardResource(name);
    expect(card?.vendor.name).toBe(vendor);
    expect(card?.resource.counts).toBe(counts);
  });

  test('every resource name stands for one thing', () => {
    const names = VENDORS.flatMap((vendor) => [...vendor.cards.map((card) => card.name), ...vendor.otherResources]);
    const parts = VENDORS.flatMap((vendor) => vendor.cards).flatMap(({ slices }) =>
      slices === null
        ? []
        : [slices.memory, slices.percentage, slices.compute, slices.priority].filter((part) => part !== ''),
    );
    const all = [...names, ...parts];
    expect(new Set(all).size).toBe(all.length);
  });

  test.each([
    ['nvidia.com/gpumem', 'nvidia.com/gpu'],
    ['nvidia.com/gpumem-percentage', 'nvidia.com/gpu'],
    ['huawei.com/Ascend310P-memory', 'huawei.com/Ascend310P'],
    ['mthreads.com/sgpu-core', 'mthreads.com/vgpu'],
  ])('%s sizes a slice of %s', (part, resource) => {
    expect(cardResource(part)).toBeNull();
    expect(sliceOwner(part)?.resource.name).toBe(resource);
  });

  test.each([
    ['nvidia.com/mig-1g.10gb', true],
    ['huawei.com/Ascend910-2c', true],
    ['huawei.com/Ascend310P-4c.3cpu', true],
    ['huawei.com/Ascend910B4-1', false],
    ['nvidia.com/gpu', false],
  ])('%s is an instance: %s', (name, isInstance) => {
    expect(isInstanceResource(name)).toBe(isInstance);
    expect(isVendorResource(name)).toBe(true);
  });

  test.each([
    ['rdma/hca', true],
    ['mellanox.com/hca_shared_devices_a', true],
    ['intel.com/intel_sriov_netdevice', true],
    ['openshift.io/sriov-mlx', true],
    ['vpc.amazonaws.com/efa', true],
    ['example.com/tpu-like', false],
    ['nvidia.com/gpu', false],
    ['habana.ai/gaudi', false],
  ])('%s belongs to a network: %s', (name, isNetwork) => {
    expect(isNetworkResource(name)).toBe(isNetwork);
  });

  test('a resource nobody knows is no card', () => {
    expect(cardResource('example.com/tpu-like')).toBeNull();
    expect(isVendorResource('example.com/tpu-like')).toBe(false);
  });
});

describe('products', () => {
  test.each([
    ['NVIDIA-A100-SXM4-80GB', 81920],
    ['NVIDIA A100-SXM4-40GB', 40960],
    ['NVIDIA-A100-80GB-PCIe', 81920],
    ['NVIDIA-H100-80GB-HBM3', 81559],
    ['NVIDIA H100 NVL', 95830],
    ['NVIDIA-H200', 143771],
    ['NVIDIA-H20', 97871],
    ['NVIDIA-L20', 46068],
    ['NVIDIA-A10', 23028],
    ['Tesla-T4-SHARED', 15360],
    ['Tesla-V100-SXM2-32GB', 32768],
    ['NVIDIA-GeForce-RTX-4090', 24564],
  ])('%s has %i MiB', (name, memoryMiB) => {
    expect(cardModel(NVIDIA, name)?.memoryMiB).toBe(memoryMiB);
  });

  test('an unknown product has no row', () => {
    expect(cardModel(NVIDIA, 'NVIDIA-X9000')).toBeNull();
    expect(cardModel(NVIDIA, '')).toBeNull();
  });
});

describe('MIG', () => {
  test.each([
    ['NVIDIA-A100-SXM4-40GB', '1g.5gb', [6, 5, 4, 3, 2, 1, 0], 1, 142, 5120],
    ['NVIDIA-A100-SXM4-80GB', '1g.20gb', [6, 4, 2, 0], 2, 142, 20480],
    ['NVIDIA-A100-SXM4-80GB', '3g.40gb', [4, 0], 4, 428, 40960],
    ['NVIDIA-H100-80GB-HBM3', '4g.40gb', [0], 4, 571, 40779],
    ['NVIDIA-H200', '7g.141gb', [0], 8, 1000, 143771],
    ['NVIDIA-A30', '2g.12gb', [2, 0], 2, 500, 12288],
    ['NVIDIA-A100-SXM4-80GB', '1g.10gb.me', [6, 5, 4, 3, 2, 1, 0], 1, 142, 10240],
    ['NVIDIA-A100-SXM4-80GB', '1g.10gb+me', [6, 5, 4, 3, 2, 1, 0], 1, 142, 10240],
  ])('%s %s', (model, profile, starts, size, computeMilli, memoryMiB) => {
    expect(migProfile(model, profile)).toEqual({ starts, size, computeMilli, memoryMiB });
  });

  test.each([
    ['NVIDIA-A100-SXM4-40GB', '1g.20gb'],
    ['NVIDIA-L20', '1g.5gb'],
    ['', '1g.5gb'],
  ])('%s cannot be cut into %s', (model, profile) => {
    expect(migProfile(model, profile)).toBeNull();
  });

  test('every profile stays within its card', () => {
    const rows = VENDORS.flatMap((vendor) => vendor.models).filter((row) => row.mig !== null);
    expect(rows.length).toBeGreaterThan(15);
    for (const { memoryMiB: whole, mig } of rows) {
      for (const { starts, size, memoryMiB } of mig?.profiles.values() ?? []) {
        const slices = mig?.slices ?? 0;
        expect((memoryMiB * slices) / size).toBeLessThanOrEqual(whole);
        expect(Math.max(...starts) + size).toBeLessThanOrEqual(slices);
        expect([...starts].toSorted((left, right) => right - left)).toEqual(starts);
      }
    }
  });

  test('a card that cannot be cut has no table', () => {
    expect(migTable('NVIDIA-L20')).toBeNull();
    expect(migTable('NVIDIA-A30')?.slices).toBe(4);
  });
});

describe('templates', () => {
  test.each([
    ['Ascend910A', 2184, 'vir02'],
    ['Ascend910A', 2185, 'vir04'],
    ['910B2', 9000, 'vir06_1c_16g'],
    ['Ascend910B3', 9000, 'vir05_1c_16g'],
    ['Ascend910B4', 4000, 'vir05_1c_8g'],
    ['Ascend910B4', 8193, 'vir10_3c_16g'],
    ['Ascend910B4-1', 8193, 'vir05_1c_16g'],
    ['310P3', 5000, 'vir02'],
  ])('%s: %i MiB are served by %s', (model, memoryMiB, name) => {
    expect(templateFor(model, memoryMiB)?.name).toBe(name);
  });

  test('what is larger than every template takes a whole card', () => {
    expect(templateFor('Ascend910B4', 20000)).toBeNull();
  });

  test('a template is found by its name on the products that have it', () => {
    expect(template('910B4', 'vir05_1c_8g')).toEqual({ name: 'vir05_1c_8g', memoryMiB: 8192, cores: 5, cpus: 1 });
    expect(template('910B4', 'vir05_1c_16g')).toBeNull();
    expect(templateTable('NVIDIA-A100-SXM4-80GB')).toBeNull();
  });
});
