import { model, slicedBy, type Vendor, wholeCards } from './vendor.ts';

/** A whole card is 16 cores, and memory is counted in half GiB; only these sizes are served. */
export const MOORE_THREADS: Vendor = {
  name: 'moore-threads',
  cards: [
    wholeCards(
      'mthreads.com/vgpu',
      slicedBy({
        memory: 'mthreads.com/sgpu-memory',
        memoryUnitMiB: 512,
        compute: 'mthreads.com/sgpu-core',
        computeUnits: 16,
        isOneCard: true,
        sizesMiB: [1024, 2048, 4096, 8192, 16384, 32768, 49152],
      }),
    ),
  ],
  otherResources: [],
  instances: null,
  modelLabels: ['mthreads.com/gpu.product'],
  memoryLabel: '',
  models: [model(['S4000'], 49152)],
};
