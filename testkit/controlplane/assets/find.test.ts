import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { cacheFolder, findAssets, stageName } from './find.ts';
import { binaryNames, readRecipe, stageFiles } from './recipe.ts';

let root = '';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'assets-'));
});
afterEach(() => {
  rmSync(root, { recursive: true });
});

function program(folder: string, name: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), '');
  chmodSync(join(folder, name), 0o755);
}

function stages(folder: string): void {
  mkdirSync(join(folder, 'stages'), { recursive: true });
  for (const file of stageFiles) writeFileSync(join(folder, 'stages', stageName(file)), '');
}

/** A folder with everything, as a build leaves it. */
function built(): string {
  const folder = join(root, 'cache', readRecipe().key);
  for (const name of binaryNames) program(folder, name);
  stages(folder);
  return folder;
}

const env = (more: Record<string, string> = {}): Record<string, string> => ({
  SPRINGTIDE_CONTROLPLANE: join(root, 'cache'),
  ...more,
});

describe('the cache', () => {
  test('is the folder that is named, else below the cache of the user', () => {
    expect(cacheFolder({ SPRINGTIDE_CONTROLPLANE: '/c', XDG_CACHE_HOME: '/x' })).toBe('/c');
    expect(cacheFolder({ XDG_CACHE_HOME: '/x' })).toBe('/x/springtide/controlplane');
    expect(cacheFolder({})).toBe(join(homedir(), '.cache/springtide/controlplane'));
  });

  test('of XDG counts only as an absolute path', () => {
    expect(cacheFolder({ XDG_CACHE_HOME: 'x' })).toBe(cacheFolder({}));
  });
});

describe('assets', () => {
  test('are all missing on a new machine', () => {
    expect(findAssets(readRecipe(), env())).toEqual({ assets: null, missing: [...binaryNames, 'stages'] });
  });

  test('are those that were built', () => {
    const folder = built();
    const { assets, missing } = findAssets(readRecipe(), env());
    expect(missing).toEqual([]);
    expect(assets?.binaries.etcd).toBe(join(folder, 'etcd'));
    expect(assets?.stagesFolder).toBe(join(folder, 'stages'));
  });

  test('in KUBEBUILDER_ASSETS come first, and what is not there comes from the cache', () => {
    const folder = built();
    const given = join(root, 'given');
    for (const name of ['etcd', 'kube-apiserver', 'kubectl']) program(given, name);
    const { assets } = findAssets(readRecipe(), env({ KUBEBUILDER_ASSETS: given }));
    expect(assets?.binaries['kube-apiserver']).toBe(join(given, 'kube-apiserver'));
    expect(assets?.binaries['kube-scheduler']).toBe(join(folder, 'kube-scheduler'));
  });

  test('in KUBEBUILDER_ASSETS need nothing else when it has everything', () => {
    const given = join(root, 'given');
    for (const name of binaryNames) program(given, name);
    stages(given);
    expect(findAssets(readRecipe(), env({ KUBEBUILDER_ASSETS: given })).missing).toEqual([]);
  });

  test('in a folder that is not there are a mistake, not a reason to build', () => {
    const found = (): unknown => findAssets(readRecipe(), env({ KUBEBUILDER_ASSETS: join(root, 'nowhere') }));
    expect(found).toThrow('KUBEBUILDER_ASSETS names a folder that does not exist');
  });

  test('that cannot be executed are missing', () => {
    chmodSync(join(built(), 'kwok'), 0o644);
    expect(findAssets(readRecipe(), env()).missing).toEqual(['kwok']);
  });
});
