import { parseRequests, type RequestedWorkload } from '@springtide/adapters/kubernetes';
import { dumpOf, kubeNode, kubePod, type Json } from '@springtide/testkit/kubectl';
import { describe, expect, test } from 'vitest';
import { clusterOf, type Cluster } from '../../cluster/index.ts';
import { answerJson } from './json.ts';
import { placeAll, type WorkloadAnswer } from './placing.ts';
import { answerLines } from './text.ts';

const rack = (name: string) => ({ 'topology.example.com/rack': name });
const gpu = (count: number) => ({ capacity: { 'nvidia.com/gpu': String(count) } });

/** Two racks: 4 + 2 cards in r1, 4 + 4 in r2, of which one machine in r2 is full. */
function cluster(): Cluster {
  const items: Json[] = [
    kubeNode('a', { ...gpu(4), labels: rack('r1') }),
    kubeNode('b', { ...gpu(2), labels: rack('r1') }),
    kubeNode('c', { ...gpu(4), labels: rack('r2') }),
    kubeNode('d', { ...gpu(4), labels: rack('r2') }),
    kubePod('t/full', 'd', { requests: { 'nvidia.com/gpu': '4' } }),
  ];
  return clusterOf(dumpOf(items), 'tide');
}

const template = (count: number, more = '') =>
  `
      template:
        metadata: { labels: { app: x }${more} }
        spec:
          containers:
          - name: main
            image: app:1
            env: [{ name: TOKEN, value: hunter2 }]
            resources: { requests: { cpu: 1, nvidia.com/gpu: ${count} } }`.replaceAll('\n      ', '\n  ');

function read(text: string): RequestedWorkload[] {
  const found = parseRequests(text, 'request.yaml');
  if (!found.ok) throw new Error(JSON.stringify(found.error));
  return found.value;
}

const deployment = (replicas: number, count: number): string => `
apiVersion: apps/v1
kind: Deployment
metadata: { name: web, namespace: t }
spec:
  replicas: ${replicas}${template(count)}
`;

const gang = (replicas: number, count: number, more = ''): string => `
apiVersion: batch/v1
kind: Job
metadata: { name: train, namespace: t }
spec:
  completionMode: Indexed
  completions: ${replicas}
  parallelism: ${replicas}${template(count, more)}
`;

const inRack = ', annotations: { kueue.x-k8s.io/podset-required-topology: topology.example.com/rack }';

function place(text: string): {
  answers: WorkloadAnswer[];
  json: Record<string, unknown>;
  english: string;
  chinese: string;
} {
  const asked = cluster();
  const before = [...asked.book.cardHolders];
  const answers = placeAll(asked, read(text));
  expect([...asked.book.cardHolders]).toEqual(before);
  return {
    answers,
    json: JSON.parse(JSON.stringify(answerJson(asked, answers))) as Record<string, unknown>,
    english: answerLines(asked, answers, 'en').join('\n'),
    chinese: answerLines(asked, answers, 'zh').join('\n'),
  };
}

describe('a Deployment', () => {
  test('goes where its replicas fit, and every card is chosen once', () => {
    const { json, english } = place(deployment(3, 2));
    expect(json).toMatchObject({
      fits: true,
      placed: 3,
      feasibleNodes: ['a', 'b', 'c'],
      copiesThatFit: 5,
      copiesByNode: { a: 2, b: 1, c: 2 },
    });
    const cards = (json['chosen'] as { cards: string[] }[]).flatMap((each) => each.cards);
    expect(new Set(cards).size).toBe(6);
    expect(english).toContain('t/web (Deployment): all 3 pods would find a place.');
  });

  test('that fits only in part says how far, and why the next replica does not', () => {
    const { json, english, chinese } = place(deployment(4, 4));
    expect(json).toMatchObject({
      fits: false,
      placed: 2,
      copiesThatFit: 2,
      missing: { remedies: [{ filter: 'cards', resource: 'cards', missing: 4, machines: 3 }] },
    });
    expect(english).toContain('t/web (Deployment): 2 of 4 pods would find a place.');
    expect(chinese).toContain('t/web（Deployment）：4 个 Pod 中放得下 2 个。');
  });

  test('of no replicas asks for nothing', () => {
    const { json, english } = place(deployment(0, 1));
    expect(json).toMatchObject({ fits: true, placed: 0, chosen: [] });
    expect(english).toContain('asks for no pods');
  });
});

describe('a gang', () => {
  test('starts whole', () => {
    const { json, english } = place(gang(2, 4));
    expect(json).toMatchObject({ gang: true, fits: true, placed: 2 });
    expect(english).toContain('all 2 pods of the gang would start together');
  });

  test('or not at all: nothing is chosen for it', () => {
    const { json, english } = place(gang(3, 4));
    expect(json).toMatchObject({ fits: false, placed: 2, chosen: [] });
    expect(english).toContain('cannot start: its 3 pods have to start together, and 2 of them find a place');
  });

  test('stays within the rack it asks for', () => {
    const fits = place(gang(3, 2, inRack));
    expect(fits.json).toMatchObject({ fits: true, domain: { level: 'rack', name: 'r1' } });
    expect(fits.english).toContain('within rack r1');
    const tooMany = place(gang(4, 2, inRack));
    expect(tooMany.json).toMatchObject({ fits: false, chosen: [], gangRefusal: { members: 4 } });
    expect(tooMany.chinese).toContain('必须一起启动');
  });
});

describe('several workloads in a file', () => {
  const { json, english } = place(`${deployment(1, 4)}---${gang(2, 4)}`);

  test('are placed one beside the other', () => {
    const { workloads } = json as { workloads: { workload: string; fits: boolean }[] };
    expect(workloads).toMatchObject([
      { workload: 't/web', fits: true },
      { workload: 't/train', fits: false, placed: 1 },
    ]);
    expect(json).toMatchObject({ workload: 't/web', allFit: false });
  });

  test('are told without the values of their environment', () => {
    expect(`${english}${JSON.stringify(json)}`).not.toMatch(/hunter2|TOKEN/);
  });
});
