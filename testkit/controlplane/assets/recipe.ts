import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export const binaryNames = [
  'etcd',
  'kube-apiserver',
  'kube-controller-manager',
  'kube-scheduler',
  'kubectl',
  'kwok',
] as const;

export type BinaryName = (typeof binaryNames)[number];

export interface Binary {
  readonly name: BinaryName;
  /** The Go package of its main function. */
  readonly package: string;
}

/** What is built, from what, and the folder name that stands for exactly this. */
export interface Recipe {
  readonly key: string;
  readonly kubernetesVersion: string;
  /** Variables that the linker sets; without them a server calls itself v0.0.0. */
  readonly variables: Readonly<Record<string, string>>;
}

/** The Go module that pins every version. */
export const goFolder = join(import.meta.dirname, '..', 'go');

export const kwokModule = 'sigs.k8s.io/kwok';

/**
 * KWOK's own stages that every test bed runs, below `kustomize/stage` of its module. Not `pod-complete`: it ends the
 * pods of Jobs at once.
 */
export const stageFiles = [
  'node/fast/node-initialize.yaml',
  'node/heartbeat-with-lease/node-heartbeat-with-lease.yaml',
  'pod/fast/pod-ready.yaml',
  'pod/fast/pod-delete.yaml',
] as const;

export const binaries: readonly Binary[] = binaryNames.map((name) => ({ name, package: packageOf(name) }));

function packageOf(name: BinaryName): string {
  if (name === 'etcd') return 'go.etcd.io/etcd/server/v3';
  return name === 'kwok' ? `${kwokModule}/cmd/kwok` : `k8s.io/kubernetes/cmd/${name}`;
}

/** The recipe of this checkout for this kind of machine. */
export function readRecipe(): Recipe {
  const [goMod, goSum] = ['go.mod', 'go.sum'].map((name) => readFileSync(join(goFolder, name), 'utf8'));
  return recipeOf(goMod ?? '', goSum ?? '', `${process.platform}-${process.arch}`);
}

export function recipeOf(goMod: string, goSum: string, platform: string): Recipe {
  const kubernetesVersion = versionIn(goMod, 'k8s.io/kubernetes');
  const variables = {
    ...kubernetesVariables(kubernetesVersion),
    [`${kwokModule}/pkg/consts.Version`]: versionIn(goMod, kwokModule),
  };
  const whole = JSON.stringify([goMod, goSum, platform, binaries, variables, stageFiles]);
  const hash = createHash('sha256').update(whole).digest('hex').slice(0, 12);
  return { key: `kubernetes-${kubernetesVersion}-${platform}-${hash}`, kubernetesVersion, variables };
}

function kubernetesVariables(version: string): Record<string, string> {
  const [major = '', minor = ''] = version.slice(1).split('.');
  const values = { gitVersion: version, gitMajor: major, gitMinor: minor, gitTreeState: 'clean' };
  const folders = ['k8s.io/component-base/version', 'k8s.io/client-go/pkg/version'];
  return Object.fromEntries(
    folders.flatMap((folder) => Object.entries(values).map(([name, value]) => [`${folder}.${name}`, value])),
  );
}

/** The version that go.mod requires of a module. */
function versionIn(goMod: string, module: string): string {
  const version = new RegExp(`^\\s*(?:require )?${RegExp.escape(module)} (v\\S+)`, 'm').exec(goMod)?.[1];
  if (version === undefined) throw new Error(`go.mod does not require ${module}`);
  return version;
}
