import type { CardTemplate } from '@springtide/core/model';
import { cardResource, templateAmounts } from '@springtide/core/vendors';
import { dumpOf, kubeNode, kubePod } from '@springtide/testkit/kubectl';
import { describe, expect, test } from 'vitest';
import { fieldsOf } from '../fields.ts';
import { STARTER_TEMPLATES } from '../install/starter-templates.ts';
import { cardTemplateOf } from './card-template.ts';

/** What a pod asks of cards that got the amounts of a starter template. */
function asked(name: string, resource: string): unknown {
  const object = STARTER_TEMPLATES.find(({ metadata }) => metadata.name === name);
  const template: CardTemplate = cardTemplateOf(fieldsOf(object, null));
  const card = cardResource(resource);
  const amounts = card === null ? null : templateAmounts(template, card);
  const requests = Object.fromEntries([...(amounts ?? [])].map(([key, amount]) => [key, String(amount)]));
  return dumpOf([kubeNode('n'), kubePod('t/p', null, { requests })]).pods[0]?.pod.request.cards;
}

describe('P3: the starter templates for shared cards', () => {
  test.each([
    ['shared-small', 4096],
    ['shared-medium', 8192],
  ])('%s asks for shared memory, and for compute as it is free', (name, amount) => {
    expect(asked(name, 'nvidia.com/gpu')).toEqual({
      kind: 'shared',
      resource: 'nvidia.com/gpu',
      count: 1,
      models: null,
      memory: { unit: 'mib', amount },
      computeMilli: 0,
      priority: 1,
    });
  });

  test('are slices where the plug-in knows no priority, and a slice is never shared', () => {
    expect(asked('shared-small', 'amd.com/gpu')).toMatchObject({ kind: 'slice', memory: { amount: 4096 } });
    expect(asked('slice-10g', 'nvidia.com/gpu')).toMatchObject({ kind: 'slice', memory: { amount: 10_240 } });
  });
});
