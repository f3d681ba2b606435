import type { CardRequest } from '@springtide/core/model';
import { kubePod } from '@springtide/testkit/kubectl';
import { describe, expect, test } from 'vitest';
import { fieldsOf } from './fields.ts';
import { podOf } from './pod.ts';

type Quantities = Readonly<Record<string, string>>;

function cardsOf(
  requests: Quantities,
  annotations: Quantities = {},
): { cards: CardRequest; others: string[]; bad: string[] } {
  const bad: string[] = [];
  const { request } = podOf(fieldsOf(kubePod('a/b', null, { requests }), null), {
    name: 'b',
    namespace: 'a',
    labels: new Map(),
    annotations: new Map(Object.entries(annotations)),
    service: '',
    tenant: 'a',
    isBound: false,
    complain: (key) => bad.push(key),
  });
  return { cards: request.cards, others: [...request.resources.keys()], bad };
}

function slice(
  resource: string,
  count: number,
  memory: CardRequest & { kind: 'slice' } extends { memory: infer M } ? M : never,
  computeMilli: number,
): CardRequest {
  return { kind: 'slice', resource, count, models: null, memory, computeMilli };
}

function whole(resource: string, count: number): CardRequest {
  return { kind: 'whole', resource, count, models: null };
}

const GPU = 'nvidia.com/gpu';

describe('cards that a pod asks for', () => {
  test.each<[string, Quantities, CardRequest]>([
    ['none', { cpu: '1' }, { kind: 'none' }],
    ['none where the count is zero', { [GPU]: '0' }, { kind: 'none' }],
    ['none where the count is zero, whatever the size', { [GPU]: '0', 'nvidia.com/gpumem': '3k' }, { kind: 'none' }],
    ['whole cards', { [GPU]: '8' }, whole(GPU, 8)],
    ['whole Ascend cards', { 'huawei.com/Ascend910': '4' }, whole('huawei.com/Ascend910', 4)],
    ['MiB', { [GPU]: '1', 'nvidia.com/gpumem': '3k' }, slice(GPU, 1, { unit: 'mib', amount: 3000 }, 0)],
    [
      'MiB and cores of two cards',
      { [GPU]: '2', 'nvidia.com/gpumem': '3000', 'nvidia.com/gpucores': '30' },
      slice(GPU, 2, { unit: 'mib', amount: 3000 }, 300),
    ],
    ['MiB alone: of one card', { 'nvidia.com/gpumem': '3000' }, slice(GPU, 1, { unit: 'mib', amount: 3000 }, 0)],
    [
      'MiB before percent',
      { [GPU]: '1', 'nvidia.com/gpumem': '3000', 'nvidia.com/gpumem-percentage': '50' },
      slice(GPU, 1, { unit: 'mib', amount: 3000 }, 0),
    ],
    ['percent', { [GPU]: '2', 'nvidia.com/gpumem-percentage': '50' }, slice(GPU, 2, { unit: 'milli', amount: 500 }, 0)],
    [
      'percent where MiB are zero',
      { [GPU]: '1', 'nvidia.com/gpumem': '0', 'nvidia.com/gpumem-percentage': '50' },
      slice(GPU, 1, { unit: 'milli', amount: 500 }, 0),
    ],
    [
      'cores alone, with all memory',
      { [GPU]: '1', 'nvidia.com/gpucores': '30' },
      slice(GPU, 1, { unit: 'milli', amount: 1000 }, 300),
    ],
    ['all cores: a whole card', { [GPU]: '1', 'nvidia.com/gpucores': '100' }, whole(GPU, 1)],
    ['all memory: a whole card', { [GPU]: '1', 'nvidia.com/gpumem-percentage': '100' }, whole(GPU, 1)],
    [
      'a part with a priority that yields: shared (P3)',
      { [GPU]: '1', 'nvidia.com/gpumem': '4096', 'nvidia.com/priority': '1' },
      {
        kind: 'shared',
        resource: GPU,
        count: 1,
        models: null,
        memory: { unit: 'mib', amount: 4096 },
        computeMilli: 0,
        priority: 1,
      },
    ],
    [
      'a part with a priority that does not: a slice',
      { [GPU]: '1', 'nvidia.com/gpumem': '4096', 'nvidia.com/priority': '0' },
      slice(GPU, 1, { unit: 'mib', amount: 4096 }, 0),
    ],
    ['a priority does not cut', { [GPU]: '1', 'nvidia.com/priority': '1' }, whole(GPU, 1)],
    [
      'DCU memory takes all compute',
      { 'hygon.com/dcunum': '1', 'hygon.com/dcumem': '2000' },
      slice('hygon.com/dcunum', 1, { unit: 'mib', amount: 2000 }, 1000),
    ],
    [
      'MLU memory in units of 256 MiB',
      { 'cambricon.com/vmlu': '1', 'cambricon.com/mlu.smlu.vmemory': '20', 'cambricon.com/mlu.smlu.vcore': '10' },
      slice('cambricon.com/vmlu', 1, { unit: 'mib', amount: 5120 }, 100),
    ],
    [
      'Moore Threads in half GiB and sixteenths',
      { 'mthreads.com/vgpu': '1', 'mthreads.com/sgpu-memory': '32', 'mthreads.com/sgpu-core': '8' },
      slice('mthreads.com/vgpu', 1, { unit: 'mib', amount: 16384 }, 500),
    ],
    [
      'several Moore Threads cards are whole',
      { 'mthreads.com/vgpu': '2', 'mthreads.com/sgpu-memory': '32' },
      whole('mthreads.com/vgpu', 2),
    ],
    [
      'Kunlun memory rounded up to a quarter',
      { 'kunlunxin.com/vxpu': '1', 'kunlunxin.com/vxpu-memory': '10k' },
      slice('kunlunxin.com/vxpu', 1, { unit: 'mib', amount: 24576 }, 0),
    ],
    [
      'an Ascend template',
      { 'huawei.com/Ascend910B4': '1', 'huawei.com/Ascend910B4-memory': '8193' },
      { kind: 'template', resource: 'huawei.com/Ascend910B4', count: 1, models: null, template: 'vir10_3c_16g' },
    ],
    ['a module of two Ascend chips', { 'huawei.com/Ascend910C': '1' }, whole('huawei.com/Ascend910C', 2)],
    [
      'all that is on the board: a whole card',
      { 'huawei.com/Ascend310P': '1', 'huawei.com/Ascend310P-memory': '24576' },
      whole('huawei.com/Ascend310P', 1),
    ],
    [
      'three slices of an Enflame card',
      { 'enflame.com/drs-gcu': '3' },
      slice('enflame.com/drs-gcu', 1, { unit: 'mib', amount: 21504 }, 0),
    ],
    [
      'half of the compute of an Enflame card',
      { 'enflame.com/gcu-core': '50' },
      slice('enflame.com/drs-gcu', 1, { unit: 'mib', amount: 21504 }, 0),
    ],
    [
      'more than the largest template: a whole card',
      { 'huawei.com/Ascend910B4': '1', 'huawei.com/Ascend910B4-memory': '20000' },
      whole('huawei.com/Ascend910B4', 1),
    ],
    [
      'more than an Ascend card: what no card has',
      { 'huawei.com/Ascend910B4': '1', 'huawei.com/Ascend910B4-memory': '40000' },
      slice('huawei.com/Ascend910B4', 1, { unit: 'mib', amount: 40000 }, 0),
    ],
  ])('%s', (_, requests, want) => {
    expect(cardsOf(requests)).toEqual({ cards: want, others: [], bad: [] });
  });

  test('a soft split of an Ascend card is no template, and wants a card that is cut so', () => {
    const requests = {
      'huawei.com/Ascend910B3': '1',
      'huawei.com/Ascend910B3-memory': '10k',
      'huawei.com/Ascend910B3-core': '25',
    };
    const want = slice('huawei.com/Ascend910B3', 1, { unit: 'mib', amount: 10000 }, 250);
    const { cards } = cardsOf(requests, { 'huawei.com/vnpu-mode': 'hami-core' });
    expect(cards).toEqual({ ...want, choice: { slicings: ['memory'] } });
  });

  test.each<[Quantities, CardRequest['kind'], object]>([
    [{ 'nvidia.com/use-gpuuuid': 'GPU-a, GPU-b' }, 'whole', { ids: ['GPU-a', 'GPU-b'] }],
    [{ 'nvidia.com/nouse-gpuuuid': 'GPU-a' }, 'whole', { idsDenied: ['GPU-a'] }],
    [{ 'nvidia.com/use-gputype': 'A100,H100' }, 'whole', { words: ['A100', 'H100'] }],
    [{ 'nvidia.com/nouse-gputype': 'T4' }, 'whole', { wordsDenied: ['T4'] }],
    [{ 'nvidia.com/vgpu-mode': 'mig' }, 'whole', { slicings: ['mig'] }],
    [{ 'nvidia.com/vgpu-mode': 'mig|hami-core' }, 'whole', { slicings: ['memory', 'mig'] }],
    [{ 'nvidia.com/numa-bind': 'true' }, 'whole', { isOneNuma: true }],
    [{ 'hami.io/gpu-scheduler-policy': 'binpack, mutex' }, 'whole', { isAlone: true }],
  ])('cards chosen by %j', (annotations, kind, choice) => {
    expect(cardsOf({ [GPU]: '1' }, annotations).cards).toMatchObject({ kind, choice });
  });

  test.each<Quantities>([
    { 'nvidia.com/use-gpuuuid': ' ' },
    { 'nvidia.com/numa-bind': 'yes' },
    { 'hami.io/gpu-scheduler-policy': 'spread' },
    { 'hami.io/node-scheduler-policy': 'binpack' },
    { 'hami.io/device-scoring-weights': 'slot=1' },
    { 'amd.com/use-gputype': 'MI300X' },
  ])('nothing is chosen by %j', (annotations) => {
    expect(cardsOf({ [GPU]: '1' }, annotations).cards).toEqual(whole(GPU, 1));
  });

  test('MIG instances and network devices stay ordinary resources', () => {
    const { cards, others } = cardsOf({ 'nvidia.com/mig-1g.10gb': '2', 'rdma/hca': '1' });
    expect(cards).toEqual({ kind: 'none' });
    expect(others).toEqual(['nvidia.com/mig-1g.10gb', 'rdma/hca']);
  });

  test('a second kind of card stays a resource, which no machine has', () => {
    const { cards, others } = cardsOf({ 'amd.com/gpu': '1', [GPU]: '2' });
    expect(cards).toEqual(whole(GPU, 2));
    expect(others).toEqual(['amd.com/gpu']);
  });
});

function fraction(count: number, memory: Parameters<typeof slice>[2], computeMilli: number): CardRequest {
  return { ...slice(GPU, count, memory, computeMilli), isFraction: true } as CardRequest;
}

describe('fractions by annotation', () => {
  test.each<[Quantities, CardRequest]>([
    [{ 'gpu-fraction': '0.5' }, fraction(1, { unit: 'milli', amount: 500 }, 500)],
    [{ 'gpu-fraction': '.25' }, fraction(1, { unit: 'milli', amount: 250 }, 250)],
    [{ 'gpu-fraction': '0.7', 'gpu-fraction-num-devices': '2' }, fraction(2, { unit: 'milli', amount: 700 }, 700)],
    [{ 'gpu-fraction': '1' }, whole(GPU, 1)],
    [{ 'gpu-memory': '20480' }, fraction(1, { unit: 'mib', amount: 20480 }, 0)],
  ])('%j', (annotations, want) => {
    expect(cardsOf({ cpu: '1' }, annotations)).toEqual({ cards: want, others: [], bad: [] });
  });

  test('a pod that names whole cards gets those', () => {
    expect(cardsOf({ [GPU]: '2' }, { 'gpu-fraction': '0.5' }).cards).toEqual(whole(GPU, 2));
  });

  test.each([
    ['gpu-fraction', '0'],
    ['gpu-fraction', '1.5'],
    ['gpu-fraction', 'half'],
    ['gpu-memory', '-1'],
    ['gpu-memory', '2Gi'],
    ['springtide.io/isolation', 'rack'],
  ])('%s: %s is complained about', (key, value) => {
    expect(cardsOf({ cpu: '1' }, { [key]: value })).toEqual({ cards: { kind: 'none' }, others: [], bad: [key] });
  });
});
