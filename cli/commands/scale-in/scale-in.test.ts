import { kubeList, kubeNode, kubePod, type Json } from '@springtide/testkit/kubectl';
import { type Ran, ranHere } from '@springtide/testkit/program';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { run } from '../../program/index.ts';

const folder = mkdtempSync(join(tmpdir(), 'springtide-scale-in-'));
afterAll(() => rmSync(folder, { recursive: true }));

const gpu = (count: string): object => ({ 'nvidia.com/gpu': count });

function replica(
  name: string,
  machine: string | null,
  more: { kind?: string; owner?: string; ready?: boolean; annotations?: Record<string, string> } = {},
): Json {
  const { kind = 'ReplicaSet', owner = 'x-5d4f', ready = machine !== null, annotations = {} } = more;
  return kubePod(`t/${name}`, machine, {
    requests: { 'nvidia.com/gpu': '1' },
    labels: { app: 'x', 'pod-template-hash': owner.split('-')[1] ?? '' },
    annotations,
    owner: { kind, name: owner },
    status: { conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }] },
  });
}

const NODES = ['a', 'b'].map((name) => kubeNode(name, { capacity: gpu('4') as Record<string, string> }));

function dumpOf(name: string, pods: readonly Json[]): string {
  const path = join(folder, `${name}.json`);
  writeFileSync(path, kubeList([...NODES, ...pods]));
  return path;
}

/** Kubernetes' own order would thin machine a. */
const crowded = dumpOf('crowded', [
  replica('x1', 'a'),
  replica('x2', 'a'),
  replica('x3', 'a'),
  replica('x4', 'b'),
  replica('db-0', 'b', { kind: 'StatefulSet', owner: 'db' }),
  replica('db-1', 'a', { kind: 'StatefulSet', owner: 'db' }),
]);
const alone = dumpOf('alone', [replica('x1', 'a'), replica('x2', 'a'), replica('x3', 'a'), replica('x4', 'b')]);
const rolling = dumpOf('rolling', [replica('x1', 'a'), replica('x2', 'b', { owner: 'x-77c9' })]);

const springtide = (...words: string[]): Promise<Ran> => ranHere(run, ['scale-in', '--dry-run', ...words]);

describe('P6: springtide scale-in --dry-run', () => {
  test('shows who leaves and why, what that frees, and what Kubernetes’ own order would', async () => {
    const { status, stdout } = await springtide(alone, 'deploy/x', '-n', 't', '--to', '3');
    expect(status).toBe(0);
    expect(stdout.split('\n').filter((line) => line !== '')).toEqual([
      't/x (Deployment) from 4 to 3 replicas: 1 leaves.',
      'Pod   Machine  Cards  Why',
      't/x4  b        b/0    chosen',
      'It frees 1 whole card and 1 machine: b.',
      "Kubernetes' own order would free 1 card and 0 machines.",
    ]);
  });

  test('says the same in Chinese and as JSON', async () => {
    const zh = await springtide(alone, 'deployment/t/x', '--to', '3', '--lang', 'zh');
    expect(zh.stdout).toContain('t/x（Deployment）从 4 个副本缩到 3 个：1 个退出。');
    expect(zh.stdout).toContain('共腾出 1 张整卡、1 台整机：b。');
    const { stdout } = await springtide(alone, 'rs/t/x-5d4f', '--to', '2', '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      workload: 't/x-5d4f',
      kind: 'ReplicaSet',
      replicas: 4,
      to: 2,
      answer: 'choice',
      replicaSet: 'x-5d4f',
      leaving: [{ pod: 't/x4', node: 'b', cards: ['b/0'], why: 'chosen' }, { node: 'a' }],
      frees: { nodes: ['b'] },
      kubernetesFrees: { nodes: [] },
    });
  });

  test('what is not ready, or has a lower cost from others, goes first', async () => {
    const dump = dumpOf('first', [
      replica('x1', 'a', { ready: false }),
      replica('x2', 'a', { annotations: { 'controller.kubernetes.io/pod-deletion-cost': '-3' } }),
      replica('x3', 'a'),
      replica('x4', 'b'),
      replica('x5', null),
      replica('x6', 'a'),
    ]);
    const { stdout } = await springtide(dump, 'deploy/t/x', '--to', '2', '--json');
    expect(JSON.parse(stdout).leaving.map((each: Json) => [each['pod'], each['why']])).toEqual([
      ['t/x5', 'unready'],
      ['t/x1', 'unready'],
      ['t/x2', 'cost'],
      ['t/x4', 'chosen'],
    ]);
  });

  test('to 0 all leave; to more nothing has to', async () => {
    const { stdout } = await springtide(crowded, 'deploy/t/x', '--to', '0', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ answer: 'choice', leaving: { length: 4 }, frees: { nodes: [] } });
    const more = await springtide(crowded, 'deploy/t/x', '--to', '9');
    expect([more.status, more.stdout]).toEqual([0, 't/x (Deployment) has 4 replicas: nothing has to leave for 9.\n']);
  });

  test('the answer is no for a StatefulSet and in the middle of a rollout', async () => {
    const ordinal = await springtide(crowded, 'sts/t/db', '--to', '1');
    expect([ordinal.status, ordinal.stdout]).toEqual([1, expect.stringContaining('by ordinal')]);
    const rollout = await springtide(rolling, 'deploy/t/x', '--to', '1');
    expect([rollout.status, rollout.stdout]).toEqual([1, expect.stringContaining('x-5d4f, x-77c9 have pods')]);
  });

  test.each<[string, string[], string]>([
    ['no workload of that name', ['deploy/t/z', '--to', '1'], 'no pod of Deployment t/z runs or waits'],
    ['a similar name', ['deploy/t/x-5d4f', '--to', '1'], 'there are deploy/x'],
    ['no form of a workload', ['pod/t/x', '--to', '1'], 'expected deploy/NAME, rs/NAME or sts/NAME'],
    ['no namespace in a dump', ['deploy/x', '--to', '1'], 'expected deploy/NAME'],
    ['no count', ['deploy/t/x'], 'missing option: --to COUNT'],
    ['no whole number', ['deploy/t/x', '--to', '1.5'], '--to 1.5: expected a whole number from 0 to'],
    ['a negative number', ['deploy/t/x', '--to', '-1'], '--to -1: expected a whole number'],
  ])('%s is one line and exit code 2', async (_, words, want) => {
    const { status, stdout, stderr } = await springtide(crowded, ...words);
    expect([status, stdout, stderr]).toEqual([2, '', expect.stringContaining(want)]);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });
});
