import { describe, expect, test } from 'vitest';
import { affinityOff } from './affinity.ts';

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const off = (machine: string) => ({ key: 'metadata.name', operator: 'NotIn', values: [machine] });
const ofTerms = (...nodeSelectorTerms: readonly object[]) => ({ nodeAffinity: { [REQUIRED]: { nodeSelectorTerms } } });

describe('R1: pods are kept off suspect machines', () => {
  test('off none: as it was written', () => {
    expect(affinityOff(null, [])).toBeNull();
  });

  test('where nothing was written, by one term with one field a machine', () => {
    expect(affinityOff(null, ['a', 'b'])).toEqual(ofTerms({ matchFields: [off('a'), off('b')] }));
  });

  test('what was written stays, each term keeps off, and one that matches nothing still does', () => {
    const zone = { matchExpressions: [{ key: 'zone', operator: 'In', values: ['z'] }] };
    const written = { podAffinity: { any: 1 }, ...ofTerms(zone, {}) };
    const wanted = { podAffinity: { any: 1 }, ...ofTerms({ ...zone, matchFields: [off('a')] }, {}) };
    expect(affinityOff(written, ['a'])).toEqual(wanted);
  });
});
