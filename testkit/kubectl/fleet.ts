import { mulberry32, type Random } from '@springtide/core/base';
import { type Json, kubeNode, kubePod } from './objects.ts';

/**
 * A dump as large as a real one (issue 3, criterion 8): `machines` nodes and `pods` pods with the bulk that objects
 * of a live cluster carry: 5,000 machines and 50,000 pods are 230 MB. The pieces are made one by one, since the text is longer than one string may be.
 */
export function* fleetDump(machines: number, pods: number, seed = 1): Generator<string> {
  const random = mulberry32(seed);
  yield '{\n    "apiVersion": "v1",\n    "items": [\n';
  for (let index = 0; index < machines; index += 1) yield `${pretty(fleetNode(index, random))},\n`;
  for (let index = 0; index < pods; index += 1) {
    yield pretty(fleetPod(index, machines, random)) + (index === pods - 1 ? '\n' : ',\n');
  }
  yield '    ],\n    "kind": "List",\n    "metadata": { "resourceVersion": "" }\n}\n';
}

function pretty(object: Json): string {
  return JSON.stringify(object, null, 4);
}

function fleetNode(index: number, random: Random): Json {
  const name = `gpu-${String(index).padStart(5, '0')}`;
  const labels: Record<string, string> = {
    'nvidia.com/gpu.product': random.below(2) === 0 ? 'NVIDIA-A100-SXM4-80GB' : 'NVIDIA-H100-80GB-HBM3',
    'nvidia.com/gpu.memory': '81920',
    'topology.kubernetes.io/region': 'cn-east-1',
    'topology.kubernetes.io/zone': `z${index % 3}`,
    'topology.kubernetes.io/rack': `r${Math.floor(index / 16)}`,
  };
  for (let label = 0; label < 60; label += 1) labels[`feature.node.kubernetes.io/cpu-cpuid.F${label}`] = 'true';
  const images = Array.from({ length: 50 }, (_, image) => ({
    names: [`registry.example.com/i${image}:1`],
    sizeBytes: 1e9,
  }));
  const node = kubeNode(name, { labels, capacity: { cpu: '128', memory: '1Ti', 'nvidia.com/gpu': '8' } });
  return { ...node, status: { ...(node['status'] as Json), images } };
}

function fleetPod(index: number, machines: number, random: Random): Json {
  const service = `svc-${index % 1000}`;
  const machine = random.below(10) === 0 ? null : `gpu-${String(random.below(machines)).padStart(5, '0')}`;
  const env = Array.from({ length: 6 }, (_, variable) => ({
    name: `VAR_${variable}`,
    value: `secret-${index}-${variable}`,
  }));
  const requests = { cpu: '2', memory: '16Gi', ...(random.below(2) === 0 ? { 'nvidia.com/gpu': '1' } : {}) };
  const resources = { requests, limits: requests };
  const container = {
    name: 'main',
    image: 'registry.example.com/app:1',
    env,
    resources,
    volumeMounts: volumes('mountPath'),
  };
  return kubePod(`team-${index % 40}/${service}-6d9f7c-${index}`, machine, {
    labels: { app: service, 'pod-template-hash': '6d9f7c' },
    owner: { kind: 'ReplicaSet', name: `${service}-6d9f7c` },
    spec: {
      containers: [container],
      volumes: volumes('path'),
      tolerations: [
        { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 },
        { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 },
      ],
    },
    status: { containerStatuses: [{ name: 'main', ready: true, resources, allocatedResources: requests }] },
  });
}

function volumes(key: string): Json[] {
  return Array.from({ length: 3 }, (_, volume) => ({ name: `volume-${volume}`, [key]: `/mnt/data/${volume}` }));
}
