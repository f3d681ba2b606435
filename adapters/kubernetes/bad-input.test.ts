import { type Json, kubeList, kubeNode, kubePod } from '@springtide/testkit/kubectl';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type InputError, inputErrorText } from './fault.ts';
import { parseDump, readDump } from './read-dump.ts';

const good = kubeList([kubeNode('n'), kubePod('a/b', 'n')]);

function errorOf(text: string | Buffer): InputError {
  const read = parseDump([['d.json', Buffer.from(text)]]);
  if (read.ok) throw new Error('it was accepted');
  return read.error;
}

function withNode(change: Json): string {
  return kubeList([kubeNode('n'), { ...kubeNode('bad'), ...change }]);
}

function withPod(spec: Json): string {
  return kubeList([kubeNode('n'), kubePod('a/bad', 'n', { spec })]);
}

function asking(name: string, amount: unknown): string {
  return withPod({ containers: [{ name: 'm', resources: { requests: { [name]: amount } } }] });
}

const CPU = 'items[1].spec.containers[0].resources.requests.cpu';

describe('a dump that is refused', () => {
  test.each<[string, string, InputError['code'], string, string]>([
    ['a table', 'NAME   STATUS\nn   Ready', 'not-a-dump', '', 'a JSON object'],
    ['YAML', 'apiVersion: v1\nkind: List', 'not-a-dump', '', 'a JSON object'],
    ['a JSON list', '[1, 2]', 'not-a-dump', '', 'a JSON object'],
    ['other JSON', '{"hello": 1}', 'not-a-dump', 'kind', 'nodes and pods'],
    ['a list of other kinds', '{"kind":"DeploymentList","items":[{}]}', 'not-a-dump', '', 'there is no node'],
    ['pods without nodes', kubeList([kubePod('a/b', 'n')]), 'not-a-dump', '', 'there is no node'],
    ['items of no kind', '{"items":[{"metadata":{}}]}', 'not-a-dump', 'items[0].kind', 'nodes and pods'],
    ['items that are no objects', '{"kind":"List","items":[3]}', 'wrong-type', 'items[0]', 'an object'],
    ['a file cut in an object', good.slice(0, 400), 'cut', 'items[0]', 'the rest of the file'],
    ['a file cut behind the last object', good.slice(0, good.lastIndexOf(']')), 'cut', '', 'the rest of the file'],
    ['a comma too many', '{"kind":"List","items":[{"kind":"Node",}]}', 'syntax', 'items[0]', 'JSON'],
    ['a node without a name', withNode({ metadata: {} }), 'missing', 'items[1].metadata.name', 'a name'],
    [
      'labels that are a list',
      withNode({ metadata: { name: 'x', labels: [1] } }),
      'wrong-type',
      'items[1].metadata.labels',
      'an object',
    ],
    [
      'a label that is a number',
      withNode({ metadata: { name: 'x', labels: { 'a/b': 1 } } }),
      'wrong-type',
      'items[1].metadata.labels["a/b"]',
      'a string',
    ],
    [
      'a taint of an unknown effect',
      withNode({ spec: { taints: [{ key: 'a', effect: 'Maybe' }] } }),
      'value',
      'items[1].spec.taints[0].effect',
      'NoSchedule',
    ],
    ['containers that are an object', withPod({ containers: {} }), 'wrong-type', 'items[1].spec.containers', 'a list'],
    ['CPU that is no quantity', asking('cpu', 'many'), 'quantity', CPU, 'a quantity such as'],
    ['CPU that is true', asking('cpu', true), 'quantity', CPU, 'a quantity such as'],
    ['negative CPU', asking('cpu', '-1'), 'negative', CPU, 'not negative'],
    ['absurd CPU', asking('cpu', '1e18'), 'absurd', CPU, 'at most 10^15'],
    [
      'part of a card',
      asking('nvidia.com/gpu', '1500m'),
      'quantity',
      'items[1].spec.containers[0].resources.requests["nvidia.com/gpu"]',
      'a whole number',
    ],
    [
      'negative memory of a machine',
      withNode({ status: { capacity: { memory: '-1Gi' } } }),
      'negative',
      'items[1].status.capacity.memory',
      'not negative',
    ],
    [
      'a machine of a million cards',
      withNode({ status: { capacity: { 'amd.com/gpu': '1M' } } }),
      'absurd',
      'items[1].status.capacity["amd.com/gpu"]',
      'at most 4096 cards',
    ],
    [
      'a machine of a million instances',
      withNode({ status: { allocatable: { 'nvidia.com/mig-1g.5gb': '1M' } } }),
      'absurd',
      'items[1].status.allocatable["nvidia.com/mig-1g.5gb"]',
      'at most 4096 cards',
    ],
    [
      'an unknown operator',
      withPod({
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [{ matchExpressions: [{ key: 'a', operator: 'Is' }] }],
            },
          },
        },
      }),
      'value',
      'items[1].spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0].operator',
      'one of In',
    ],
  ])('%s', (_, text, code, path, expected) => {
    const error = errorOf(text);
    expect(error).toMatchObject({ code, path, file: 'd.json' });
    expect(error.expected).toContain(expected);
    expect(inputErrorText(error)).toMatch(/^d\.json.* expected /);
  });

  test('names the line and the object', () => {
    const error = errorOf(asking('cpu', '-1'));
    const lines = asking('cpu', '-1').split('\n');
    expect(lines[(error.line ?? 0) - 1]?.slice((error.column ?? 0) - 1)).toBe('{');
    expect(error.subject).toBe('Pod a/bad');
    expect(inputErrorText(error)).toBe(
      `d.json:${error.line}:${error.column}: ${CPU} (Pod a/bad): expected a quantity that is not negative, found "-1"`,
    );
  });

  test('a cut file is told at its end', () => {
    const text = good.slice(0, 400);
    expect(errorOf(text)).toMatchObject({
      line: text.split('\n').length,
      column: (text.split('\n').at(-1)?.length ?? 0) + 1,
    });
  });

  test('no text of the file is in a message about its form', () => {
    const text = '{"kind":"List","items":[{"kind":"Pod","env":"hunter2" "x"}]}';
    expect(JSON.stringify(errorOf(text))).not.toContain('hunter2');
  });
});

describe('files', () => {
  let folder = '';

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'springtide-'));
    await mkdir(join(folder, 'half'));
    await mkdir(join(folder, 'zipped'));
    await writeFile(join(folder, 'empty.json'), ' \n');
    await writeFile(join(folder, 'good.json'), good);
    await writeFile(join(folder, 'cut.json.gz'), gzipSync(good).subarray(0, 60));
    await writeFile(join(folder, 'utf16.json'), Buffer.from(`\uFEFF${good}`, 'utf16le'));
    await writeFile(join(folder, 'bom.json'), `\uFEFF${good}`);
    await writeFile(join(folder, 'half', 'nodes.json'), good);
    await writeFile(join(folder, 'zipped', 'nodes.json.gz'), gzipSync(kubeList([kubeNode('n')])));
    await writeFile(join(folder, 'zipped', 'pods.json'), kubeList([kubePod('a/b', 'n')]));
  });

  afterAll(() => rm(folder, { recursive: true }));

  test.each<[string, InputError['code'], string]>([
    ['absent.json', 'unreadable', 'a file or folder'],
    ['empty.json', 'empty', 'the file is empty'],
    ['cut.json.gz', 'cut', 'a whole gzip file'],
    ['half', 'unreadable', 'pods.json'],
  ])('%s is refused', async (name, code, expected) => {
    const read = await readDump(join(folder, name));
    expect(read).toMatchObject({ ok: false, error: { code, line: null, path: '' } });
    expect(!read.ok && read.error.expected).toContain(expected);
  });

  test.each(['good.json', 'utf16.json', 'bom.json', 'zipped'])('%s is read', async (name) => {
    const read = await readDump(join(folder, name));
    expect(read.ok && [read.value.machines.length, read.value.pods.length]).toEqual([1, 1]);
  });

  test('standard input is read, zipped or not', async () => {
    for (const bytes of [Buffer.from(good), gzipSync(good)]) {
      const stdin = Readable.from([bytes.subarray(0, 10), bytes.subarray(10)]);
      const read = await readDump('-', { stdin });
      expect(read.ok && read.value.pods.length).toBe(1);
    }
    const none = await readDump('-', { stdin: Readable.from([]) });
    expect(none).toMatchObject({ ok: false, error: { code: 'empty', file: '-' } });
  });
});
