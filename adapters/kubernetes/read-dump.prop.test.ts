import { hamiPart, hamiRegister, type Json, kubeList, kubeNode, kubePod } from '@springtide/testkit/kubectl';
import { forAll } from '@springtide/testkit/property';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { inputErrorText } from './fault.ts';
import { parseDump } from './read-dump.ts';
import { parseRequests } from './read-requests.ts';

const GPU = 'nvidia.com/gpu';
const resources = {
  requests: { cpu: '1', memory: '1Gi', [GPU]: '1' },
  limits: { [GPU]: '1', 'nvidia.com/gpumem': '100' },
};

/** Objects with something in every field that the reader looks at. */
function sample(): Json[] {
  const term = { matchExpressions: [{ key: 'a', operator: 'In', values: ['b'] }], matchFields: [] };
  const selector = { labelSelector: { matchLabels: { a: 'b' } }, topologyKey: 'zone', namespaceSelector: {} };
  const spec = {
    priority: 5,
    containers: [{ name: 'c', resources, ports: [{ hostPort: 80 }] }],
    initContainers: [{ name: 'i', restartPolicy: 'Always', resources }],
    overhead: { cpu: '1m' },
    resources: { requests: { cpu: '2' } },
    nodeSelector: { a: 'b' },
    tolerations: [{ key: 'a', operator: 'Exists' }],
    topologySpreadConstraints: [{ maxSkew: 1, whenUnsatisfiable: 'DoNotSchedule', ...selector }],
    affinity: {
      nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [term] } },
      podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [selector] },
    },
  };
  const annotations = {
    'hami.io/vgpu-devices-allocated': `${hamiPart('GPU-n-0', 100, 1)};`,
    'hami.io/vgpu-mig-allocations': '[{"gpuUUID":"GPU-n-0","profile":"1g.5gb","placement":{"size":1}}]',
  };
  const status = {
    containerStatuses: [{ name: 'c', allocatedResources: { cpu: '1' }, resources }],
    conditions: [{ type: 'x' }],
  };
  return [
    kubeNode('n', {
      labels: {
        'nvidia.com/gpu.product': 'NVIDIA-A100-SXM4-40GB',
        'nvidia.com/gpu.replicas': '1',
        'nvidia.com/gpu.count': '2',
      },
      annotations: { 'hami.io/node-nvidia-register': hamiRegister('n', 2, 1000) },
      taints: [{ key: 'a', effect: 'NoSchedule' }],
      capacity: { [GPU]: '20', 'nvidia.com/mig-1g.5gb': '3', 'hygon.com/dcunum': '4', 'amd.com/gpu': '2' },
    }),
    kubePod('a/b', 'n', {
      annotations,
      labels: { 'runai-gpu-group': 'g' },
      spec: { nodeName: 'n', ...spec },
      status,
      owner: { kind: 'ReplicaSet', name: 'x' },
    }),
    kubePod('a/c', null, { annotations: { 'gpu-fraction': '0.5' } }),
  ];
}

/** Every place of a value, as the keys that lead to it. */
function placesOf(value: unknown, at: readonly string[] = []): (readonly string[])[] {
  if (value === null || typeof value !== 'object') return [at];
  return [at, ...Object.entries(value).flatMap(([key, item]) => placesOf(item, [...at, key]))];
}

/** A copy with the value at one place replaced. */
function replaced(value: unknown, place: readonly string[], by: unknown): unknown {
  const [key, ...rest] = place;
  if (key === undefined) return by;
  if (Array.isArray(value))
    return value.map((item, index) => (String(index) === key ? replaced(item, rest, by) : item));
  return Object.fromEntries(
    Object.entries(value ?? {}).map(([name, item]) => [name, name === key ? replaced(item, rest, by) : item]),
  );
}

const odd = fc.oneof(
  fc.jsonValue(),
  fc.constantFrom(
    -1,
    1e300,
    '',
    '-5',
    '1e999',
    '[{}]',
    '[null]',
    ';;:,',
    'GPU-n-0,NVIDIA,-1,-1:;',
    'a,1,2,3,4,5,true:',
    '__proto__',
    '9'.repeat(300),
  ),
);

describe('whatever stands in one place of a dump', () => {
  const objects: Json[] = JSON.parse(JSON.stringify(sample()));
  const places = placesOf(objects).filter((place) => place.length > 1);
  const changes = fc.record({ place: fc.constantFrom(...places), by: odd });

  test('the dump is read, or refused with its place', () => {
    forAll(changes, ({ place, by }) => {
      const items = replaced(objects, place, by) as Json[];
      const read = parseDump([['d', Buffer.from(kubeList(items))]]);
      if (read.ok) {
        const amounts = read.value.machines.flatMap((machine) => [
          machine.cpuMilli,
          machine.memoryBytes,
          ...machine.resources.values(),
        ]);
        expect(amounts.every((amount) => Number.isSafeInteger(amount) && amount >= 0)).toBe(true);
      } else expect(inputErrorText(read.error)).toMatch(/^d(?::\d+:\d+)?: /);
    });
  });

  test('a request is read, or refused with its place', () => {
    forAll(changes, ({ place, by }) => {
      const items = replaced(objects, place, by) as Json[];
      const read = parseRequests(kubeList(items.slice(1)), 'r');
      if (!read.ok) expect(inputErrorText(read.error)).toMatch(/^r(?::\d+:\d+)?:/);
    });
  });

  test('the sample itself is read', () => {
    expect(parseDump([['d', Buffer.from(kubeList(objects))]]).ok).toBe(true);
    expect(parseRequests(kubeList(objects), 'r').ok).toBe(true);
  });
});
