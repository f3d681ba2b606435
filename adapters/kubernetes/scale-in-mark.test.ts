import { describe, expect, test } from 'vitest';
import { fieldsOf } from './fields.ts';
import { replicaFactsOf } from './replica-facts.ts';
import { DELETION_COST, markOf, markText, SCALE_IN_MARK } from './scale-in-mark.ts';

const MARK = { replicaSet: 'uid-1', to: 3, atMs: Date.UTC(2026, 10, 30) };
const ours = { [DELETION_COST]: '-1', [SCALE_IN_MARK]: markText(MARK) };

describe('a deletion cost', () => {
  test('is ours by the mark beside it, which is read as it was written', () => {
    expect(ours[SCALE_IN_MARK]).toBe('v1/uid-1/3/2026-11-30T00:00:00.000Z');
    expect(markOf(new Map(Object.entries(ours)))).toEqual(MARK);
  });

  test.each([
    ['no mark', { [DELETION_COST]: '-1' }],
    ['no cost', { [SCALE_IN_MARK]: markText(MARK) }],
    ['a cost that somebody has changed since', { ...ours, [DELETION_COST]: '5' }],
    ['a mark of another version', { ...ours, [SCALE_IN_MARK]: 'v2/uid-1/3/2026-11-30T00:00:00.000Z' }],
    ['a mark without a time', { ...ours, [SCALE_IN_MARK]: 'v1/uid-1/3/then' }],
  ])('is not ours with %s', (_, annotations: Record<string, string>) => {
    expect(markOf(new Map(Object.entries(annotations)))).toBeNull();
  });

  test.each([
    [{ [DELETION_COST]: '100' }, 100],
    [{ [DELETION_COST]: '-7' }, -7],
    // As the controller counts it.
    [{ [DELETION_COST]: '1.5' }, 0],
    [{ ...ours, [DELETION_COST]: '5' }, 5],
    [ours, null],
    [{}, null],
  ])('of others counts, ours does not: %j', (annotations, want) => {
    const ownerReferences = [{ kind: 'ReplicaSet', name: 'x-1', uid: 'rs', controller: true }];
    const pod = { metadata: { uid: 'u', annotations, ownerReferences }, status: { phase: 'Running' } };
    expect(replicaFactsOf(fieldsOf(pod, null))).toMatchObject({ cost: want, owner: { name: 'x-1' }, isReady: false });
  });
});

test('a pod that no ReplicaSet or StatefulSet keeps is no replica', () => {
  const ownerReferences = [{ kind: 'Job', name: 'j', uid: 'j', controller: true }];
  expect(replicaFactsOf(fieldsOf({ metadata: { ownerReferences } }, null))).toBeNull();
});
