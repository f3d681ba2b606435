import { execFile, spawn } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { cacheFolder, stageName } from './find.ts';
import { goEnvironment } from './go-command.ts';
import { withLock } from './lock.ts';
import { type Binary, binaries, goFolder, kwokModule, type Recipe, stageFiles } from './recipe.ts';

const run = promisify(execFile);
const unfinished = '.unfinished-';
/** How often a long build says that it is still at work. */
const signOfLifeMs = 30_000;
/** How much of what Go says is told when it fails. */
const linesTold = 40;

/**
 * Go is there, and could not build what is pinned down to the last byte: no way to the modules, no room on the disk, too
 * little memory. It is this machine's doing, not that of a change.
 */
export class NotBuildable extends Error {}

export interface BuildOptions {
  readonly recipe: Recipe;
  /** The command of the Go tools. */
  readonly go: string;
  readonly cache?: string;
  readonly onProgress: (line: string) => void;
}

/**
 * Builds the programs of a recipe into the cache, unless somebody has, and returns their folder. It appears whole or
 * not at all: everything is built in a folder beside it, which is renamed in the end.
 */
export async function buildAssets(options: BuildOptions): Promise<string> {
  const { recipe, cache = cacheFolder(), onProgress } = options;
  const folder = join(cache, recipe.key);
  mkdirSync(cache, { recursive: true });
  const onWait = (): void => onProgress('another process builds the same control plane: waiting for it');
  await withLock(
    join(cache, `${recipe.key}.lock`),
    async () => {
      if (existsSync(folder)) return;
      removeUnfinished(cache, recipe);
      await buildInto(folder, mkdtempSync(join(cache, `${unfinished}${recipe.key}-`)), options);
    },
    onWait,
  );
  return folder;
}

/** What a killed build has left behind. Only the holder of the lock may do this. */
function removeUnfinished(cache: string, recipe: Recipe): void {
  for (const name of readdirSync(cache)) {
    if (name.startsWith(`${unfinished}${recipe.key}-`)) rmSync(join(cache, name), { recursive: true, force: true });
  }
}

async function buildInto(folder: string, scratch: string, options: BuildOptions): Promise<void> {
  const { recipe, go, onProgress } = options;
  const startMs = Date.now();
  onProgress(`building ${recipe.key}, once: about ten minutes on two cores, and 5 GB of Go's own caches`);
  let packagesCount = 0;
  const signs = setInterval(() => {
    onProgress(`still building after ${secondsSince(startMs)} s: ${packagesCount} packages are compiled`);
  }, signOfLifeMs);
  try {
    await fetchModules(options);
    await compile(scratch, options, () => (packagesCount += 1));
    await copyStages(join(scratch, 'stages'), go);
    publish(scratch, folder);
  } finally {
    clearInterval(signs);
    rmSync(scratch, { recursive: true, force: true });
  }
  onProgress(`built in ${secondsSince(startMs)} s: ${folder}`);
}

async function fetchModules({ go }: BuildOptions): Promise<void> {
  try {
    await callGo(go, ['list', '-deps', '-mod=readonly', ...binaries.map((binary) => binary.package)], () => {});
  } catch (error) {
    throw new NotBuildable(`the Go modules could not be fetched: ${String(error)}`, { cause: error });
  }
}

/** All programs in one call, so that one is linked while another is still compiled. */
async function compile(scratch: string, { recipe, go }: BuildOptions, onPackage: () => void): Promise<void> {
  const variables = Object.entries(recipe.variables).map(([name, value]) => `-X ${name}=${value}`);
  const linker = ['-s', '-w', ...variables].join(' ');
  const words = ['build', '-v', '-mod=readonly', '-trimpath', '-buildvcs=false', '-ldflags', linker];
  await callGo(go, [...words, '-o', `${scratch}/`, ...binaries.map((binary) => binary.package)], onPackage);
  for (const binary of binaries) renameSync(join(scratch, outputOf(binary)), join(scratch, binary.name));
}

/** What Go calls the program of a package: the last part of the path that is no version. */
function outputOf(binary: Binary): string {
  return binary.package.split('/').findLast((part) => !/^v\d+$/.test(part)) ?? binary.name;
}

/** A rename that somebody else was quicker with is as good as ours. */
function publish(scratch: string, folder: string): void {
  try {
    renameSync(scratch, folder);
  } catch (error) {
    if (!existsSync(folder)) throw error;
  }
}

/** Runs Go in the module that pins the versions. What it says is told only if it fails. */
function callGo(go: string, words: readonly string[], onLine: () => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(go, words, {
      cwd: goFolder,
      env: { ...process.env, ...goEnvironment },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const said: string[] = [];
    createInterface({ input: child.stderr }).on('line', (line) => {
      onLine();
      said.push(line);
      if (said.length > linesTold) said.shift();
    });
    child.once('error', reject);
    child.once('close', (code, signal) => {
      if (code === 0) resolve();
      else reject(new NotBuildable(`${go} ${words.join(' ')}: ${signal ?? `exit code ${code}`}\n${said.join('\n')}`));
    });
  });
}

/** KWOK's stages come from its module, so that they are those of the binary. */
async function copyStages(target: string, go: string): Promise<void> {
  const words = ['list', '-mod=readonly', '-m', '-f', '{{.Dir}}', kwokModule];
  const { stdout } = await run(go, words, { cwd: goFolder, env: { ...process.env, ...goEnvironment } });
  mkdirSync(target);
  for (const file of stageFiles) {
    copyFileSync(join(stdout.trim(), 'kustomize', 'stage', file), join(target, stageName(file)));
  }
}

function secondsSince(startMs: number): number {
  return Math.round((Date.now() - startMs) / 1_000);
}
