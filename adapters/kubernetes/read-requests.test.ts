import { describe, expect, test } from 'vitest';
import { type InputError, inputErrorText } from './fault.ts';
import { parseRequests } from './read-requests.ts';
import type { RequestedWorkload } from './request.ts';

function workloadsOf(text: string): RequestedWorkload[] {
  const read = parseRequests(text, 'r.yaml');
  if (!read.ok) throw new Error(inputErrorText(read.error));
  return read.value;
}

function errorOf(text: string): InputError {
  const read = parseRequests(text, 'r.yaml');
  if (read.ok) throw new Error('it was accepted');
  return read.error;
}

/** A template of one container with one card, indented to stand below `template:`. */
function template(indent: number, more = ''): string {
  const lines = [
    'spec:',
    '  containers:',
    '  - name: main',
    '    resources:',
    '      limits:',
    '        nvidia.com/gpu: 1',
    ...(more === '' ? [] : [more]),
  ];
  return lines.map((line) => ' '.repeat(indent) + line).join('\n');
}

describe('workloads', () => {
  test('a pod in the default namespace, with limits for requests', () => {
    const [workload] = workloadsOf(`apiVersion: v1\nkind: Pod\nmetadata: {name: p}\n${template(0)}\n`);
    expect(workload).toMatchObject({ id: 'default/p', kind: 'Pod', replicas: 1, gang: false, topology: null });
    expect(workload?.podSets[0]?.pod).toMatchObject({
      id: 'default/p',
      tenant: 'default',
      service: '',
      request: { cards: { kind: 'whole', resource: 'nvidia.com/gpu', count: 1 }, isolation: 'none' },
    });
  });

  test.each([
    ['Deployment', 'replicas: 3', 3],
    ['StatefulSet', 'replicas: 2', 2],
    ['ReplicaSet', 'paused: true', 1],
  ])('a %s is a service', (kind, field, replicas) => {
    const [workload] = workloadsOf(
      `kind: ${kind}\nmetadata: {name: web, namespace: prod}\nspec:\n  ${field}\n  template:\n    metadata:\n      labels: {app: web}\n${template(4)}\n`,
    );
    expect(workload).toMatchObject({ id: 'prod/web', replicas, gang: false });
    expect(workload?.podSets[0]?.pod).toMatchObject({ service: 'prod/web', serviceReplicas: replicas });
    expect(workload?.podSets[0]?.pod.labels.get('app')).toBe('web');
  });

  test.each([
    ['parallelism: 4', 4, false],
    ['parallelism: 4\n  completions: 2', 2, false],
    ['parallelism: 4\n  completionMode: Indexed\n  completions: 4', 4, true],
    ['completionMode: Indexed', 1, false],
  ])('a job with %j', (fields, replicas, gang) => {
    const [workload] = workloadsOf(`kind: Job\nmetadata: {name: j}\nspec:\n  ${fields}\n  template:\n${template(4)}\n`);
    expect(workload).toMatchObject({ replicas, gang });
  });

  test('annotations decide on gangs and on nearness', () => {
    const job = (annotations: string): string =>
      `kind: Job\nmetadata: {name: j}\nspec:\n  parallelism: 2\n  completionMode: Indexed\n  template:\n    metadata:\n      annotations: {${annotations}}\n${template(4)}\n`;
    expect(workloadsOf(job('springtide.io/gang: "false"'))[0]?.gang).toBe(false);
    expect(
      workloadsOf(job('kueue.x-k8s.io/podset-required-topology: cloud.provider.com/topology-rack'))[0]?.topology,
    ).toEqual({ level: 'rack', mode: 'required', pattern: 'all-reduce' });
    expect(
      workloadsOf(job('kai.scheduler/topology-preferred-placement: topology.kubernetes.io/zone'))[0]?.topology,
    ).toMatchObject({ level: 'zone', mode: 'preferred' });
  });

  test('a pod of a named group is a gang', () => {
    const text = `kind: Pod\nmetadata:\n  name: p\n  labels: {scheduling.x-k8s.io/pod-group: g}\n${template(0)}\n`;
    expect(workloadsOf(text)[0]?.gang).toBe(true);
  });

  test('a JobSet has a pod set for each of its jobs', () => {
    const job = (name: string, replicas: number): string =>
      `  - name: ${name}\n    replicas: ${replicas}\n    template:\n      spec:\n        parallelism: 2\n        template:\n${template(10)}`;
    const [workload] = workloadsOf(
      `kind: JobSet\nmetadata: {name: s}\nspec:\n  replicatedJobs:\n${job('leader', 1)}\n${job('worker', 3)}\n`,
    );
    expect(workload).toMatchObject({ replicas: 8, gang: true });
    expect(workload?.podSets.map(({ name, count, pod }) => [name, count, pod.id])).toEqual([
      ['leader', 2, 'default/s-leader'],
      ['worker', 6, 'default/s-worker'],
    ]);
  });

  test('a LeaderWorkerSet is groups of a leader and workers', () => {
    const text = `kind: LeaderWorkerSet\nmetadata: {name: l}\nspec:\n  replicas: 2\n  leaderWorkerTemplate:\n    size: 4\n    leaderTemplate:\n${template(6)}\n    workerTemplate:\n${template(6)}\n`;
    expect(workloadsOf(text)[0]?.podSets.map(({ name, count }) => [name, count])).toEqual([
      ['leader', 2],
      ['worker', 6],
    ]);
  });

  test('other kinds beside a workload are passed over; lists and several documents are read', () => {
    const pod = `kind: Pod\nmetadata: {name: p}\n${template(0)}`;
    const list = `kind: List\nitems:\n- kind: Pod\n  metadata: {name: q}\n${template(2)}`;
    const text = `kind: Service\nmetadata: {name: s}\n---\n${pod}\n---\n${list}\n---\n`;
    expect(workloadsOf(text).map((workload) => workload.id)).toEqual(['default/p', 'default/q']);
  });

  test('claims and fractions are marked', () => {
    const text =
      'kind: Pod\nmetadata: {name: p, annotations: {gpu-fraction: "0.5"}}\nspec:\n  resourceClaims: [{name: x}]\n  containers: [{name: m}]\n';
    expect(workloadsOf(text)[0]?.podSets[0]).toMatchObject({ hasClaims: true, isFraction: true });
  });

  test('a pod that names its machine is held to it', () => {
    const text = 'kind: Pod\nmetadata: {name: p}\nspec:\n  nodeName: n1\n  containers: [{name: m}]\n';
    expect(workloadsOf(text)[0]?.podSets[0]?.pod.request.constraints.machine).toBe('n1');
  });
});

describe('a request that is refused', () => {
  const pod = (amount: string): string =>
    `kind: Pod\nmetadata:\n  name: p\nspec:\n  containers:\n  - name: m\n    resources:\n      requests:\n        ${amount}\n`;
  const PATH = 'spec.containers[0].resources.requests';

  test.each<[string, string, InputError['code'], number, string]>([
    ['negative', pod('cpu: -1'), 'negative', 9, `${PATH}.cpu`],
    ['absurd', pod('memory: 9999Pi'), 'absurd', 9, `${PATH}.memory`],
    ['no quantity', pod('cpu: lots'), 'quantity', 9, `${PATH}.cpu`],
    ['part of a card', pod('nvidia.com/gpu: 0.5'), 'quantity', 9, `${PATH}["nvidia.com/gpu"]`],
    [
      'more than a hundred percent',
      pod('nvidia.com/gpumem-percentage: 150'),
      'absurd',
      9,
      `${PATH}["nvidia.com/gpumem-percentage"]`,
    ],
    ['bytes where MiB are counted', pod('nvidia.com/gpumem: 3Gi'), 'absurd', 9, `${PATH}["nvidia.com/gpumem"]`],
    ['a list where an object belongs', 'kind: Pod\nmetadata: [p]\n', 'wrong-type', 2, 'metadata'],
    ['a name that is a number', 'kind: Pod\nmetadata:\n  name: 3\n', 'wrong-type', 3, 'metadata.name'],
    ['no name', 'kind: Pod\nmetadata: {}\n', 'missing', 2, 'metadata.name'],
    ['no containers', 'kind: Pod\nmetadata: {name: p}\nspec: {}\n', 'missing', 3, 'spec.containers'],
    ['no template', 'kind: Job\nmetadata: {name: p}\nspec: {}\n', 'missing', 3, 'spec.template.spec.containers'],
    [
      'negative replicas',
      `kind: Deployment\nmetadata: {name: p}\nspec:\n  replicas: -2\n  template:\n${template(4)}\n`,
      'negative',
      4,
      'spec.replicas',
    ],
    [
      'absurd replicas',
      `kind: Deployment\nmetadata: {name: p}\nspec:\n  replicas: 1000000000\n  template:\n${template(4)}\n`,
      'absurd',
      4,
      'spec.replicas',
    ],
    [
      'replicas in words',
      `kind: Deployment\nmetadata: {name: p}\nspec:\n  replicas: two\n  template:\n${template(4)}\n`,
      'wrong-type',
      4,
      'spec.replicas',
    ],
    ['no kind', 'metadata: {name: p}\n', 'missing', 1, 'kind'],
    [
      'a bad annotation of ours',
      `kind: Pod\nmetadata:\n  name: p\n  annotations: {springtide.io/isolation: rack}\n${template(0)}\n`,
      'value',
      4,
      'metadata.annotations["springtide.io/isolation"]',
    ],
    [
      'a bad fraction',
      'kind: Pod\nmetadata:\n  name: p\n  annotations:\n    gpu-fraction: "2"\nspec:\n  containers: [{name: m}]\n',
      'value',
      5,
      'metadata.annotations["gpu-fraction"]',
    ],
    [
      'a gang that is maybe',
      `kind: Pod\nmetadata:\n  name: p\n  annotations: {springtide.io/gang: maybe}\n${template(0)}\n`,
      'value',
      4,
      'metadata.annotations["springtide.io/gang"]',
    ],
    ['broken YAML', 'kind: Pod\nmetadata: {name: p\nspec: x\n', 'syntax', 3, ''],
    ['a key twice', 'kind: Pod\nkind: Job\n', 'syntax', 2, ''],
    ['a scalar', 'just text\n', 'wrong-type', 1, ''],
  ])('%s', (_, text, code, line, path) => {
    expect(errorOf(text)).toMatchObject({ code, line, path, file: 'r.yaml' });
  });

  test('the second document has lines of its own', () => {
    const text = `${pod('cpu: 1')}---\n${pod('cpu: -1')}`;
    expect(errorOf(text)).toMatchObject({ code: 'negative', line: 19, subject: 'Pod p' });
  });

  test('a file without workloads says what is in it', () => {
    expect(errorOf('kind: Service\nmetadata: {name: s}\n')).toMatchObject({
      code: 'not-a-workload',
      found: '"Service"',
    });
    expect(errorOf('# nothing\n')).toMatchObject({ code: 'not-a-workload' });
  });

  test('aliases cannot make a small file large', () => {
    const lines = ['a: &a [x, x, x, x, x, x, x, x, x]'];
    for (const [next, before] of ['b a', 'c b', 'd c', 'e d', 'f e', 'g f'].map((pair) => pair.split(' '))) {
      lines.push(`${next}: &${next} [${Array.from({ length: 9 }, () => `*${before}`).join(', ')}]`);
    }
    expect(errorOf(`${lines.join('\n')}\nkind: Pod\n`)).toMatchObject({ code: 'syntax' });
  });
});
