import type { Constraints } from '@springtide/core/model';
import type { Json } from '@springtide/testkit/kubectl';
import { describe, expect, test } from 'vitest';
import { constraintsOf } from './constraints.ts';
import { fieldsOf } from './fields.ts';

const owner = {
  namespace: 'own',
  labels: new Map([
    ['app', 'web'],
    ['pod-template-hash', 'h1'],
  ]),
};

function read(spec: Json): Constraints {
  return constraintsOf(fieldsOf(spec, null), owner);
}

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';

describe('constraints on machines', () => {
  test('a pod without any has none', () => {
    const { nodeTerms, nodeSelector, ...lists } = read({});
    expect(nodeTerms).toBeNull();
    expect(nodeSelector.size).toBe(0);
    expect(Object.values(lists).every((list) => list.length === 0)).toBe(true);
  });

  test('terms are kept apart, and empty ones match nothing', () => {
    const expression = { key: 'zone', operator: 'In', values: ['z1'] };
    const field = { key: 'metadata.name', operator: 'In', values: ['n1'] };
    const nodeSelectorTerms = [{ matchExpressions: [expression] }, {}, { matchFields: [field] }];
    const { nodeTerms } = read({ affinity: { nodeAffinity: { [REQUIRED]: { nodeSelectorTerms } } } });
    expect(nodeTerms).toEqual([
      { expressions: [expression], fields: [] },
      { expressions: [], fields: [field] },
    ]);
    const none = read({ affinity: { nodeAffinity: { [REQUIRED]: { nodeSelectorTerms: [{}] } } } });
    expect(none.nodeTerms).toEqual([]);
  });

  test('preferred terms carry their weight', () => {
    const preference = { matchExpressions: [{ key: 'gpu', operator: 'Exists' }] };
    const preferred = [
      { weight: 30, preference },
      { weight: 5, preference: {} },
    ];
    const nodeAffinity = { preferredDuringSchedulingIgnoredDuringExecution: preferred };
    expect(read({ affinity: { nodeAffinity } }).nodePreferred).toEqual([
      { weight: 30, expressions: [{ key: 'gpu', operator: 'Exists', values: [] }], fields: [] },
    ]);
  });

  test('tolerations default to Equal, and comparisons by number are not understood', () => {
    const tolerations = [{ key: 'a', value: 'b' }, { operator: 'Exists' }, { key: 'c', operator: 'Gt', value: '3' }];
    expect(read({ tolerations }).tolerations).toEqual([
      { key: 'a', operator: 'Equal', value: 'b', effect: '' },
      { key: '', operator: 'Exists', value: '', effect: '' },
    ]);
  });
});

describe('constraints on neighbours', () => {
  const term = { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { app: 'web' } } };
  const selector = [{ key: 'app', operator: 'In', values: ['web'] }];

  function namespacesFor(more: Json): readonly string[] | undefined {
    return read({ affinity: { podAntiAffinity: { [REQUIRED]: [{ ...term, ...more }] } } }).podAntiAffinity[0]
      ?.namespaces;
  }

  test.each<[string, Json, string[]]>([
    ['none named: its own', {}, ['own']],
    ['some named: those', { namespaces: ['a', 'b'] }, ['a', 'b']],
    ['an empty selector: all', { namespaceSelector: {} }, ['*']],
    [
      'a selector by name: those as well',
      { namespaces: ['a'], namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'b' } } },
      ['a', 'b'],
    ],
    ['any other selector may match all', { namespaceSelector: { matchLabels: { team: 'x' } } }, ['*']],
  ])('namespaces: %s', (_, more, want) => {
    expect(namespacesFor(more)).toEqual(want);
  });

  test('a selector by other labels is kept, for whoever sees the namespaces', () => {
    const namespaceSelector = { matchLabels: { team: 'x' } };
    const terms = [{ ...term, namespaces: ['a'], namespaceSelector }];
    const { podAffinity } = read({ affinity: { podAffinity: { [REQUIRED]: terms } } });
    const wanted = { named: ['a'], selector: [{ key: 'team', operator: 'In', values: ['x'] }] };
    expect(podAffinity[0]?.chosen).toEqual(wanted);
  });

  test('labels of the pod itself join the selector', () => {
    const terms = [{ ...term, matchLabelKeys: ['pod-template-hash', 'absent'], mismatchLabelKeys: ['app'] }];
    const { podAffinity } = read({ affinity: { podAffinity: { [REQUIRED]: terms } } });
    expect(podAffinity[0]?.selector).toEqual([
      ...selector,
      { key: 'pod-template-hash', operator: 'In', values: ['h1'] },
      { key: 'app', operator: 'NotIn', values: ['web'] },
    ]);
  });

  test('no selector matches nothing, an empty one everything', () => {
    const terms = [{ topologyKey: 'zone' }, { topologyKey: 'zone', labelSelector: {} }];
    const { podAffinity } = read({ affinity: { podAffinity: { [REQUIRED]: terms } } });
    expect(podAffinity.map((item) => item.selector)).toEqual([null, []]);
  });

  test('only hard spread is kept, with the defaults of Kubernetes', () => {
    const hard = {
      maxSkew: 2,
      topologyKey: 'zone',
      whenUnsatisfiable: 'DoNotSchedule',
      labelSelector: term.labelSelector,
    };
    const soft = { ...hard, whenUnsatisfiable: 'ScheduleAnyway' };
    expect(read({ topologySpreadConstraints: [hard, soft] }).topologySpread).toEqual([
      {
        topologyKey: 'zone',
        maxSkew: 2,
        minDomains: 1,
        selector,
        nodeAffinityPolicy: 'Honor',
        nodeTaintsPolicy: 'Ignore',
      },
    ]);
  });

  test('host ports of containers and sidecars count, those of init containers do not', () => {
    const ports = (hostPort: number): Json[] => [{ containerPort: 80, hostPort }, { containerPort: 81 }];
    const spec = {
      containers: [{ ports: ports(8080) }],
      initContainers: [
        { ports: ports(1) },
        { restartPolicy: 'Always', ports: [{ hostPort: 53, hostIP: '10.0.0.1', protocol: 'UDP' }] },
      ],
    };
    expect(read(spec).hostPorts).toEqual([
      { ip: '0.0.0.0', port: 8080, protocol: 'TCP' },
      { ip: '10.0.0.1', port: 53, protocol: 'UDP' },
    ]);
    expect(read({ ...spec, hostNetwork: true }).hostPorts.map(({ port }) => port)).toEqual([8080, 81, 53]);
  });
});
