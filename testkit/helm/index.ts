import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cacheFolder, findGo, goEnvironment, NotBuildable, withLock } from '../controlplane/assets/index.ts';

const run = promisify(execFile);
const PACKAGE = 'helm.sh/helm/v3';
const GO_FOLDER = join(import.meta.dirname, 'go');

/**
 * The program `helm`, built once from its Go module and kept beside the control planes: two minutes of CPU after one
 * of those, two minutes more on a new machine. Or why there is none.
 */
export async function helmProgram(onProgress: (line: string) => void): Promise<{ path: string } | { why: string }> {
  const cache = cacheFolder();
  const { key, variables } = recipe();
  const path = join(cache, key, 'helm');
  if (existsSync(path)) return { path };
  const go = await findGo();
  if (go === null) return { why: 'there is no Go to build helm with' };
  mkdirSync(cache, { recursive: true });
  try {
    await withLock(
      join(cache, `${key}.lock`),
      () => build(go, join(cache, key), variables, onProgress),
      () => onProgress('another process builds helm: waiting for it'),
    );
  } catch (error) {
    if (error instanceof NotBuildable) return { why: error.message };
    throw error;
  }
  return { path };
}

/** The folder's name has the version and a hash of all that goes in. */
function recipe(): { readonly key: string; readonly variables: readonly string[] } {
  const [goMod = '', goSum = ''] = ['go.mod', 'go.sum'].map((name) => readFileSync(join(GO_FOLDER, name), 'utf8'));
  const version = new RegExp(`${PACKAGE} (v\\S+)`).exec(goMod)?.[1] ?? '';
  // Without them Helm takes itself for a client of Kubernetes 1.20.
  const minor = /k8s\.io\/client-go v0\.(\d+)/.exec(goMod)?.[1] ?? '';
  const kubernetes = ['pkg/lint/rules', 'pkg/chartutil'].flatMap((folder) => [
    `${PACKAGE}/${folder}.k8sVersionMajor=1`,
    `${PACKAGE}/${folder}.k8sVersionMinor=${minor}`,
  ]);
  const variables = [`${PACKAGE}/internal/version.version=${version}`, ...kubernetes];
  const platform = `${process.platform}-${process.arch}`;
  const whole = JSON.stringify([goMod, goSum, platform, variables]);
  const hash = createHash('sha256').update(whole).digest('hex').slice(0, 12);
  return { key: `helm-${version}-${platform}-${hash}`, variables };
}

/** The folder appears whole or not at all. */
async function build(
  go: string,
  folder: string,
  variables: readonly string[],
  onProgress: (line: string) => void,
): Promise<void> {
  if (existsSync(folder)) return;
  onProgress('building helm, once: about a minute on two cores');
  const scratch = mkdtempSync(`${folder}-unfinished-`);
  const linker = ['-s', '-w', ...variables.map((variable) => `-X ${variable}`)].join(' ');
  const words = ['build', '-mod=readonly', '-trimpath', '-buildvcs=false', '-ldflags', linker];
  try {
    await run(go, [...words, '-o', join(scratch, 'helm'), `${PACKAGE}/cmd/helm`], {
      cwd: GO_FOLDER,
      env: { ...process.env, ...goEnvironment },
    });
    renameSync(scratch, folder);
  } catch (error) {
    throw new NotBuildable(`helm cannot be built: ${String(error)}`, { cause: error });
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}
