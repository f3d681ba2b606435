import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { type BinaryName, binaryNames, type Recipe, stageFiles } from './recipe.ts';

/** The programs of a control plane on this machine. */
export interface Assets {
  readonly binaries: Readonly<Record<BinaryName, string>>;
  /** The folder with KWOK's stages. */
  readonly stagesFolder: string;
}

export interface Found {
  /** Everything, or null when something is missing. */
  readonly assets: Assets | null;
  readonly missing: readonly string[];
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Where built control planes are kept, each in a folder of its own; nothing else is in there. */
export function cacheFolder(env: Environment = process.env): string {
  if (env.SPRINGTIDE_CONTROLPLANE) return env.SPRINGTIDE_CONTROLPLANE;
  const xdg = env.XDG_CACHE_HOME ?? '';
  return join(isAbsolute(xdg) ? xdg : join(homedir(), '.cache'), 'springtide', 'controlplane');
}

/** Looks for each program in KUBEBUILDER_ASSETS, where that is set, and then among what was built before. */
export function findAssets(recipe: Recipe, env: Environment = process.env): Found {
  const folders = [join(cacheFolder(env), recipe.key)];
  if (env.KUBEBUILDER_ASSETS) {
    // A folder that was named and is not there is a mistake, not a reason to build for minutes.
    if (!isFolder(env.KUBEBUILDER_ASSETS)) throw new Error('KUBEBUILDER_ASSETS names a folder that does not exist');
    folders.unshift(env.KUBEBUILDER_ASSETS);
  }
  const binaries: Partial<Record<BinaryName, string>> = {};
  for (const name of binaryNames) {
    const file = folders.map((folder) => join(folder, name)).find(isExecutable);
    if (file !== undefined) binaries[name] = file;
  }
  const stagesFolder = folders.map((folder) => join(folder, 'stages')).find(hasStages);
  const missing: string[] = binaryNames.filter((name) => binaries[name] === undefined);
  if (stagesFolder === undefined) missing.push('stages');
  if (stagesFolder === undefined || missing.length > 0) return { assets: null, missing };
  return { assets: { binaries: binaries as Assets['binaries'], stagesFolder }, missing };
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function hasStages(folder: string): boolean {
  return stageFiles.every((file) => existsSync(join(folder, stageName(file))));
}

/** The name of a stage's copy beside the binaries. */
export function stageName(file: string): string {
  return file.slice(file.lastIndexOf('/') + 1);
}
