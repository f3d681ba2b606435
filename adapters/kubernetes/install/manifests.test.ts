import { describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { idOf, INSTALLED_KINDS, textOfId } from './kinds.ts';
import { manifestsOf, yamlOf } from './manifests.ts';
import { PART_LABELS } from './names.ts';
import { checkInstallOptions, type InstallOptions } from './options.ts';

const OPTIONS = { namespace: 'springtide-system', image: 'registry.example.com/springtide:1.0', version: '1.0' };

describe('the manifests', () => {
  test('carry our labels, are of listed kinds, and stand in the order in which they are made', () => {
    const objects = manifestsOf(OPTIONS);
    for (const { metadata } of objects) expect(metadata['labels']).toMatchObject(PART_LABELS);
    const ranks = objects.map((object) => INSTALLED_KINDS.indexOf(idOf(object).kind));
    expect(ranks).toEqual(ranks.toSorted((left, right) => left - right));
    expect(new Set(objects.map((object) => textOfId(idOf(object)))).size).toBe(objects.length);
  });

  test('are the same when read back from YAML, texts that look like numbers too', () => {
    const objects = manifestsOf(OPTIONS);
    const read = parseAllDocuments(yamlOf(objects)).map((document) => document.toJS() as unknown);
    expect(read).toEqual(objects);
  });

  test('do not make a namespace that every cluster has', () => {
    const kinds = (namespace: string): string[] => manifestsOf({ ...OPTIONS, namespace }).map(({ kind }) => kind);
    expect(kinds('springtide-system')).toContain('Namespace');
    expect(kinds('kube-system')).not.toContain('Namespace');
    expect(kinds('default')).not.toContain('Namespace');
  });

  test('grant nothing by a star, and of secrets only the one of the webhook', () => {
    const rules = manifestsOf(OPTIONS).flatMap((object) => (object['rules'] ?? []) as Record<string, string[]>[]);
    expect(rules.length).toBeGreaterThan(0);
    const words = rules.flatMap((rule) => Object.values(rule).flat());
    expect(words).not.toContain('*');
    const onSecrets = rules.filter((rule) => rule['resources']?.includes('secrets'));
    expect(onSecrets.map((rule) => rule['resourceNames'])).toEqual([['springtide-webhook-tls']]);
  });
});

describe('the webhook', () => {
  const hooks = (options: Partial<InstallOptions> = {}): any[] => {
    const objects = manifestsOf({ ...OPTIONS, ...options });
    return objects.find(({ kind }) => kind === 'MutatingWebhookConfiguration')?.['webhooks'] as any[];
  };

  test('fails closed only for objects that name a template, and open for the pods of namespaces', () => {
    for (const { name, failurePolicy, objectSelector, namespaceSelector } of hooks()) {
      const isOfTemplates = String(name).endsWith('.templates.springtide.io');
      expect(failurePolicy).toBe(isOfTemplates ? 'Fail' : 'Ignore');
      if (isOfTemplates)
        expect(objectSelector.matchExpressions).toEqual([{ key: 'springtide.io/template', operator: 'Exists' }]);
      else expect(namespaceSelector).toEqual({ matchLabels: { 'springtide.io/schedule': 'true' } });
    }
    expect(hooks()).toHaveLength(5);
  });

  test('has its certificate from cert-manager where that is asked for', () => {
    const kinds = (certificates: 'own' | 'cert-manager'): string[] =>
      manifestsOf({ ...OPTIONS, certificates }).map(({ kind }) => kind);
    expect(kinds('own')).toContain('Secret');
    expect(kinds('own')).not.toContain('Certificate');
    expect(kinds('cert-manager')).not.toContain('Secret');
    expect(kinds('cert-manager')).toContain('Certificate');
    const objects = manifestsOf({ ...OPTIONS, certificates: 'cert-manager' });
    const configuration = objects.find(({ kind }) => kind === 'MutatingWebhookConfiguration');
    expect(configuration?.metadata['annotations']).toEqual({
      'cert-manager.io/inject-ca-from': 'springtide-system/springtide-webhook',
    });
  });
});

describe('options', () => {
  test.each([
    ['registry.example.com/team/springtide:0.1.0', true],
    ['localhost:5000/springtide:latest', true],
    [`springtide@sha256:${'a'.repeat(64)}`, true],
    ['springtide', false],
    ['localhost:5000/springtide', false],
    ['springtide:', false],
    ['spring tide:1', false],
    ['springtide:1\nevil: true', false],
    ['', false],
  ])('the image %j is accepted: %s', (image, want) => {
    expect(checkInstallOptions({ ...OPTIONS, image }).ok).toBe(want);
  });

  test.each([
    ['springtide-system', true],
    ['a', true],
    ['A', false],
    ['-a', false],
    ['a.b', false],
    ['a'.repeat(64), false],
    ['', false],
  ])('the namespace %j is accepted: %s', (namespace, want) => {
    expect(checkInstallOptions({ ...OPTIONS, namespace }).ok).toBe(want);
  });
});
