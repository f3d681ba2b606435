import { type CardResource, model, shares, slicedBy, type Vendor, wholeCards } from './vendor.ts';

/** HAMi names a count, memory in units of 256 MiB and percent of compute for each chip. */
function chip(name: string): CardResource {
  const slices = slicedBy({
    memory: `iluvatar.ai/${name}.vMem`,
    memoryUnitMiB: 256,
    compute: `iluvatar.ai/${name}.vCore`,
  });
  return shares(`iluvatar.ai/${name}-vgpu`, slices, name);
}

export const ILUVATAR: Vendor = {
  name: 'iluvatar',
  cards: [wholeCards('iluvatar.ai/gpu'), chip('MR-V100'), chip('MR-V50'), chip('BI-V150'), chip('BI-V100')],
  otherResources: [],
  instances: null,
  modelLabels: [],
  memoryLabel: '',
  models: [
    model(['MR', 'V100'], 32768, { islandSize: 1 }),
    model(['MR', 'V50'], 16384, { islandSize: 1 }),
    model(['BI', 'V150'], 32768),
    model(['BI', 'V100'], 32768),
  ],
};
