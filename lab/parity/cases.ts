import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ControlPlane } from '@springtide/testkit/controlplane';
import type { Json } from '@springtide/testkit/kubectl';
import { ASKED } from './compare.ts';

/** A dumped cluster with its requests, as objects that can be made again; pods of it that wait are left out. */
export async function caseObjects(plane: ControlPlane, folder: string): Promise<Json[]> {
  const dumped = [...itemsOf(join(folder, 'nodes.json')), ...itemsOf(join(folder, 'pods.json'))];
  const there = dumped.filter(({ kind, spec }) => kind !== 'Pod' || (spec as Json)['nodeName'] !== undefined);
  const asked: Json[] = [];
  for (const file of readdirSync(join(folder, 'requests'))) asked.push(await requestOf(plane, folder, file));
  const namespaces = new Set([...there, ...asked].map(({ metadata }) => (metadata as Json)['namespace']));
  namespaces.delete(undefined);
  return [...[...namespaces].map(namespaceObject), ...there, ...asked];
}

function itemsOf(file: string): Json[] {
  return (JSON.parse(readFileSync(file, 'utf8')) as { readonly items: Json[] }).items;
}

/** kubectl itself reads the file. */
async function requestOf(plane: ControlPlane, folder: string, file: string): Promise<Json> {
  const words = ['create', '--dry-run=client', '-o', 'json', '-f', join(folder, 'requests', file)];
  const pod = JSON.parse(await plane.kubectl(words)) as Json;
  return { ...pod, spec: { ...(pod['spec'] as Json), schedulerName: ASKED } };
}

function namespaceObject(name: unknown): Json {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
}
