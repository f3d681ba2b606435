import { expect, test } from 'vitest';
import { InputFault } from '../fault.ts';
import { fieldsOf } from '../fields.ts';
import { cardQuotaOf } from './card-quota.ts';

function limits(hard: Readonly<Record<string, string>>): unknown {
  const metadata = { namespace: 'team-a', name: 'cards' };
  const quota = cardQuotaOf(fieldsOf({ metadata, spec: { hard } }, null));
  expect([quota.id, quota.namespace]).toEqual(['team-a/cards', 'team-a']);
  return quota.limits.map(({ resource, of, max }) => `${resource} ${of} ${max}`);
}

test('H3: memory and compute of cards, in the units of their vendors', () => {
  const hard = {
    'limits.nvidia.com/gpumem': '40k',
    'limits.nvidia.com/gpucores': '150',
    'limits.cambricon.com/mlu.smlu.vmemory': '4',
    'limits.mthreads.com/sgpu-core': '8',
  };
  expect(limits(hard)).toEqual([
    'nvidia.com/gpu memoryMiB 40000',
    'nvidia.com/gpu computeMilli 1500',
    'cambricon.com/vmlu memoryMiB 1024',
    'mthreads.com/vgpu computeMilli 500',
  ]);
});

test('H3: an explicit zero lets nothing be held; what others count is theirs', () => {
  expect(limits({ 'limits.nvidia.com/gpumem': '0' })).toEqual(['nvidia.com/gpu memoryMiB 0']);
  expect(limits({ 'requests.nvidia.com/gpumem': '10', 'limits.cpu': '4', 'limits.nvidia.com/gpu': '1' })).toEqual([]);
});

test('a quota that cannot be read says where', () => {
  expect(() => limits({ 'limits.nvidia.com/gpumem': 'much' })).toThrow(InputFault);
});
