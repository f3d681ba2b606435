import { describe, expect, test } from 'vitest';
import { above, aMachine, aRequest, below, exists, isIn, lacks, notIn, PRODUCTS } from '@springtide/testkit/builders';
import { FILTERS, type SelectorExpression, type Taint, type Toleration } from '../model/index.ts';
import { Book } from './book.ts';
import { matchesExpression, matchesNodeAffinity, untolerated, volumesAdmit } from './eligible.ts';

const labels = new Map([
  ['disk', 'ssd'],
  ['generation', '12'],
  ['empty', ''],
  ['negative', '-3'],
  ['version', 'v2'],
]);

describe('a selector expression', () => {
  test.each<[string, SelectorExpression, boolean]>([
    ['In one of the values', isIn('disk', 'nvme', 'ssd'), true],
    ['In none of the values', isIn('disk', 'hdd'), false],
    ['In, without the key', isIn('color', 'red'), false],
    ['In the empty value, with an empty label', isIn('empty', ''), true],
    ['In the empty value, without the key', isIn('color', ''), false],
    ['NotIn the values', notIn('disk', 'hdd'), true],
    ['NotIn, but it is', notIn('disk', 'ssd'), false],
    ['NotIn without the key holds', notIn('color', 'red'), true],
    ['Exists', exists('disk'), true],
    ['Exists, with an empty label', exists('empty'), true],
    ['Exists, without the key', exists('color'), false],
    ['DoesNotExist', lacks('color'), true],
    ['DoesNotExist, but it does', lacks('disk'), false],
    ['Gt as numbers, not as text', above('generation', '9'), true],
    ['Gt the same number', above('generation', '12'), false],
    ['Gt a negative number', above('negative', '-4'), true],
    ['Gt without the key', above('color', '1'), false],
    ['Gt where the label is no integer', above('version', '1'), false],
    ['Gt where the label is empty', above('empty', '-1'), false],
    ['Gt where the bound is no integer', above('generation', '1.5'), false],
    ['Lt as numbers', below('generation', '100'), true],
    ['Lt the same number', below('generation', '12'), false],
    ['Lt without the key', below('color', '1'), false],
    ['Gt without a bound', { key: 'generation', operator: 'Gt', values: [] }, false],
  ])('%s', (_, expression, want) => {
    expect(matchesExpression(expression, labels)).toBe(want);
  });
});

describe('node affinity', () => {
  const machine = aMachine('n1').labelled('disk', 'ssd').labelled('zone', 'a').build();
  const nameIs = (name: string): SelectorExpression => isIn('metadata.name', name);
  test.each([
    ['nothing asked for is met', aRequest(), true],
    ['all of the node selector has to hold', aRequest().nodeSelector('disk', 'ssd').nodeSelector('zone', 'b'), false],
    [
      'one of the terms is enough',
      aRequest()
        .nodeTerm([isIn('zone', 'b')])
        .nodeTerm([isIn('zone', 'a')]),
      true,
    ],
    ['all expressions of a term have to hold', aRequest().nodeTerm([isIn('zone', 'a'), lacks('disk')]), false],
    ['an empty term matches nothing', aRequest().nodeTerm([]), false],
    [
      'an empty term does not spoil the others',
      aRequest()
        .nodeTerm([])
        .nodeTerm([exists('disk')]),
      true,
    ],
    ['a field is the name of the machine', aRequest().nodeTerm([], [nameIs('n1')]), true],
    ['a field and an expression have to hold both', aRequest().nodeTerm([lacks('disk')], [nameIs('n1')]), false],
    [
      'selector and terms have to hold both',
      aRequest()
        .nodeSelector('zone', 'b')
        .nodeTerm([exists('disk')]),
      false,
    ],
  ])('%s', (_, request, want) => {
    expect(matchesNodeAffinity(request.build().constraints, machine)).toBe(want);
  });

  test('a list of terms that is empty matches nothing', () => {
    const { constraints } = aRequest().build();
    expect(matchesNodeAffinity({ ...constraints, nodeTerms: [] }, machine)).toBe(false);
  });
});

describe('volumes', () => {
  const machine = aMachine('n1').labelled('zone', 'a').build();
  const here = [{ expressions: [isIn('zone', 'a')], fields: [] }];
  const there = [{ expressions: [isIn('zone', 'b')], fields: [] }];
  const one = { volume: 'one', machines: here };
  const trouble = { claim: 'c', kind: 'missing' } as const;
  test.each([
    ['none are needed', aRequest(), true],
    ['one that can be used here', aRequest().volume({ volumes: [one] }), true],
    ['one that can be used everywhere', aRequest().volume({ volumes: [{ ...one, machines: null }] }), true],
    ['only elsewhere', aRequest().volume({ volumes: [{ ...one, machines: there }] }), false],
    ['only elsewhere, but one can be made here', aRequest().volume({ machines: here }), true],
    ['one can be made, but only elsewhere', aRequest().volume({ machines: there }), false],
    ['something is wrong with the claim', aRequest().volume({ machines: null, trouble }), false],
    [
      'two claims and one volume',
      aRequest()
        .volume({ volumes: [one] })
        .volume({ volumes: [one] }),
      false,
    ],
    [
      'two claims and two volumes',
      aRequest()
        .volume({ volumes: [one] })
        .volume({ volumes: [one, { ...one, volume: 'two' }] }),
      true,
    ],
    [
      'the first takes what only the second could use',
      aRequest()
        .volume({ volumes: [one, { ...one, volume: 'two' }] })
        .volume({ volumes: [one] }),
      false,
    ],
  ])('%s', (_, request, want) => {
    expect(volumesAdmit(request.build().constraints.volumes, machine)).toBe(want);
  });
});

describe('a toleration', () => {
  const taint: Taint = { key: 'gpu', value: 'a100', effect: 'NoSchedule' };
  const whole: Toleration = { key: 'gpu', operator: 'Equal', value: 'a100', effect: 'NoSchedule' };
  test.each<[string, Partial<Toleration>, boolean]>([
    ['of the same key, value and effect tolerates', {}, true],
    ['of another value does not', { value: 'h100' }, false],
    ['that asks only that the key exists tolerates any value', { operator: 'Exists', value: '' }, true],
    ['of another key does not', { key: 'cpu' }, false],
    ['of another effect does not', { effect: 'NoExecute' }, false],
    ['without an effect tolerates every effect', { effect: '' }, true],
    ['without a key, that exists, tolerates every taint', { key: '', operator: 'Exists', value: '', effect: '' }, true],
    ['without a key but with another effect does not', { key: '', operator: 'Exists', effect: 'NoExecute' }, false],
  ])('%s', (_, part, want) => {
    expect(untolerated([{ ...whole, ...part }], [taint]) === null).toBe(want);
  });

  test('is needed for each taint, and the first that lacks one is named', () => {
    const second: Taint = { key: 'draining', value: '', effect: 'NoExecute' };
    expect(untolerated([whole], [taint, second])).toBe(second);
  });

  test('is not needed where the scheduler is only asked to prefer other machines', () => {
    expect(untolerated([], [{ ...taint, effect: 'PreferNoSchedule' }])).toBeNull();
  });
});

describe('a machine is refused for good', () => {
  const plain = aMachine('n1').cards(PRODUCTS.a100, 1);
  const one = aRequest().whole(1);
  const slice = aRequest().sliceMiB(1000);
  const T4 = PRODUCTS.t4.model;
  test.each([
    ['unschedulable', plain.cordoned(), one],
    ['none', plain.cordoned(), one.tolerating({ key: 'node.kubernetes.io/unschedulable', operator: 'Exists' })],
    ['none', plain.cordoned(), one.tolerating({ operator: 'Exists' })],
    ['unschedulable', plain.cordoned(), one.tolerating({ operator: 'Exists', effect: 'NoExecute' })],
    ['machine', plain, one.onMachine('n2')],
    ['none', plain, one.onMachine('n1')],
    ['taint', plain.tainted('gpu'), one],
    ['selector', plain, one.nodeSelector('disk', 'ssd')],
    ['volume', plain, one.volume({})],
    ['pool', plain.inPool('red'), one],
    ['pool', plain.inPool('red'), one.admittedTo('blue')],
    ['none', plain.inPool('red'), one.admittedTo('blue', 'red')],
    ['pool-asked', plain, one.onlyIn('red').admittedTo('red')],
    ['pool-asked', plain.inPool('red'), one.onlyIn('blue').admittedTo('red')],
    ['pool', plain.inPool('red'), one.onlyIn('red')],
    ['card-resource', aMachine('n1'), one],
    ['card-resource', plain, one.resource('amd.com/gpu')],
    ['card-model', plain, one.models(T4)],
    ['none', plain, one.models(T4, PRODUCTS.a100.model)],
    ['card-slicing', aMachine('n1').cards(PRODUCTS.t4, 1), slice],
    ['card-slicing', aMachine('n1').cards(PRODUCTS.a100Mig, 1), one],
    ['card-slicing', aMachine('n1').cards(PRODUCTS.unknown, 1), slice],
    ['none', aMachine('n1').cards(PRODUCTS.t4, 1).cards(PRODUCTS.a100, 1), slice],
    ['card-slicing', aMachine('n1').cards(PRODUCTS.t4, 1).cards(PRODUCTS.a100, 1), slice.models(T4)],
    ['none', aMachine('n1'), aRequest().cpuMilli(1)],
  ])('%s', (want, machine, request) => {
    const { staticRefusal } = new Book([machine.build()]).classOf(request.build());
    expect(FILTERS[staticRefusal[0] as number]).toBe(want);
  });

  test('by the first filter in order when there are several', () => {
    const machine = aMachine('n1').cordoned().tainted('gpu');
    const request = aRequest().whole(1).onMachine('n2').nodeSelector('disk', 'ssd');
    const { staticRefusal } = new Book([machine.build()]).classOf(request.build());
    expect(FILTERS[staticRefusal[0] as number]).toBe('unschedulable');
  });
});
