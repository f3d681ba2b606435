import { expect, test } from 'vitest';
import { shortModels, type NamedModel } from './short-model.ts';

function named(model: string, resource = 'nvidia.com/gpu', vendor = 'nvidia'): NamedModel {
  return { model, resource, vendor };
}

test.each([
  [named('NVIDIA-A100-SXM4-80GB'), 'A100'],
  [named('NVIDIA-H100-80GB-HBM3'), 'H100'],
  [named('Tesla-T4'), 'T4'],
  [named('Tesla-T4-SHARED'), 'T4'],
  [named('NVIDIA-GeForce-RTX-4090'), '4090'],
  [named('AMD_Instinct_MI300X_OAM', 'amd.com/gpu', 'amd'), 'MI300X'],
  [named('910B3', 'huawei.com/Ascend910', 'ascend'), '910B3'],
  [named('K100_AI', 'hygon.com/dcu', 'hygon'), 'K100'],
  [named('MLU370-X8', 'cambricon.com/mlu', 'cambricon'), 'MLU370'],
  [named('MTT-S4000', 'mthreads.com/vgpu', 'moore-threads'), 'S4000'],
  [named('C500', 'metax-tech.com/gpu', 'metax'), 'C500'],
  [named('', 'huawei.com/Ascend310P', 'ascend'), 'Ascend310P'],
  [named('', 'birentech.com/gpu', 'biren'), 'biren'],
])('%o is called %s', (model, want) => {
  expect(shortModels([model])(model)).toBe(want);
});

test('products that would share a short name keep their full names', () => {
  const [large, small] = [named('NVIDIA-A100-SXM4-80GB'), named('NVIDIA-A100-SXM4-40GB')];
  const short = shortModels([large, small, named('NVIDIA-L20')]);
  expect([large, small, named('NVIDIA-L20')].map(short)).toEqual([large.model, small.model, 'L20']);
});
