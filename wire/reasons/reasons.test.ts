import {
  DEVICE_TROUBLES,
  FILTERS,
  type FilterName,
  type Obstacle,
  QUOTA_PROBLEMS,
  type Remedy,
} from '@springtide/core/model';
import { describe, expect, test } from 'vitest';
import {
  beyondText,
  bytesText,
  claimText,
  coresText,
  filterText,
  grouped,
  needText,
  percentText,
  quotaFaultText,
  refusalText,
  remedyText,
} from './index.ts';

const en = { language: 'en', modelName: () => 'A100' } as const;
const zh = { language: 'zh', modelName: () => 'A100' } as const;

function remedy(part: Partial<Remedy>): Remedy {
  const base = { filter: 'cpu', resource: 'cpuMilli', machines: 1, missing: 0, opened: 1 } as const;
  return { ...base, nearest: 'gpu-a-03', cardsFree: 0, model: '', ...part };
}

function obstacle(filter: FilterName, resource: string, missing = 0): Obstacle {
  return { filter, resource, missing, isBeyond: false };
}

test('whatever is wrong with a resource claim, it is named with its place, in both languages', () => {
  for (const kind of DEVICE_TROUBLES) {
    const texts = [en, zh].map((wording) => claimText(wording, { kind, claim: 'c-1', path: 'spec.x', detail: 'why' }));
    for (const text of texts) expect(text).toContain('c-1');
    expect(new Set(texts).size).toBe(2);
  }
  const selector = { kind: 'selector', claim: 'c', path: 'spec.devices', detail: 'x: no such function' } as const;
  expect(claimText(en, selector)).toBe(
    'resource claim c has a selector that is not understood at spec.devices: x: no such function',
  );
  expect(claimText(zh, selector)).toBe('资源声明 c 在 spec.devices 处的选择条件无法理解：x: no such function');
});

test('whatever is wrong with a quota tree, it is named with its place and what would mend it, in both languages', () => {
  for (const problem of QUOTA_PROBLEMS) {
    const fault = { object: 'queue', id: 'blue', field: 'cells[0].floor', problem, value: 'V' } as const;
    const texts = [en, zh].map((wording) => quotaFaultText(wording, fault));
    for (const text of texts) expect(text).toContain('blue');
    expect(new Set(texts).size).toBe(2);
  }
  const fault = {
    object: 'queue',
    id: 'blue',
    field: 'cells[0].nominal',
    problem: 'not-an-amount',
    value: '-1',
  } as const;
  expect(quotaFaultText(en, fault)).toBe(
    'queue blue: cells[0].nominal: -1 is no amount; a whole number from 0 to 9,007,199,254,740,991 was expected',
  );
  expect(quotaFaultText(zh, fault)).toBe(
    '队列 blue：cells[0].nominal：-1 不是数量；应为 0 到 9,007,199,254,740,991 的整数',
  );
});

test('numbers have thousands in groups and a unit', () => {
  expect([grouped(1_234_567.5), grouped(-12), grouped(7)]).toEqual(['1,234,567.5', '−12', '7']);
  expect([coresText(3000), coresText(500), coresText(1_234_500)]).toEqual(['3', '0.5', '1,234.5']);
  expect([bytesText(2 ** 30), bytesText(1.25 * 2 ** 30), bytesText(1000), bytesText(1)]).toEqual([
    '1 GiB',
    '1.3 GiB',
    '1,000 B',
    '1 B',
  ]);
  expect([percentText(300), percentText(125)]).toEqual(['30 %', '12.5 %']);
});

describe('a remedy', () => {
  test.each<[Partial<Remedy>, string, string]>([
    [
      { missing: 3000, machines: 12, opened: 12, cardsFree: 2, model: 'NVIDIA-A100-SXM4-80GB' },
      '3 more CPU cores on any of 12 machines with 2 free A100',
      '12 台有 2 张空闲 A100 的机器中任意一台上再空出 3 核 CPU',
    ],
    [
      { missing: 1000, machines: 3, cardsFree: 2, model: 'NVIDIA-A100-SXM4-80GB' },
      '1 more CPU core on gpu-a-03 with 2 free A100; 3 machines lack nothing else',
      'gpu-a-03 上（有 2 张空闲 A100）再空出 1 核 CPU（只差这一项的共 3 台机器）',
    ],
    [
      { filter: 'memory', resource: 'memoryBytes', missing: 2 ** 29 },
      '512 MiB more free memory on gpu-a-03',
      'gpu-a-03 上再空出 512 MiB 内存',
    ],
    [{ filter: 'volume', resource: '' }, 'a volume that can be used there on gpu-a-03', 'gpu-a-03 上有可用的存储卷'],
    [
      { filter: 'volume', resource: 'missing data-0' },
      'the volume claim data-0, which does not exist',
      '创建不存在的存储卷声明 data-0',
    ],
    [
      { filter: 'volume', resource: 'going data-0' },
      'another volume claim than data-0, which is being deleted',
      '改用别的存储卷声明（data-0 正在删除）',
    ],
    [
      { filter: 'volume', resource: 'lost data-0' },
      'the volume of claim data-0, which is gone',
      '恢复存储卷声明 data-0 丢失的卷',
    ],
    [{ filter: 'volume', resource: 'unbound data-0' }, 'a volume bound to claim data-0', '为存储卷声明 data-0 绑定卷'],
    [
      { filter: 'volume-in-use', resource: '' },
      'the end of the pod that has its volume to itself',
      '等独占存储卷的 Pod 结束',
    ],
    [
      { filter: 'resource', resource: 'rdma/hca', missing: 2 },
      '2 more free rdma/hca on gpu-a-03',
      'gpu-a-03 上再空出 2 个 rdma/hca',
    ],
    [
      { filter: 'pods', resource: 'pods', missing: 1 },
      'room for one more pod on gpu-a-03',
      'gpu-a-03 上再容得下一个 Pod',
    ],
    [{ filter: 'cards', resource: 'cards', missing: 1 }, '1 more free card on gpu-a-03', 'gpu-a-03 上再空出 1 张卡'],
    [
      { filter: 'cards', resource: 'unhealthy', missing: 2 },
      '2 unhealthy cards repaired on gpu-a-03',
      'gpu-a-03 上修好 2 张故障卡',
    ],
    [
      { filter: 'slice', resource: 'sliceMiB', missing: 2048, opened: 2, machines: 2 },
      '2,048 MiB more free memory on one card on any of 2 machines',
      '2 台机器中任意一台上有一张卡再空出 2,048 MiB 显存',
    ],
    [
      { filter: 'slice', resource: 'computeMilli', missing: 300 },
      '30 % more free compute on one card on gpu-a-03',
      'gpu-a-03 上有一张卡再空出 30 % 算力',
    ],
    [
      { filter: 'slice', resource: 'slice', missing: 2 },
      '2 more cards with room for the slice on gpu-a-03',
      'gpu-a-03 上再有 2 张卡容得下这个切片',
    ],
    [
      { filter: 'taint', resource: 'dedicated=finance:NoSchedule', machines: 2 },
      'a toleration for the taint dedicated=finance:NoSchedule would open 2 machines',
      '容忍污点 dedicated=finance:NoSchedule，可多出 2 台机器',
    ],
    [
      { filter: 'taint', resource: 'node.kubernetes.io/unreachable:NoExecute' },
      'gpu-a-03 has to recover: it is tainted node.kubernetes.io/unreachable:NoExecute',
      'gpu-a-03 恢复正常（目前有污点 node.kubernetes.io/unreachable:NoExecute）',
    ],
    [
      { filter: 'selector', resource: 'zone=z2', machines: 1 },
      'a node selector or affinity without zone=z2 would open 1 machine',
      '节点选择器或亲和性去掉 zone=z2，可多出 1 台机器',
    ],
    [
      { filter: 'card-model', resource: 'NVIDIA-L20', model: 'NVIDIA-A100-SXM4-80GB', machines: 4 },
      'A100 as an allowed model would open 4 machines',
      '允许型号 A100，可多出 4 台机器',
    ],
    [{ filter: 'unschedulable', resource: '' }, 'uncordon gpu-a-03', '恢复 gpu-a-03 的调度（uncordon）'],
    [
      { filter: 'unschedulable', resource: '', machines: 3, opened: 3 },
      'uncordon gpu-a-03, or any of 3 machines like it',
      '恢复 gpu-a-03 等 3 台机器中任意一台的调度（uncordon）',
    ],
    [{ filter: 'host-port', resource: '' }, 'the host port free on gpu-a-03', 'gpu-a-03 上腾出主机端口'],
  ])('%o reads in English and in Chinese', (part, english, chinese) => {
    expect([remedyText(en, remedy(part)), remedyText(zh, remedy(part))]).toEqual([english, chinese]);
  });
});

test('every filter has a text of its own in both languages, with and without amounts', () => {
  for (const wording of [en, zh]) {
    expect(new Set(FILTERS.map((filter) => filterText(wording, filter))).size).toBe(FILTERS.length);
    for (const filter of FILTERS) {
      expect(needText(wording, obstacle(filter, 'what', 2))).toMatch(wording === zh ? /\p{Script=Han}/u : /\w/);
      expect(remedyText(wording, remedy({ filter, resource: 'what' }))).not.toMatch(/[{}]|undefined/);
    }
  }
});

test('a refusal is a number of machines and why', () => {
  expect(refusalText(en, { filter: 'cards', machines: 1234 })).toBe('1,234 machines: too few free cards');
  expect(refusalText(zh, { filter: 'cards', machines: 1 })).toBe('1 台机器：空闲卡不够');
});

test('what no machine could ever give is told by how much', () => {
  expect(beyondText(en, obstacle('cards', 'cards', 1))).toBe('it asks for 1 card more than any machine has');
  expect(beyondText(zh, obstacle('memory', 'memoryBytes', 2 ** 40))).toBe('要的内存比任何一台机器都多，超出 1 TiB');
});
