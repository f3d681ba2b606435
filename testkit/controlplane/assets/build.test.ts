import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { buildAssets, NotBuildable } from './build.ts';
import { findAssets } from './find.ts';
import { readRecipe, stageFiles } from './recipe.ts';

const recipe = readRecipe();
let root = '';
let cache = '';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'build-'));
  cache = join(root, 'cache');
  for (const file of stageFiles) {
    const stage = join(root, 'module', 'kustomize', 'stage', file);
    mkdirSync(dirname(stage), { recursive: true });
    writeFileSync(stage, 'kind: Stage\n');
  }
});
afterEach(() => {
  rmSync(root, { recursive: true });
});

/** A command in the place of Go that notes its calls, writes what it is to build, and fails at one package. */
function fakeGo(failsAt = 'nothing'): string {
  const file = join(root, 'go');
  const script = `#!/bin/sh
echo "$*" >> '${root}/calls'
if [ "$1" = list ]; then echo '${root}/module'; exit 0; fi
while [ "$1" != -o ]; do shift; done
folder=$2; shift 2
for package in "$@"; do
  echo "$package" >&2
  case "$package" in *${failsAt}) echo 'cannot compile' >&2; exit 1;; esac
  name=$(basename "\${package%/v3}")
  echo binary > "$folder$name"; chmod 755 "$folder$name"
done
sleep 0.1
`;
  writeFileSync(file, script);
  chmodSync(file, 0o755);
  return file;
}

function callsCount(): number {
  return readFileSync(join(root, 'calls'), 'utf8').trim().split('\n').length;
}

describe('a build', () => {
  test('leaves everything that a control plane needs, and nothing else', async () => {
    const lines: string[] = [];
    await buildAssets({ recipe, go: fakeGo(), cache, onProgress: (line) => lines.push(line) });
    expect(findAssets(recipe, { SPRINGTIDE_CONTROLPLANE: cache }).missing).toEqual([]);
    expect(readdirSync(cache)).toEqual([recipe.key]);
    expect(lines.at(-1)).toMatch(/^built in \d+ s: /);
  });

  test('tells the linker the version', async () => {
    await buildAssets({ recipe, go: fakeGo(), cache, onProgress: () => {} });
    const calls = readFileSync(join(root, 'calls'), 'utf8');
    expect(calls).toContain(`-X k8s.io/component-base/version.gitVersion=${recipe.kubernetesVersion}`);
  });

  test('that fails says why and leaves nothing', async () => {
    const build = buildAssets({ recipe, go: fakeGo('kube-scheduler'), cache, onProgress: () => {} });
    await expect(build).rejects.toThrow('cannot compile');
    expect(readdirSync(cache)).toEqual([]);
  });

  test('that cannot fetch its modules says so, and leaves nothing', async () => {
    const go = join(root, 'go');
    writeFileSync(go, "#!/bin/sh\necho 'dial tcp: no such host' >&2; exit 1\n");
    chmodSync(go, 0o755);
    const build = buildAssets({ recipe, go, cache, onProgress: () => {} });
    await expect(build).rejects.toThrow(NotBuildable);
    await expect(build).rejects.toThrow('no such host');
    expect(readdirSync(cache)).toEqual([]);
  });

  test('happens once, when two begin at the same time, and never again', async () => {
    const lines: string[] = [];
    const options = { recipe, go: fakeGo(), cache, onProgress: (line: string) => void lines.push(line) };
    await Promise.all([buildAssets(options), buildAssets(options)]);
    await buildAssets(options);
    // One to fetch, one to build and one to ask for the stages.
    expect(callsCount()).toBe(3);
    expect(lines.filter((line) => line.includes('waiting'))).toHaveLength(1);
  });

  test('removes what a killed one has left behind', async () => {
    const left = join(cache, `.unfinished-${recipe.key}-abc`);
    mkdirSync(left, { recursive: true });
    await buildAssets({ recipe, go: fakeGo(), cache, onProgress: () => {} });
    expect(existsSync(left)).toBe(false);
  });
});
