import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { binaries, goFolder, recipeOf, stageFiles } from './recipe.ts';

const goMod = `module example
require (
	go.etcd.io/etcd/server/v3 v3.7.0
	k8s.io/kubernetes v1.37.2
	sigs.k8s.io/kwok v0.8.0
)
`;

describe('a recipe', () => {
  test('reads the versions from go.mod and tells them to the linker', () => {
    const { kubernetesVersion, variables } = recipeOf(goMod, '', 'linux-x64');
    expect(kubernetesVersion).toBe('v1.37.2');
    expect(variables).toMatchObject({
      'k8s.io/component-base/version.gitVersion': 'v1.37.2',
      'k8s.io/component-base/version.gitMajor': '1',
      'k8s.io/client-go/pkg/version.gitMinor': '37',
      'sigs.k8s.io/kwok/pkg/consts.Version': 'v0.8.0',
    });
  });

  test('has another key as soon as anything differs, and the same one otherwise', () => {
    const { key } = recipeOf(goMod, 'sums', 'linux-x64');
    expect(recipeOf(goMod, 'sums', 'linux-x64').key).toBe(key);
    const others = [
      recipeOf(goMod.replace('v0.8.0', 'v0.8.1'), 'sums', 'linux-x64'),
      recipeOf(goMod, 'other sums', 'linux-x64'),
      recipeOf(goMod, 'sums', 'darwin-arm64'),
    ].map((recipe) => recipe.key);
    expect(new Set([key, ...others]).size).toBe(4);
    expect(key).toMatch(/^kubernetes-v1\.37\.2-linux-x64-[0-9a-f]{12}$/);
  });

  test('cannot be made of a go.mod that lacks a module', () => {
    expect(() => recipeOf('module example\n', '', 'linux-x64')).toThrow('go.mod does not require k8s.io/kubernetes');
  });

  test('builds exactly the packages that tools.go keeps in go.mod', () => {
    const tools = readFileSync(join(goFolder, 'tools.go'), 'utf8');
    const kept = Array.from(tools.matchAll(/_ "(.+)"/g), ([, path = '']) => path);
    expect(binaries.map((binary) => binary.package).toSorted()).toEqual(kept.toSorted());
  });

  test('leaves the stage out that ends the pods of Jobs at once', () => {
    expect(stageFiles.join()).not.toContain('pod-complete');
  });
});
