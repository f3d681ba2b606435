import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type GoProgram, goProgram } from '../go-program/index.ts';

const PACKAGE = 'helm.sh/helm/v3';
const GO_FOLDER = join(import.meta.dirname, 'go');

/**
 * The program `helm`, built once from its Go module and kept beside the control planes: two minutes of CPU after one
 * of those, two minutes more on a new machine. Or why there is none.
 */
export async function helmProgram(onProgress: (line: string) => void): Promise<{ path: string } | { why: string }> {
  const { key, variables } = recipe();
  const linker = ['-s', '-w', ...variables.map((variable) => `-X ${variable}`)].join(' ');
  const words = ['build', '-mod=readonly', '-trimpath', '-buildvcs=false', '-ldflags', linker];
  const program: GoProgram = {
    name: 'helm',
    key,
    about: 'about a minute on two cores',
    build: async (go, folder) => {
      await go([...words, '-o', join(folder, 'helm'), `${PACKAGE}/cmd/helm`], { cwd: GO_FOLDER });
    },
  };
  const built = await goProgram(program, onProgress);
  return 'why' in built ? built : { path: join(built.folder, 'helm') };
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
