import { execFile, spawn } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cacheFolder, stageName } from './find.ts';
import { goEnvironment } from './go-command.ts';
import { withLock } from './lock.ts';
import { type Binary, goFolder, kwokModule, type Recipe, stageFiles } from './recipe.ts';

const run = promisify(execFile);
const unfinished = '.unfinished-';
/** How often a long build says that it is still at work. */
const signOfLifeMs = 30_000;

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
  const { recipe, onProgress } = options;
  const startMs = Date.now();
  onProgress(`building ${recipe.key}, once: about eight minutes on two cores, and 5 GB of Go's own caches`);
  try {
    for (const [index, binary] of recipe.binaries.entries()) {
      const mark = `[${index + 1}/${recipe.binaries.length}] ${binary.name}`;
      await buildBinary(binary, scratch, { ...options, onProgress: (line) => onProgress(`${mark}: ${line}`) });
    }
    await copyStages(join(scratch, 'stages'), options.go);
    publish(scratch, folder);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
  onProgress(`built in ${secondsSince(startMs)} s: ${folder}`);
}

/** A rename that somebody else was quicker with is as good as ours. */
function publish(scratch: string, folder: string): void {
  try {
    renameSync(scratch, folder);
  } catch (error) {
    if (!existsSync(folder)) throw error;
  }
}

async function buildBinary(binary: Binary, scratch: string, options: BuildOptions): Promise<void> {
  const startMs = Date.now();
  const variables = Object.entries(binary.variables).map(([name, value]) => `-X ${name}=${value}`);
  const linker = ['-s', '-w', ...variables].join(' ');
  const words = ['build', '-mod=readonly', '-trimpath', '-buildvcs=false', '-ldflags', linker];
  words.push('-o', join(scratch, binary.name), binary.package);
  const signs = setInterval(() => options.onProgress(`still building after ${secondsSince(startMs)} s`), signOfLifeMs);
  try {
    await callGo(options.go, words);
  } finally {
    clearInterval(signs);
  }
  options.onProgress(`${secondsSince(startMs)} s`);
}

/** Runs Go in the module that pins the versions. What it says is told only if it fails. */
function callGo(go: string, words: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(go, words, {
      cwd: goFolder,
      env: { ...process.env, ...goEnvironment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let said = '';
    const listen = (chunk: Buffer): void => void (said = `${said}${chunk.toString()}`.slice(-8_000));
    child.stdout.on('data', listen);
    child.stderr.on('data', listen);
    child.once('error', reject);
    child.once('close', (code, signal) => {
      if (code === 0) resolve();
      else reject(new Error(`${go} ${words.join(' ')}: ${signal ?? `exit code ${code}`}\n${said}`));
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
