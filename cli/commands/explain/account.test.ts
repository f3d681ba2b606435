import { dumpOf, kubeNode, kubePod, type Json } from '@springtide/testkit/kubectl';
import { describe, expect, test } from 'vitest';
import { clusterOf } from '../../cluster/index.ts';
import { BadInput } from '../../terminal/index.ts';
import { accountJson, accountLines, accountOf } from './account.ts';
import { podAsked } from './target.ts';

const gpu = (count: number) => ({
  capacity: { 'nvidia.com/gpu': String(count) },
  labels: { 'nvidia.com/gpu.product': 'Tesla-T4' },
});
const cards = (count: number) => ({ requests: { cpu: '1', 'nvidia.com/gpu': String(count) } });

const ITEMS: readonly Json[] = [
  kubeNode('a', gpu(4)),
  kubeNode('b', gpu(2)),
  kubePod('t/big', 'a', cards(3)),
  kubePod('t/web-6d9f7c-abc', 'b', { ...cards(1), metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } }),
  kubePod('t/over', 'b', cards(2)),
  kubePod('t/cpu', 'a', { requests: { cpu: '1' } }),
  kubePod('t/wait', null, cards(2)),
  kubePod('t/fits', null, cards(1)),
  kubePod('t/gated', null, { ...cards(1), spec: { schedulingGates: [{ name: 'x/y' }] } }),
];

function told(pod: string): { json: Record<string, unknown>; english: string; chinese: string } {
  const dump = dumpOf(ITEMS);
  const cluster = clusterOf(dump, 'tide');
  const free = [...cluster.book.cardsFree];
  const account = accountOf(cluster, podAsked(dump, `pod/${pod}`, 'en'));
  expect([...cluster.book.cardsFree]).toEqual(free);
  return {
    json: JSON.parse(JSON.stringify(accountJson(cluster, account))) as Record<string, unknown>,
    english: accountLines(cluster, account, 'en').join('\n'),
    chinese: accountLines(cluster, account, 'zh').join('\n'),
  };
}

describe('a pod that waits', () => {
  test('and fits nowhere is told why, and what would help', () => {
    const { json, english, chinese } = told('t/wait');
    expect(json).toMatchObject({
      state: 'waiting',
      machine: null,
      held: [],
      standing: null,
      explanation: {
        machine: null,
        refusals: [{ filter: 'cards', machines: 2 }],
        remedies: [{ filter: 'cards', missing: 1, nearest: 'a' }],
      },
    });
    expect(english).toContain('None of 2 machines can take it now.');
    expect(english).toContain('- 1 more free card on a; 2 machines lack nothing else');
    expect(chinese).toContain('- a 上再空出 1 张卡（只差这一项的共 2 台机器）');
  });

  test('and fits is told where', () => {
    const { json, english } = told('t/fits');
    expect(json).toMatchObject({ state: 'waiting', explanation: { machine: 'a', cards: ['a/3'] } });
    expect(english).toContain('tide would place it on a now: card a/3.');
  });

  test('behind gates is told so', () => {
    expect(told('t/gated').english).toContain('Scheduling gates hold it back');
    expect(told('t/gated').json).toMatchObject({ gated: true });
  });
});

describe('a pod that runs', () => {
  test('is told what it holds and how its machine ranks', () => {
    const { json, english } = told('t/big');
    expect(json).toMatchObject({
      state: 'placed',
      machine: 'a',
      guessed: true,
      held: [{ card: 'a/0' }, { card: 'a/1' }, { card: 'a/2' }],
      standing: { rank: 1, feasibleMachines: 1 },
    });
    expect(english).toContain('It holds a/0, a/1, a/2.');
    expect(english).toContain('tide would choose it again.');
  });

  test('on an overbooked machine is told that a card is missing, and that it would not go there again', () => {
    const { json, english, chinese } = told('t/web-6d9f7c-abc');
    expect(json).toMatchObject({
      deleting: true,
      cardsMissing: 1,
      standing: { rank: null, obstacles: [{ filter: 'cards' }] },
    });
    expect(english).toContain('is being deleted');
    expect(english).toContain('1 of the cards that it holds is not there');
    expect(chinese).toContain('b 放不下它，还需要：再空出 1 张卡。');
  });

  test('without cards holds none', () => {
    expect(told('t/cpu').english).toContain('It holds no card.');
  });
});

describe('the pod asked for', () => {
  const dump = dumpOf(ITEMS);

  test.each(['pod/t/wait', 'pods/t/wait', 't/wait'])('may be written %s', (text) => {
    expect(podAsked(dump, text, 'en').pod.id).toBe('t/wait');
  });

  test.each([
    ['wait', 'expected pod/NAMESPACE/NAME'],
    ['pod/wait', 'expected pod/NAMESPACE/NAME'],
    ['deployment/t/wait', 'expected pod/NAMESPACE/NAME'],
    ['pod/t/nothing', 'there is no pod t/nothing that runs or waits'],
    ['pod/t/web', 'there are t/web-6d9f7c-abc'],
    ['pod/t/web-6d9f7c-xyz', 'there are t/web-6d9f7c-abc'],
  ])('%s is refused with what is there', (text, want) => {
    expect(() => podAsked(dump, text, 'en')).toThrow(BadInput);
    expect(() => podAsked(dump, text, 'en')).toThrow(want);
    expect(() => podAsked(dump, text, 'zh')).toThrow(/\p{Script=Han}/u);
  });
});
