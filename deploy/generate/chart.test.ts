import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { manifestsOf } from '@springtide/adapters/kubernetes/install';
import { describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { DEPLOY, generatedFiles } from './index.ts';

const read = (path: string): string => readFileSync(join(DEPLOY, path), 'utf8');
const values = parse(read('chart/values.yaml'));
const GIVEN = { namespace: 'springtide-system', image: 'registry.example.com/springtide:0.1.0', version: '0.1.0' };

describe('what is generated of the chart', () => {
  test('is as committed: npm run chart brings it up to date', () => {
    for (const [path, text] of generatedFiles()) expect([path, read(path)]).toEqual([path, text]);
    const definitions = readdirSync(join(DEPLOY, 'chart', 'crds')).map((name) => `chart/crds/${name}`);
    expect(definitions.filter((path) => !generatedFiles().has(path))).toEqual([]);
  });

  test.each(['own', 'cert-manager'] as const)(
    'is object by object what springtide install makes, with certificates: %s',
    (certificates) => {
      const made = Object.fromEntries(rendered(certificates).map((object) => [idOf(object), object]));
      const wanted = manifestsOf({ ...GIVEN, certificates }).filter(({ kind }) => kind !== 'Namespace');
      expect(made).toEqual(Object.fromEntries(wanted.map((object) => [idOf(object), ofHelm(object)])));
    },
  );

  test('has no object of which nobody said when it is there', () => {
    for (const [path, text] of generatedFiles()) {
      if (!path.startsWith('chart/templates/')) continue;
      const [, ...documents] = text.split('\n---\n');
      expect(text.match(/^\{\{- if .*\}\}\n---$/gm)).toHaveLength(documents.length);
    }
  });
});

describe('the values', () => {
  test('have the resources of springtide install', () => {
    for (const part of ['scheduler', 'webhook']) {
      const name = `springtide-${part}`;
      const object: any = manifestsOf(GIVEN).find(
        ({ kind, metadata }) => kind === 'Deployment' && metadata.name === name,
      );
      expect(values[part].resources).toEqual(object.spec.template.spec.containers[0].resources);
    }
  });

  test('are all in the schema, which names no others', () => {
    expect(namesIn(values)).toEqual(namesOf(JSON.parse(read('chart/values.schema.json'))));
  });

  test('and the chart are of the version of the program', () => {
    const program = JSON.parse(read('../cli/package.json')).version;
    const { version, appVersion } = parse(read('chart/Chart.yaml'));
    expect([version, appVersion]).toEqual([program, program]);
  });
});

/** Without Helm: the few expressions of generated templates, with every switch on as it is by default. */
function rendered(certificates: 'own' | 'cert-manager'): any[] {
  const objects: any[] = [];
  for (const [path, text] of generatedFiles()) {
    if (!/^chart\/(templates|crds)\//.test(path)) continue;
    const plain = shownLines(text, certificates).replaceAll(/\{\{ .*? \}\}/g, valueOf);
    objects.push(...parseAllDocuments(plain).map((document) => document.toJS()));
  }
  return objects.filter((object) => object !== null);
}

function shownLines(text: string, certificates: string): string {
  const conditions: boolean[] = [];
  const lines = text.split('\n').filter((line) => {
    const other = /certificates "([\w-]+)"/.exec(line)?.[1] ?? certificates;
    if (line.startsWith('{{- if ')) conditions.push(other === certificates);
    else if (line.startsWith('{{- end ')) conditions.pop();
    return !line.startsWith('{{-') && !conditions.includes(false);
  });
  return lines.join('\n');
}

function valueOf(expression: string): string {
  if (expression.includes('.Release.Namespace')) return GIVEN.namespace;
  if (expression.includes('springtide.image')) return GIVEN.image;
  if (expression.includes('.Chart.AppVersion')) return `"${GIVEN.version}"`;
  if (expression.includes('.Release.Service')) return 'Helm';
  const part = /toJson \.Values\.(\w+)\.resources/.exec(expression)?.[1] ?? '';
  return JSON.stringify(values[part].resources);
}

function idOf({ kind, metadata }: any): string {
  return `${kind} ${metadata.namespace ?? ''}/${metadata.name}`;
}

/** Helm says that it manages what it makes. */
function ofHelm(object: object): unknown {
  return JSON.parse(JSON.stringify(object).replaceAll('managed-by":"springtide"', 'managed-by":"Helm"'));
}

/** Paths of all fields, down to those whose names are free. */
function namesIn(object: Record<string, any>, path = ''): string[] {
  const isFree = (name: string): boolean => ['resources', 'labels', 'apiServerPorts'].includes(name);
  return Object.entries(object)
    .flatMap(([name, value]) =>
      typeof value === 'object' && !isFree(name) ? namesIn(value, `${path}${name}.`) : [`${path}${name}`],
    )
    .toSorted();
}

function namesOf(schema: any): string[] {
  const found = (node: any, path: string): string[] => {
    const { properties } = node.$ref === '#/definitions/switch' ? schema.definitions.switch : node;
    if (properties === undefined) return [path.slice(0, -1)];
    return Object.entries(properties).flatMap(([name, child]) => found(child, `${path}${name}.`));
  };
  // Helm adds `global` to what its user gives.
  return found(schema, '')
    .filter((name) => name !== 'global')
    .toSorted();
}
